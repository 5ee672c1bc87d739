// directory::skills::remove: takes a download away again.
#pragma once

#include <string>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::directory {

class Downloader;
class FunctionTable;

struct RemoveOutput {
  std::string name_space;
  std::vector<std::string> removed;
  std::vector<std::string> kept;
};
inline auto describe(json::Type<RemoveOutput>) {
  using T = RemoveOutput;
  return json::object<T>(
      "RemoveOutput", "", json::field("namespace", &T::name_space, "Folder in skills_folder."),
      json::field("removed", &T::removed, "Files that were removed, as paths below the namespace."),
      json::field("kept", &T::kept, "Files that stay, because they were edited or added here."));
}

void add_remove(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
