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

// Lower-cased, what the rule forbids turned into `-`, over-long segments shortened with a stable hash; always
// valid. Used for files whose path breaks the rule.
std::string normalise_id(std::string_view id);
std::string normalise_name(std::string_view name);

}  // namespace iii::content
