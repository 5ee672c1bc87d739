// skill::fetch and skills::fetch_skill of iii-directory 0.4.1: documents and functions behind
// iii:// addresses, one or several, as one text (directory-read §13.1).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/legacy/skill_text.h"
#include "foundation/base/result.h"

namespace iii::directory {

class EngineClient;
class FunctionTable;
class Library;

// `uris` wins unless it is empty; trimmed, blank ones left out. Every one begins with `iii://`.
Result<std::vector<std::string>> wanted_addresses(
    const std::optional<std::string>& uri, const std::optional<std::vector<std::string>>& uris);

struct FetchTarget {
  enum class Kind { kIndex, kSkill, kFunction };
  Kind kind = Kind::kIndex;
  std::string id;  // of the skill or of the function
};
Result<FetchTarget> parse_address(std::string_view address);

// Ascending by id; indented by depth.
std::string fetch_index(const std::vector<LegacyDocument>& documents);

// `# address`, the text, and rules between them.
std::string join_sections(const std::vector<std::pair<std::string, std::string>>& sections);

struct FetchSettings {
  bool open_fn = false;  // also functions of reserved names
  std::chrono::milliseconds timeout{60'000};
};

// Everything outlives the table. Settings are asked for at every call.
void add_fetch(FunctionTable& table, EngineClient& engine, Library& library,
               std::function<FetchSettings()> settings);

}  // namespace iii::directory
