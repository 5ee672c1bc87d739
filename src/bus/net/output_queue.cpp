#include "bus/net/output_queue.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "foundation/base/check.h"
#include "foundation/base/discard.h"

namespace iii::net {
namespace {

constexpr size_t kOwnCapacity = 64;  // a smaller string holds its bytes itself

}  // namespace

std::string& OutputQueue::tail() {
  if (tail_.size() >= kFullTail) seal_tail();
  if (tail_.empty() && tail_.capacity() < kOwnCapacity) tail_ = pool_.take();
  return tail_;
}

void OutputQueue::append(SharedBytes bytes) {
  if (bytes.bytes.empty()) return;
  seal_tail();
  piece_bytes_ += bytes.bytes.size();
  shared_bytes_ += bytes.bytes.size();
  pieces_.push_back({.own = {}, .shared = std::move(bytes)});
}

void OutputQueue::seal_tail() {
  if (tail_.size() == tail_written_) return release_tail();
  piece_bytes_ += tail_.size() - tail_written_;
  pieces_.push_back(
      {.own = std::exchange(tail_, {}), .shared = {}, .written = std::exchange(tail_written_, 0)});
}

void OutputQueue::release_tail() {
  tail_written_ = 0;
  if (tail_.capacity() >= kOwnCapacity) pool_.give(std::exchange(tail_, {}));
  tail_.clear();
}

OutputQueue::Gathered OutputQueue::gather(std::span<iovec> parts, size_t most) const {
  Gathered out{0, 0};
  const auto add = [&](std::string_view bytes) {
    bytes = bytes.substr(0, most - out.bytes);
    if (bytes.empty() || out.parts == parts.size()) return false;
    parts[out.parts++] = {const_cast<char*>(bytes.data()), bytes.size()};
    out.bytes += bytes.size();
    return true;
  };
  for (size_t i = first_; i < pieces_.size(); ++i) {
    if (!add(pieces_[i].rest())) return out;
  }
  add(std::string_view(tail_).substr(tail_written_));
  return out;
}

ssize_t OutputQueue::send(int socket, size_t most, size_t& wanted) const {
  std::array<iovec, 16> parts;
  const Gathered gathered = gather(parts, most);
  wanted = gathered.bytes;
  constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
  if (gathered.parts == 1) return ::send(socket, parts[0].iov_base, parts[0].iov_len, kFlags);
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = gathered.parts;
  return ::sendmsg(socket, &message, kFlags);
}

void OutputQueue::consume(size_t count) {
  III_CHECK(count <= bytes());
  while (count > 0 && first_ < pieces_.size()) {
    Piece& piece = pieces_[first_];
    const size_t done = std::min(count, piece.rest().size());
    piece.written += done;
    piece_bytes_ -= done;
    if (piece.own.empty()) shared_bytes_ -= done;
    count -= done;
    if (!piece.rest().empty()) return;
    if (piece.own.capacity() >= kOwnCapacity) pool_.give(std::exchange(piece.own, {}));
    piece = {};
    ++first_;
  }
  forget_written_pieces();
  tail_written_ += count;
  if (tail_written_ == tail_.size()) {
    release_tail();
  } else if (tail_written_ > 0) {
    seal_tail();  // so that written bytes do not stay in front of new ones
  }
}

void OutputQueue::forget_written_pieces() {
  constexpr size_t kKeptPieces = 16;
  if (first_ == pieces_.size()) {
    pieces_.clear();
    if (pieces_.capacity() > kKeptPieces) pieces_.shrink_to_fit();
    first_ = 0;
  } else if (first_ > kKeptPieces && first_ > pieces_.size() / 2) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
}

void OutputQueue::clear() {
  // What is shared is freed by its last holder.
  std::vector<std::string> own;
  if (piece_bytes_ - shared_bytes_ >= kDiscardBytes) {
    for (Piece& piece : pieces_) own.push_back(std::move(piece.own));
    discard(std::move(own));
  }
  pieces_ = {};
  first_ = 0;
  piece_bytes_ = 0;
  shared_bytes_ = 0;
  release_tail();
}

}  // namespace iii::net
