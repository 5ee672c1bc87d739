// Whether SQLite's write-ahead log still holds everything that was acknowledged.
//
// SQLite reads the log up to the first frame whose checksum is wrong and takes that for the end: a
// transaction torn by a power failure looks like that. It also looks like that when one bit in the
// middle flips, and then every later transaction is dropped silently. The two are told apart
// here, before SQLite opens the file, by two facts:
//
// - Every commit is synced before it is acknowledged and before the next one begins. So only the
//   last transaction in the log can be torn; damage that is followed by a later transaction is not
//   a torn end.
// - When the writer has paused for a moment, the store notes how far the log is safe (LogMark, in a
//   file beside it); while it does not pause, each transaction proves those before it. The note is
//   not synced itself, so it may be older than the log, but never newer; damage before it is not a
//   torn end either.
//
// The file: a header of 32 bytes, then frames of 24 bytes and one page each. All numbers are
// big-endian. The header holds magic number, version, page size, a sequence number, two salts and
// two checksums. A frame's header holds the page number, the size of the database in pages if the
// frame ends a transaction (else 0), the salts and two checksums. Each start over from the first
// frame brings new salts, so frames with other salts are left over from before. A frame's checksum
// goes on from the one of the frame before it (the first, from the header's).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iii::engine {

// How far the log was synced: so many frames, whose last one has these checksums.
struct LogMark {
  uint32_t frames = 0;
  uint32_t salts[2] = {};
  uint32_t sums[2] = {};

  bool operator==(const LogMark&) const = default;

  // One line of text with a checksum.
  std::string to_text() const;
  static std::optional<LogMark> parse(std::string_view text);
  static constexpr size_t kTextBytes = 72;
};

inline constexpr size_t kLogHeaderBytes = 32;
inline constexpr size_t kFrameHeaderBytes = 24;

// What the header of the last synced frame says about the point behind it.
LogMark mark_at(uint32_t frames, std::string_view frame_header);

struct LogState {
  bool damaged = false;
  uint64_t good_frames = 0;   // readable from the start
  uint64_t lost_commits = 0;  // transactions behind the damage, as far as they can be counted
  // The log is a different one from the log of the mark: another program has folded or replaced it.
  bool replaced = false;
};

// `log` is an open file. An error of the disk counts as damage.
LogState check_log(int log, const std::optional<LogMark>& mark);

}  // namespace iii::engine
