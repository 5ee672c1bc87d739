// What skills 0.1.5 accepted at registration (skills-legacy §4.1, §4.2, §7.1, §7.2). Pure; the
// error's message is a reason that a code is put in front of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/library/registrations.h"
#include "foundation/base/result.h"

namespace iii::directory {

inline constexpr size_t kMaxNameBytes = 64;
inline constexpr size_t kMaxSkillBytes = 262'144;

// The id of a skill, or the name of a prompt.
Result<void> check_key(ChangeKind kind, std::string_view key);
Result<void> check_registration(ChangeKind kind, const RegisteredDocument& document);

}  // namespace iii::directory
