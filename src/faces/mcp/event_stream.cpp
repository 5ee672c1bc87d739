#include "faces/mcp/event_stream.h"

#include <charconv>

namespace iii::mcp {

namespace {

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

std::string event_text(std::string_view message, std::string_view id) {
  return net::stream_event("message", message, id);
}

std::string priming_event(std::string_view id) { return "id: " + std::string(id) + "\ndata:\n\n"; }

std::string EventId::text() const { return std::to_string(stream) + "-" + std::to_string(number); }

std::optional<EventId> EventId::parse(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<uint64_t> stream = number_of(text.substr(0, dash));
  const std::optional<uint64_t> number = number_of(text.substr(dash + 1));
  if (!stream || !number) return std::nullopt;
  return EventId{*stream, *number};
}

EventId EventLog::add(uint64_t stream, std::string_view message) {
  const EventId id = next(stream);
  events_.push_back({id, std::string(message)});
  bytes_ += message.size();
  while (events_.size() > max_events_ || (bytes_ > max_bytes_ && !events_.empty())) {
    bytes_ -= events_.front().message.size();
    forgotten_ = events_.front().id.number;
    events_.pop_front();
  }
  return id;
}

void EventLog::clear() {
  events_ = {};
  bytes_ = 0;
  forgotten_ = last_;
}

std::optional<std::vector<std::string>> EventLog::after(const EventId& id) const {
  if (id.number < forgotten_ || id.number > last_) return std::nullopt;
  std::vector<std::string> out;
  for (const Event& event : events_) {
    if (event.id.stream == id.stream && event.id.number > id.number) {
      out.push_back(event_text(event.message, event.id.text()));
    }
  }
  return out;
}

}  // namespace iii::mcp
