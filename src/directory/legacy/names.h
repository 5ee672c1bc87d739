// What skills 0.1.5 accepted at registration (skills-legacy §4.1, §4.2, §7.1, §7.2). Pure; the
// error's message is a reason that a code is put in front of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/library/registration_store.h"
#include "foundation/base/result.h"

namespace iii::directory {

inline constexpr size_t kMaxNameBytes = 64;
inline constexpr size_t kMaxSkillBytes = 262'144;

// `word` is `id` or `name`.
Result<void> check_registered_name(std::string_view word, std::string_view text);
Result<void> check_skill_body(std::string_view skill);
// Description, handler and arguments; the name is checked before.
Result<void> check_prompt(const RegisteredPrompt& prompt);

}  // namespace iii::directory
