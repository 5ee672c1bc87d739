// Who may write: one flock per namespace, and one for the swap, which readers share (ReadGate).
//
// The files are never removed. When another program removes them, the next one to lock notices that
// the file it locked is not the one that lies there any more.
#pragma once

#include <optional>
#include <string_view>

#include "directory/sources/progress.h"
#include "foundation/base/files_writer.h"
#include "foundation/base/result.h"

namespace iii::sources {

inline constexpr std::string_view kSwapLockPath = ".iii-directory/swap.lock";
// Taken before the swap lock and by readers only in passing, so that a stream of readers cannot
// keep a writer out for ever.
inline constexpr std::string_view kTurnLockPath = ".iii-directory/turn.lock";
inline constexpr std::string_view kNamespaceLocks = ".iii-directory/locks";

// An exclusive flock; other threads are kept out as well as other processes. Let go of by the
// destructor, or by the death of the process.
class FileLock {
 public:
  FileLock() = default;
  // Waits until the job ends: `busy`.
  static Result<FileLock> wait(const FolderWriter& root, std::string_view path, const Job& job);
  // Nothing when it is held already.
  static Result<std::optional<FileLock>> attempt(const FolderWriter& root, std::string_view path);

 private:
  explicit FileLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// The right to swap: no reader reads and no other writer swaps.
class SwapLock {
 public:
  // Waits until the job ends: `busy`.
  static Result<SwapLock> wait(const FolderWriter& root, const Job& job);

 private:
  SwapLock(FileLock turn, FileLock swap) : turn_(std::move(turn)), swap_(std::move(swap)) {}
  FileLock turn_;
  FileLock swap_;  // goes first
};

}  // namespace iii::sources
