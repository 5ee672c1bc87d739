// directory::skills::inspect: everything about one document.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/reading/doctor.h"

namespace iii::directory {

class Installed;
class FunctionTable;
class Library;
class SkillLinks;

struct InspectHost {
  Library& library;
  RootPlaces places;
  Installed* installed = nullptr;  // null: nothing is known about directory.lock
  SkillLinks* links = nullptr;     // null: nothing is said about functions
  // The last generation that changed a skill, where that is known. Called on the loop thread.
  std::function<std::optional<uint64_t>(std::string_view id)> last_change = {};
};

// What the host refers to outlives the table.
void add_inspect(FunctionTable& table, InspectHost host);

}  // namespace iii::directory
