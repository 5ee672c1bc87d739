// What one answer over MCP holds, and what is made of it on which thread.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "directory/library/library.h"
#include "directory/table/limits.h"
#include "foundation/task/task.h"

namespace iii::mcp {

// Content of one call of the tool `read`; more comes in parts.
inline constexpr size_t kMaxReadBytes = directory::kPartBytes;
// Content of one resources/read, which has no parts.
inline constexpr size_t kMaxResourceBytes = directory::kMaxPartBytes;
// What a function answered, as JSON; the same as in the console.
inline constexpr size_t kMaxFunctionAnswerBytes = 4 * 1024 * 1024;
// Longer texts are parsed, checked and escaped on another thread.
inline constexpr size_t kLargeTextBytes = 64 * 1024;

// Does `work`, which handles a text of that many bytes, on the thread where it belongs. It uses
// nothing that belongs to the loop.
template <typename F>
task::Task<std::invoke_result_t<F&>> encode_where_fit(directory::Library& library, size_t bytes,
                                                      F work) {
  if (bytes <= kLargeTextBytes) co_return work();
  co_return co_await library.on_reading_thread(std::move(work));
}

}  // namespace iii::mcp
