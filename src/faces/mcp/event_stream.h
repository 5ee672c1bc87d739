// Server-sent events, and a bounded memory of those that a client may ask for again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/server_sent_events.h"

namespace iii::mcp {

// One `data:` line: JSON text has no line breaks. `id` may be empty.
std::string event_text(std::string_view message, std::string_view id = {});
// An event without data: it only tells the client its position.
std::string priming_event(std::string_view id);

// `<stream>-<number>`.
struct EventId {
  uint64_t stream = 0;
  uint64_t number = 0;

  std::string text() const;
  static std::optional<EventId> parse(std::string_view text);
};

// The last events of all streams of one session.
class EventLog {
 public:
  EventLog(size_t max_events, size_t max_bytes) : max_events_(max_events), max_bytes_(max_bytes) {}

  EventId add(uint64_t stream, std::string_view message);
  EventId next(uint64_t stream) { return {stream, ++last_}; }
  // Messages of that stream after the event. Nothing when the log does not reach back to it.
  std::optional<std::vector<std::string>> after(const EventId& id) const;
  // What the events take in memory.
  size_t bytes() const { return bytes_ + events_.size() * sizeof(Event); }
  void clear();

 private:
  struct Event {
    EventId id;
    std::string message;
  };

  const size_t max_events_;
  const size_t max_bytes_;
  std::deque<Event> events_;
  size_t bytes_ = 0;
  uint64_t last_ = 0;
  uint64_t forgotten_ = 0;  // the newest event that was thrown away
};

}  // namespace iii::mcp
