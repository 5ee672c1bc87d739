// Bytes in, WebSocket events out. No I/O: whoever owns the socket reads into `prepare()`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bus/ws/block.h"
#include "bus/ws/frame.h"
#include "bus/ws/message.h"

namespace iii::ws {

enum class EventKind { kNeedMore, kText, kBinary, kPing, kPong, kClose, kError };

struct Event {
  EventKind kind = EventKind::kNeedMore;
  // Unmasked payload. For text and binary: a whole message, text checked to be UTF-8, with kPadding
  // readable bytes behind it. For kClose: the reason. For kError: why, in English, for our log.
  // Valid until the next call of any member function of the decoder.
  std::string_view payload;
  uint16_t close_code = 0;  // kClose: code received or kCloseNone; kError: the code to close with
};

// Reassembles fragments, answers nothing, never throws. After kClose or kError it yields nothing
// more. Memory: a block of `pool` (or of its own) while bytes are waiting, nothing but a few KiB
// when idle; a large message's memory is given back after it was consumed. Call prepare() only when
// bytes are there to be read, so that connections can share blocks.
//
// Work: the payload of a frame larger than a block is read straight into its message, and is
// unmasked and checked to be UTF-8 as it arrives, so that no call handles more than one read.
class Decoder {
 public:
  Decoder(Role role, Limits limits, BlockPool* pool = nullptr);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Room for the next read: at least a few KiB, or what a large frame still lacks if that is less;
  // at most kMaxRead while a large frame is arriving.
  std::span<char> prepare();
  // `count` bytes were written to the start of what prepare() returned.
  void commit(size_t count);
  // The next event, or kNeedMore when the buffered bytes hold none.
  Event next();
  // Directly after a kText or kBinary whose payload has more than kMaxView bytes: hands over its
  // memory, so that nobody need copy it.
  OwnedMessage take_message();

  bool has_unread() const { return end_ > begin_; }  // bytes that next() has not looked at
  // Ends the decoder and gives its memory back.
  void clear();

  // Bytes of a message that is not complete, without a frame that is still in the read buffer.
  size_t unfinished() const { return in_message_ ? message_size_ : 0; }
  size_t buffered() const;  // bytes of memory held, for limits and metrics

  // Forty connections that each read so much take about 10 ms.
  static constexpr size_t kMaxRead = 128 * 1024;
  // Messages up to this size may be views into a block that they share with their neighbours.
  static constexpr size_t kMaxView = BlockPool::kBlockSize - kPadding;

 private:
  enum class Step { kReady, kNeedMore, kBad };
  struct Fault {
    uint16_t code = kCloseProtocolError;
    std::string_view why;
  };

  Step read_header();
  Step check_length(uint64_t length);
  Step bad(std::string_view why, uint16_t code = kCloseProtocolError);
  Event fail();
  Event control(std::string_view payload);
  Event close(std::string_view payload);
  Event data(Opcode kind, std::string_view payload);
  Event starve();
  Event stream();
  Event continue_message();
  bool is_text_so_far(bool whole);
  std::span<char> prepare_stream();
  void make_room(size_t needed);
  void append(size_t count);
  void release_block();
  size_t usable() const { return block_.size() - kPadding; }

  const Role role_;
  const Limits limits_;
  BlockPool* const pool_;

  // Unread bytes: [begin_, end_) of block_, or a short rest in stash_ while no block is held.
  Block block_;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::string stash_;

  // The frame whose payload is awaited: `length_` bytes of it have not been taken yet.
  bool in_frame_ = false;
  bool streaming_ = false;  // they are read straight into message_, and no block is held
  bool fin_ = false;
  Opcode opcode_ = Opcode::kContinuation;
  uint32_t mask_ = 0;
  size_t length_ = 0;

  // The message being put together from fragments, or from the reads of a large frame.
  bool in_message_ = false;
  bool message_given_ = false;  // its view was handed out, the memory may go
  Opcode message_kind_ = Opcode::kText;
  Block message_;
  size_t message_size_ = 0;
  size_t checked_ = 0;  // bytes of a text known to be UTF-8

  bool ended_ = false;
  Fault fault_;
};

}  // namespace iii::ws
