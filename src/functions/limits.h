// What one answer may hold.
#pragma once

#include <cstddef>

namespace iii::directory {

// Below the 64 MiB that an engine takes in one message: it cuts a worker off that sends more.
inline constexpr size_t kMaxAnswerBytes = 60 * 1024 * 1024;
// Ids of one directory::skills::get.
inline constexpr size_t kMaxBatch = 100;

}  // namespace iii::directory
