// Ids of skills and names of prompts: derived from paths, checked, normalised.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace iii::content {

inline constexpr size_t kMaxSegment = 64;
inline constexpr size_t kMaxId = 1024;

// R10: any component is exactly `prompts`.
bool is_prompt_path(std::string_view relative);

// The last component of a path.
inline std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is the start
}

// How a file's name relates to SKILL.md, the overview of its folder.
enum class OverviewName : uint8_t {
  kNone,
  kExact,     // `SKILL.md`, `SKILLS.md` (R12)
  kSpelling,  // the same in other letter case or with `.markdown`: `skill.md`, `SKILL.MD`
  kNear,      // probably meant to be one, not read as one: `SKLL.md`, `SKILL.md.txt`
};
OverviewName overview_name(std::string_view name);

// R11–R12 to the letter: `ns/SKILL.md` → `ns/index`. The result may be invalid.
std::string derive_id(std::string_view relative);
// The same, and every spelling of SKILL.md is the overview.
std::string path_id(std::string_view relative);

// R14–R15. The error's message says which segment and why, without a code.
Result<void> check_id(std::string_view id);
Result<void> check_name(std::string_view name);  // a prompt's (R71)
// What is wrong with the first illegal segment; empty: nothing.
std::string id_problem(std::string_view id);

// Lower-cased, Latin letters without their accents, blanks and dots turned into `-`. A segment that
// loses anything else on the way (`C++`, a segment over the limit) ends in `-` and a hash of what
// it was. Any bytes may come in; the result passes check_id, and a legal id comes out as it is.
// Used for files whose path breaks the rule.
std::string normalise_id(std::string_view id);
std::string normalise_name(std::string_view name);

// Where several files of one root would have the same id or name, those that are not called exactly
// so are served under these instead. `alternate_id` has the hash in each segment that differs from
// the path's. `second_overview_id` is for a spelling of SKILL.md in a folder that has an overview:
// it is an ordinary document.
std::string alternate_id(std::string_view relative);
std::string second_overview_id(std::string_view relative);
std::string alternate_name(std::string_view name, std::string_view relative);

// Text between quotation marks, with escapes, as the messages about ids show it.
std::string quoted(std::string_view text);

}  // namespace iii::content
