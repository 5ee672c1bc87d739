// Errors of the functions of skills 0.1.5. Their texts keep the words that its callers look for.
#pragma once

#include <string>
#include <string_view>

#include "directory/library/change_log.h"
#include "foundation/base/result.h"

namespace iii::directory {

// Something in a registration is not acceptable.
Error refused_registration(ChangeKind kind, const Error& reason);
Error refused_resource(const Error& reason);
Error reserved_function(ChangeKind kind, std::string_view function_id);
// A section or a prompt's handler failed.
Error failed_call(ChangeKind kind, std::string_view function_id, std::string_view cause);
Error unsupported_output(std::string_view prompt, std::string_view function_id,
                         const Error& reason);
// `state::*` failed, or holds something that is not a record of ours.
Error failed_state(ChangeKind kind, const Error& reason);

}  // namespace iii::directory
