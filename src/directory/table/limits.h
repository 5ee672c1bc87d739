// What one call may send, and what one answer may hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iii::directory {

// Of the input of a function, as JSON, unless its entry in the table says more.
inline constexpr size_t kMaxInputBytes = 64 * 1024;
// Of one that takes a document or a long list. A registered skill has at most 256 KiB, and JSON
// takes up to six bytes for one.
inline constexpr size_t kMaxLargeInputBytes = 2 * 1024 * 1024;
// Of one that takes what one message carries: the engine calls it, or it passes its input on.
inline constexpr size_t kAnyInputBytes = SIZE_MAX;
// Of a text in an input, in characters as JSON Schema counts them, unless its field says another
// length: ids, names and addresses. Ids of skills have at most as many bytes.
inline constexpr size_t kMaxTextLength = 1024;
// The same of paths of files, and of words to search for.
inline constexpr size_t kMaxPathLength = 4096;
inline constexpr size_t kMaxSearchLength = 4096;

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
