// The configuration that connects a harness to this server. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace iii::mcp {

std::vector<std::string> harnesses();
// With the place where it belongs, as comments. `program` is the path of this program, `words` are
// what it is started with.
Result<std::string> connect_snippet(std::string_view harness, std::string_view program,
                                    const std::vector<std::string>& words);

}  // namespace iii::mcp
