#include "bus/ws/decoder.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "bus/ws/mask.h"
#include "foundation/base/check.h"

namespace iii::ws {
namespace {

constexpr size_t kMinRead = 4 * 1024;
// A rest of at most this many bytes is set aside, so that its connection need not hold a block.
constexpr size_t kStash = 2 * 1024;
// Room made at once for a frame that is announced but has not arrived.
constexpr size_t kEager = 1024 * 1024;
// Assembled messages up to this size leave their memory for the next one.
constexpr size_t kKeptMessage = 4 * 1024;
constexpr size_t kMaxControl = 125;
constexpr std::string_view kNotUtf8 = "a text that is not UTF-8 (RFC 6455 §8.1)";

// How many bytes at the end begin a character that is not complete.
size_t cut_character(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<uint8_t>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;  // not its first byte
    size_t length = 1;
    if (byte >= 0xc0) length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

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
  // A mapped message takes memory only for the bytes that have arrived.
  return block_.size() + std::min(message_.size(), std::max(message_size_, kEager)) +
         (stash_.capacity() > 32 ? stash_.capacity() : 0);
}

std::span<char> Decoder::prepare() {
  if (streaming_) return prepare_stream();
  if (block_.data() == nullptr) {
    if (pool_ != nullptr) {
      block_ = pool_->take();
    } else {
      block_.resize(BlockPool::kBlockSize);
    }
    begin_ = 0;
    end_ = stash_.size();
    if (end_ > 0) std::memcpy(block_.data(), stash_.data(), end_);
    stash_.clear();
  }
  const size_t waiting = end_ - begin_;
  const bool partial = in_frame_ && waiting < length_;
  const size_t least = partial ? std::min(kMinRead, length_ - waiting) : kMinRead;
  if (usable() - end_ < least && begin_ > 0) {
    std::memmove(block_.data(), block_.data() + begin_, waiting);
    begin_ = 0;
    end_ = waiting;
  }
  // Only when bytes are committed again and again before next() is called.
  if (usable() - end_ < least) block_.resize(2 * block_.size());
  return {block_.data() + end_, usable() - end_};
}

// Never past the end of the frame: what is behind it goes to a block.
std::span<char> Decoder::prepare_stream() {
  make_room(std::min(length_, kMinRead));
  const size_t room = message_.size() - kPadding - message_size_;
  return {message_.data() + message_size_, std::min({room, length_, kMaxRead})};
}

void Decoder::commit(size_t count) {
  if (!streaming_) {
    III_CHECK(block_.data() != nullptr && count <= usable() - end_);
    end_ += count;
    return;
  }
  III_CHECK(count <= length_ && count <= message_.size() - kPadding - message_size_);
  char* const payload = message_.data() + message_size_;
  if (role_ == Role::kServer) {
    apply_mask(payload, payload, count, mask_);
    mask_ = advance_mask(mask_, count);
  }
  message_size_ += count;
  length_ -= count;
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
  if (streaming_) return stream();
  while (block_.data() != nullptr) {
    if (!in_frame_) {
      const Step step = read_header();
      if (step == Step::kNeedMore) return starve();
      if (step == Step::kBad) return fail();
      in_frame_ = true;
    }
    const size_t waiting = end_ - begin_;
    if (length_ > kMaxView) {
      append(std::min(waiting, length_));
      if (length_ > 0) {
        streaming_ = true;
        release_block();
        return stream();
      }
    } else if (waiting < length_) {
      return starve();
    } else if (is_control(opcode_) || (fin_ && opcode_ != Opcode::kContinuation)) {
      const std::string_view payload(block_.data() + begin_, length_);
      if (role_ == Role::kServer) {
        apply_mask(block_.data() + begin_, payload.data(), length_, mask_);
      }
      begin_ += length_;
      in_frame_ = false;
      return is_control(opcode_) ? control(payload) : data(opcode_, payload);
    } else {
      append(length_);
    }
    const Event event = continue_message();
    if (event.kind != EventKind::kNeedMore) return event;
  }
  return {};
}

// The rest of a large frame is arriving.
Event Decoder::stream() {
  if (length_ > 0) return is_text_so_far(false) ? Event{} : fail();
  streaming_ = false;
  return continue_message();
}

// A frame has been added to the message.
Event Decoder::continue_message() {
  in_frame_ = false;
  if (!is_text_so_far(fin_)) return fail();
  if (!fin_) return {};
  in_message_ = false;
  message_given_ = true;
  checked_ = 0;
  return {message_kind_ == Opcode::kText ? EventKind::kText : EventKind::kBinary,
          {message_.data(), message_size_},
          0};
}

// Checks what has arrived since the last time, without a character that is cut off at the end.
bool Decoder::is_text_so_far(bool whole) {
  if (message_kind_ != Opcode::kText) return true;
  const std::string_view message(message_.data(), message_size_);
  const size_t to = whole ? message.size() : message.size() - cut_character(message);
  if (to <= checked_) return true;
  const bool valid = simdjson::validate_utf8(message.substr(checked_, to - checked_));
  checked_ = to;
  if (!valid) static_cast<void>(bad(kNotUtf8, kCloseInvalidPayload));
  return valid;
}

void Decoder::clear() {
  ended_ = true;
  in_message_ = in_frame_ = streaming_ = message_given_ = false;
  message_.reset();
  message_size_ = 0;
  stash_ = {};
  release_block();
}

OwnedMessage Decoder::take_message() {
  III_CHECK(message_given_);
  message_given_ = false;
  return {std::move(message_), std::exchange(message_size_, 0)};
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
    static_cast<void>(bad(kNotUtf8, kCloseInvalidPayload));
    return fail();
  }
  return {EventKind::kText, payload, 0};
}

// Moves the next `count` bytes of the frame from the block to the message.
void Decoder::append(size_t count) {
  if (!in_message_) {
    in_message_ = true;
    message_kind_ = opcode_;
  }
  make_room(count);
  char* const to = message_.data() + message_size_;
  const char* const from = block_.data() + begin_;
  if (role_ == Role::kServer) {
    apply_mask(to, from, count, mask_);
    mask_ = advance_mask(mask_, count);
  } else if (count > 0) {
    std::memcpy(to, from, count);
  }
  begin_ += count;
  message_size_ += count;
  length_ -= count;
}

// Room for `needed` bytes more of the frame. Memory doubles as bytes really come; what a header
// announces makes kEager of it at most.
void Decoder::make_room(size_t needed) {
  if (message_.size() >= message_size_ + needed + kPadding) return;
  size_t ahead = std::max({needed, message_size_, std::min(length_, kEager)});
  if (fin_) {
    ahead = std::min(ahead, length_);  // nothing follows this frame
  } else {
    ahead = std::max(ahead, kKeptMessage - kPadding);
  }
  message_.resize(message_size_ + ahead + kPadding);
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
