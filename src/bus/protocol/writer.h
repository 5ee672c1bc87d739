// Frames as text: `type` first, then the fields in the order of the public engine; absent fields
// are left out, never null (a null `stacktrace` would blind Node workers, wire §2.6).
#pragma once

#include <string>
#include <string_view>

#include "bus/protocol/frame.h"

namespace iii::protocol {

// Appends the message that says `frame`.
void append(std::string& out, const Frame& frame);
void append(std::string& out, const InvocationResult& frame);

template <typename F>
std::string to_text(const F& frame) {
  std::string out;
  append(out, frame);
  return out;
}

// The members of `object` except kCallerKey, for an object that has been opened in `out`.
void append_without_caller(std::string& out, Json object);
// `data` with `_caller_worker_id` set to `worker_id`: put first in an object, the object's own
// bytes behind it; anything but an object passes untouched. `claims_caller` as found by the parser:
// then the sender's own key is removed.
void append_with_caller(std::string& out, Json data, std::string_view worker_id,
                        bool claims_caller);

// What only a target with `observe.v1` gets with a call (observers §2): the caller as the engine
// knows it, never as the sender wrote it.
struct CallContext {
  std::optional<Json> caller = {};
  uint64_t observe_depth = 0;
  std::optional<Json> activation = {};
};

// The call as its target sees it: known keys only, the payload's bytes spliced in.
void append_forwarded(std::string& out, const InvokeFunction& call, const Uuid& id,
                      std::string_view caller_worker_id, std::string_view traceparent,
                      std::string_view baggage, const CallContext& context = {});

// A message whose payload is not copied: it is `head`, `body`, `tail`, one behind the other.
struct SplitMessage {
  std::string head;
  Json body;  // a part of the payload that was given
  std::string tail;
  Json metadata = {};  // as it was given, if at all; behind it comes `end`
  std::string end = {};

  size_t size() const {
    return head.size() + body.size() + tail.size() + metadata.size() + end.size();
  }
};

// As append_forwarded(), for a payload that does not claim a caller.
SplitMessage split_forwarded(const InvokeFunction& call, const Uuid& id,
                             std::string_view caller_worker_id, std::string_view traceparent,
                             std::string_view baggage, const CallContext& context = {});
// As append(), for a binding or an answer.
SplitMessage split(const Frame& frame);

}  // namespace iii::protocol
