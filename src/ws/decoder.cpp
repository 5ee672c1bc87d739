#include "ws/decoder.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "ws/mask.h"

namespace iii::ws {
namespace {

constexpr size_t kMinRead = 4 * 1024;
// A rest of at most this many bytes is set aside, so that its connection need not hold a block.
constexpr size_t kStash = 2 * 1024;
// Room made at once for a frame that is announced but has not arrived; beyond it, memory doubles as
// the bytes really come, so that a peer cannot make us reserve much by a header alone.
constexpr size_t kEager = 1024 * 1024;
// Assembled messages up to this size leave their memory for the next one.
constexpr size_t kKeptMessage = 4 * 1024;
constexpr size_t kMaxControl = 125;

template <typename T>
T big_endian(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
  return value;
}

bool is_control(Opcode opcode) { return (static_cast<uint8_t>(opcode) & 0x8) != 0; }

// RFC 6455 §7.4: 1004, 1005, 1006 and 1015 are never sent, 1016–2999 are not assigned.
bool may_travel(uint16_t code) {
  if (code >= 3000) return code <= 4999;
  return code >= 1000 && code <= 1014 && (code < 1004 || code > 1006);
}

}  // namespace

Decoder::Decoder(Role role, Limits limits, BlockPool* pool)
    : role_(role), limits_(limits), pool_(pool) {}

Decoder::~Decoder() { release_block(); }

size_t Decoder::buffered() const {
  return block_.size() + message_.size() + (stash_.capacity() > 32 ? stash_.capacity() : 0);
}

std::span<char> Decoder::prepare() {
  const size_t wanted = in_frame_ ? length_ : kMinRead;
  if (block_.data() == nullptr) {
    if (wanted + kPadding <= BlockPool::kBlockSize) {
      if (pool_ != nullptr) {
        block_ = pool_->take();
      } else {
        block_.resize(BlockPool::kBlockSize);
      }
    } else {
      block_.resize(std::min(wanted, kEager) + kPadding);
    }
    begin_ = 0;
    end_ = stash_.size();
    if (end_ > 0) std::memcpy(block_.data(), stash_.data(), end_);
    stash_.clear();
  }
  const size_t waiting = end_ - begin_;
  const bool partial = in_frame_ && waiting < length_;
  const bool large = partial && length_ > BlockPool::kBlockSize - kPadding;
  const size_t least = partial ? std::min(kMinRead, length_ - waiting) : kMinRead;
  if (usable() - end_ < least && begin_ > 0) {
    std::memmove(block_.data(), block_.data() + begin_, waiting);
    begin_ = 0;
    end_ = waiting;
  }
  if (usable() - end_ < least) {
    const size_t doubled = std::max(usable() * 2, kEager);
    block_.resize((large ? std::min(length_, doubled) : doubled) + kPadding);
  }
  // Never read past a large frame: its block is then empty, and given back, when the frame is done.
  const size_t room = usable() - end_;
  return {block_.data() + end_, large ? std::min(room, length_ - waiting) : room};
}

void Decoder::commit(size_t count) {
  III_CHECK(block_.data() != nullptr && count <= usable() - end_);
  end_ += count;
}

Event Decoder::next() {
  if (message_given_) {
    message_given_ = false;
    message_size_ = 0;
    if (message_.size() > kKeptMessage) message_.reset();
  }
  if (ended_) {
    release_block();
    return {};
  }
  while (block_.data() != nullptr) {
    if (!in_frame_) {
      const Step step = read_header();
      if (step == Step::kNeedMore) return starve();
      if (step == Step::kBad) return fail();
      in_frame_ = true;
    }
    if (end_ - begin_ < length_) return starve();

    char* const payload = block_.data() + begin_;
    begin_ += length_;
    in_frame_ = false;
    if (role_ == Role::kServer) apply_mask(payload, payload, length_, mask_);
    if (is_control(opcode_)) return control({payload, length_});
    if (fin_ && opcode_ != Opcode::kContinuation) return data(opcode_, {payload, length_});

    append(payload);
    if (!fin_) continue;
    in_message_ = false;
    message_given_ = true;
    return data(message_kind_, {message_.data(), message_size_});
  }
  return {};
}

// Reads and judges the header at begin_; consumes it only when it is whole and allowed.
Decoder::Step Decoder::read_header() {
  const char* at = block_.data() + begin_;
  const size_t waiting = end_ - begin_;
  if (waiting < 1) return Step::kNeedMore;
  const auto first = static_cast<uint8_t>(at[0]);
  fin_ = (first & 0x80) != 0;
  opcode_ = static_cast<Opcode>(first & 0x0f);
  if ((first & 0x70) != 0) return bad("a reserved bit is set (RFC 6455 §5.2)");
  switch (opcode_) {
    case Opcode::kText:
    case Opcode::kBinary:
      if (in_message_) return bad("a new message began inside a fragmented one (RFC 6455 §5.4)");
      break;
    case Opcode::kContinuation:
      if (!in_message_) return bad("a continuation frame without a message (RFC 6455 §5.4)");
      break;
    case Opcode::kClose:
    case Opcode::kPing:
    case Opcode::kPong:
      if (!fin_) return bad("a control frame was fragmented (RFC 6455 §5.5)");
      break;
    default:
      return bad("unknown opcode (RFC 6455 §5.2)");
  }

  if (waiting < 2) return Step::kNeedMore;
  const auto second = static_cast<uint8_t>(at[1]);
  const bool masked = (second & 0x80) != 0;
  if (masked != (role_ == Role::kServer)) {
    return bad(masked ? "a server must not mask (RFC 6455 §5.1)"
                      : "a client must mask (RFC 6455 §5.1)");
  }
  uint64_t length = second & 0x7f;
  if (is_control(opcode_) && length > kMaxControl)
    return bad("a control frame above 125 bytes (RFC 6455 §5.5)");
  size_t header = 2;
  if (length == 126) {
    header = 4;
    if (waiting < header) return Step::kNeedMore;
    length = big_endian<uint16_t>(at + 2);
    if (length < 126) return bad("a length that is not in its shortest form (RFC 6455 §5.2)");
  } else if (length == 127) {
    header = 10;
    if (waiting < header) return Step::kNeedMore;
    length = big_endian<uint64_t>(at + 2);
    if (length <= 0xffff) return bad("a length that is not in its shortest form (RFC 6455 §5.2)");
    if ((length >> 63) != 0) return bad("a length above 63 bits (RFC 6455 §5.2)");
  }
  if (!is_control(opcode_)) {
    if (const Step step = check_length(length); step != Step::kReady) return step;
  }
  if (masked) {
    if (waiting < header + 4) return Step::kNeedMore;
    std::memcpy(&mask_, at + header, 4);
    header += 4;
  }
  length_ = static_cast<size_t>(length);
  begin_ += header;
  return Step::kReady;
}

// Compares without adding, so that no announced length can overflow.
Decoder::Step Decoder::check_length(uint64_t length) {
  if (length > limits_.max_frame) return bad("a frame above the limit", kCloseTooBig);
  if (length > limits_.max_message || message_size_ > limits_.max_message - length) {
    return bad("a message above the limit", kCloseTooBig);
  }
  return Step::kReady;
}

Decoder::Step Decoder::bad(std::string_view why, uint16_t code) {
  fault_ = {code, why};
  return Step::kBad;
}

Event Decoder::fail() {
  ended_ = true;
  return {EventKind::kError, fault_.why, fault_.code};
}

Event Decoder::control(std::string_view payload) {
  if (opcode_ == Opcode::kPing) return {EventKind::kPing, payload, 0};
  if (opcode_ == Opcode::kPong) return {EventKind::kPong, payload, 0};
  return close(payload);
}

Event Decoder::close(std::string_view payload) {
  ended_ = true;
  if (payload.empty()) return {EventKind::kClose, {}, kCloseNone};
  if (payload.size() == 1) {
    static_cast<void>(bad("a Close frame with a payload of one byte (RFC 6455 §5.5.1)"));
    return fail();
  }
  const auto code = big_endian<uint16_t>(payload.data());
  if (!may_travel(code)) {
    static_cast<void>(bad("a close code that must not be sent (RFC 6455 §7.4)"));
    return fail();
  }
  payload.remove_prefix(2);
  if (!simdjson::validate_utf8(payload)) {
    static_cast<void>(
        bad("a close reason that is not UTF-8 (RFC 6455 §5.5.1)", kCloseInvalidPayload));
    return fail();
  }
  return {EventKind::kClose, payload, code};
}

Event Decoder::data(Opcode kind, std::string_view payload) {
  if (kind == Opcode::kBinary) return {EventKind::kBinary, payload, 0};
  if (!simdjson::validate_utf8(payload)) {
    static_cast<void>(bad("a text that is not UTF-8 (RFC 6455 §8.1)", kCloseInvalidPayload));
    return fail();
  }
  return {EventKind::kText, payload, 0};
}

void Decoder::append(const char* payload) {
  if (!in_message_) {
    in_message_ = true;
    message_kind_ = opcode_;
  }
  const size_t needed = message_size_ + length_ + kPadding;
  if (needed > message_.size()) {
    const size_t most = limits_.max_message + kPadding;
    message_.resize(std::max(needed, std::min(most, std::max(2 * message_.size(), kKeptMessage))));
  }
  if (length_ > 0) std::memcpy(message_.data() + message_size_, payload, length_);
  message_size_ += length_;
}

// Nothing more to see until bytes arrive: keep as little memory as the rest needs.
Event Decoder::starve() {
  const size_t waiting = end_ - begin_;
  if (waiting <= kStash) {
    stash_.assign(block_.data() + begin_, waiting);
    release_block();
  }
  return {};
}

void Decoder::release_block() {
  if (pool_ != nullptr && block_.data() != nullptr) pool_->give(std::move(block_));
  block_.reset();
  begin_ = end_ = 0;
}

}  // namespace iii::ws
