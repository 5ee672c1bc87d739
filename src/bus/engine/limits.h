// What one connection, and all of them together, may cost the engine. Every field is a `serve`
// option or documented in docs/configuration.md; crossing one is logged once per connection, not
// per frame.
#pragma once

#include <chrono>
#include <cstddef>

#include "bus/protocol/limits.h"

namespace iii::engine {

// What has to do with more bytes of JSON than this is done on the background thread.
inline constexpr size_t kInlineBytes = 64 * 1024;
// Payloads of this size and more are sent from where they are, if they can be shared; smaller ones
// are copied.
inline constexpr size_t kSharedBytes = 64 * 1024;

struct EngineLimits {
  // Larger messages are not sent: their sender gets an error.
  size_t max_message_bytes = protocol::kMaxMessageBytes;
  size_t max_calls_per_worker = 65'536;  // unanswered calls one connection may have made
  size_t max_call_bytes_per_worker =
      64 * 1024 * 1024;  // their ids and trace context, kept for the answer
  // Functions, bindings, trigger types and observers, 4 KiB each and their ids, schemas, metadata
  // and configs; the same for the bindings that are made by function in one namespace.
  size_t max_stored_bytes_per_worker = 64 * 1024 * 1024;
  // Events on their way to the bindings of one owner; more are dropped, for that owner only.
  size_t max_events_per_owner = 10'000;
  size_t max_event_bytes_per_owner = 64 * 1024 * 1024;
  // How many events may cause one another (a binding of `state` that calls `state::set`, say).
  size_t max_cascade_depth = 8;
  // Calls that events caused by events may make, all together, for one frame of a peer.
  size_t max_cascade_calls = 10'000;
  size_t max_buffered_bytes = 64 * 1024 * 1024;  // registrations that wait for the announce
  // Workers may run calls of their own functions without the engine, which then hears only what
  // observers want to know of them.
  bool local_dispatch = false;
  std::chrono::milliseconds registration_grace = protocol::kRegistrationGrace;
  std::chrono::milliseconds verdict_timeout = protocol::kVerdictTimeout;
  std::chrono::milliseconds functions_poll = protocol::kFunctionsPoll;
};

}  // namespace iii::engine
