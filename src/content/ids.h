// Ids of skills and names of prompts: derived from paths, checked, normalised.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace iii::content {

inline constexpr size_t kMaxSegment = 64;
inline constexpr size_t kMaxId = 1024;

// R10: any component is exactly `prompts`.
bool is_prompt_path(std::string_view relative);

// R11–R12: `ns/SKILL.md` → `ns/index`. The result may be invalid.
std::string derive_id(std::string_view relative);

// R14–R15. The error's message says which segment and why, without a code.
Result<void> check_id(std::string_view id);
Result<void> check_name(std::string_view name);  // a prompt's (R71)

// Lower-cased, Latin letters without their accents, what else the rule forbids turned into `-`,
// over-long segments shortened with a stable hash. Any bytes may come in; the result passes
// check_id, and a legal id comes out as it is. Used for files whose path breaks the rule.
std::string normalise_id(std::string_view id);
std::string normalise_name(std::string_view name);

// A file called like SKILL.md but for its case, when R12 gives it no legal id of its own:
// `cap/Skill.md` was meant to be the overview `cap/index`. `skill.md` has the id `skill` and is
// left alone.
std::optional<std::string> meant_overview(std::string_view relative);

// Text between quotation marks, with escapes, as the messages about ids show it.
std::string quoted(std::string_view text);

}  // namespace iii::content
