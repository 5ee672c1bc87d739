// Text in, Frame out. One simdjson pass checks the whole text; the same pass's structural index
// then gives the position of every top-level value, so payloads are found without a second parse.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "bus/protocol/frame.h"
#include "foundation/base/result.h"

namespace iii::protocol {

class Parser {
 public:
  Parser();
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // `text` must have 64 readable bytes behind it (ws::kPadding). An Error's message is for our own
  // log: nothing is ever answered to a malformed frame. Codes: `empty` (white space only),
  // `malformed`.
  Result<Frame> parse(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace iii::protocol
