// Disk space held back by a file of zeros, given up when the disk is full.
//
// A delete needs space too: its pages go to the log first, and a log that is full must be folded
// into the database, which may have to grow for that. Giving this file up makes room for the
// folding; after it, the log starts over in blocks that it already has.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <filesystem>

namespace iii::engine {

// Both write through SQLite's file layer, so that all use of the disk goes one way and a test can
// stand in for a full disk.

// Writes zeros from the end of `file` up to `bytes`, and syncs it. False when the disk is full:
// then the file is as long as it was.
bool extend_with_zeros(sqlite3_file* file, size_t bytes);
// The same for a file that is there and not open.
bool fill_with_zeros(const std::filesystem::path& path, size_t bytes);

}  // namespace iii::engine
