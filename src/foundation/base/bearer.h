// The token in an Authorization header.
#pragma once

#include <string_view>

namespace iii {

// Whether `authorization` is `Bearer <token>`. How long it takes does not tell where two tokens
// differ. Nothing equals an empty token.
bool is_bearer(std::string_view authorization, std::string_view token);

// Whether it names that scheme, with whatever token.
bool names_bearer(std::string_view authorization);

}  // namespace iii
