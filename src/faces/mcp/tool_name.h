// Names of tools for ids of functions, and back. Pure.
//
// `::` becomes `__`. An id that this would not give back (it has `__`, `:::`, or characters that
// tool names may not have) is escaped: `x.` and then every byte except letters, digits and `-` as
// `.` and two hexadecimal digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace iii::mcp {

inline constexpr size_t kMaxToolName = 128;

// Nothing when the name would be too long, or the id is empty.
std::optional<std::string> tool_name(std::string_view function_id);
// Nothing when no id has this name.
std::optional<std::string> function_id(std::string_view tool_name);

}  // namespace iii::mcp
