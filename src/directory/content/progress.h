// How far this process is with reading folders, for somebody who waits for it.
#pragma once

#include <atomic>
#include <cstdint>

namespace iii::content {

// Entries of folders (files, folders, links) that scans of this process have looked at. Any thread
// may read it.
std::atomic<uint64_t>& entries_looked_at();

}  // namespace iii::content
