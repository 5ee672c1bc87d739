// Bytes that wait for a socket, in order: small ones in pooled buffers, large ones shared with
// whoever else holds them.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/output_pool.h"
#include "foundation/base/shared_bytes.h"

namespace iii::net {

// More than this is not left to wait for the end of the turn.
inline constexpr size_t kEarlyFlush = 256 * 1024;
// Written to one socket before others get their turn.
inline constexpr size_t kWrittenPerTurn = 1024 * 1024;
// Below this a copy costs less than a piece of its own.
inline constexpr size_t kSharedBytes = 32 * 1024;

class OutputQueue {
 public:
  explicit OutputQueue(OutputPool& pool) : pool_(pool) {}

  // What is appended to this string comes last. Ask again after any other call.
  std::string& tail();
  void append(SharedBytes bytes);

  size_t bytes() const { return piece_bytes_ + tail_.size() - tail_written_; }

  size_t shared_bytes() const { return shared_bytes_; }  // of them

  struct Gathered {
    size_t parts;
    size_t bytes;
  };
  // Points `parts` at the first bytes of the queue, `most` of them at most.
  Gathered gather(std::span<iovec> parts, size_t most) const;
  // Sends them without waiting; as send(2). `wanted` is how many bytes were offered.
  ssize_t send(int socket, size_t most, size_t& wanted) const;
  // The first `count` bytes have been written.
  void consume(size_t count);
  void clear();

 private:
  struct Piece {
    std::string own;
    SharedBytes shared;
    size_t written = 0;

    std::string_view rest() const {
      return (own.empty() ? shared.bytes : std::string_view(own)).substr(written);
    }
  };

  void seal_tail();
  void release_tail();
  void forget_written_pieces();

  // A buffer larger than this is not appended to, because growing it would copy too much at once.
  static constexpr size_t kFullTail = 1024 * 1024;

  OutputPool& pool_;
  std::vector<Piece> pieces_;  // those before `first_` are done
  size_t first_ = 0;
  size_t piece_bytes_ = 0;
  size_t shared_bytes_ = 0;
  std::string tail_;
  size_t tail_written_ = 0;
};

}  // namespace iii::net
