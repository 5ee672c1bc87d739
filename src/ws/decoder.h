// Bytes in, WebSocket events out. No I/O: whoever owns the socket reads into `prepare()`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ws/frame.h"

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

// Reassembles fragments, answers nothing, never throws. After kClose or kError it yields nothing more.
// An idle decoder holds one small buffer; a large message's memory is given back after it was consumed.
class Decoder {
 public:
  Decoder(Role role, Limits limits);

  // Room for the next read, at least a few KiB, growing while a large frame is arriving.
  std::span<char> prepare();
  // `count` bytes were written to the start of what prepare() returned.
  void commit(size_t count);
  // The next event, or kNeedMore when the buffered bytes hold none.
  Event next();

  size_t buffered() const;  // bytes of memory held, for limits and metrics

 private:
  // Owned by the implementer of this room.
};

}  // namespace iii::ws
