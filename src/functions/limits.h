// What one answer may hold.
#pragma once

#include <cstddef>

namespace iii::directory {

// Below the 64 MiB that an engine takes in one message: it cuts a worker off that sends more.
inline constexpr size_t kMaxAnswerBytes = 60 * 1024 * 1024;
// Of a document or file that is read in parts: what one answer holds unless the caller says more,
// and the most that it may ask for.
inline constexpr size_t kPartBytes = 256 * 1024;
inline constexpr size_t kMaxPartBytes = 1024 * 1024;
// Files of a skill that `directory::skills::get` lists; how many entries of its folder are looked
// at; and how many bytes are hashed, of one file and for one answer.
inline constexpr size_t kMaxSkillFiles = 200;
inline constexpr size_t kMaxFolderEntries = 10'000;
inline constexpr size_t kMaxHashedFile = 16 * 1024 * 1024;
inline constexpr size_t kMaxHashedBytes = 64 * 1024 * 1024;
// Ids of one directory::skills::get.
inline constexpr size_t kMaxBatch = 100;

}  // namespace iii::directory
