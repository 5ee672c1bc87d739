#include "faces/console/events.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "bus/net/server_sent_events.h"
#include "directory/content/types.h"
#include "foundation/json/write.h"

namespace iii::console {

namespace {

using directory::Change;
using directory::ChangeKind;
using directory::ChangeOp;

constexpr int64_t kNanosPerMillisecond = 1'000'000;

// What one event tells: the changes of one cause.
struct Group {
  ChangeOp op = ChangeOp::kExternal;
  std::string_view source = "disk";
  std::vector<const Change*> named = {};
  size_t count = 0;
};

std::vector<Group> groups_of(const std::vector<Change>& changes, size_t max_ids) {
  std::vector<Group> out;
  for (const Change& change : changes) {
    auto group = std::ranges::find_if(out, [&](const Group& each) {
      return each.op == change.op && each.source == change.source;
    });
    if (group == out.end()) group = out.insert(out.end(), {change.op, change.source});
    if (group->named.size() < max_ids) group->named.push_back(&change);
    ++group->count;
  }
  // Only findings or counts are different.
  if (out.empty()) out.emplace_back();
  return out;
}

std::string data_of(const Group& group, uint64_t generation, std::string_view at) {
  json::Array changes;
  for (const Change* change : group.named) {
    changes.emplace_back(
        json::Object{{"change", word(change->act)},
                     {"kind", change->kind == ChangeKind::kSkill ? "skill" : "prompt"},
                     {"id", change->id}});
  }
  return json::to_text(json::Object{{"generation", generation},
                                    {"at", at},
                                    {"op", word(group.op)},
                                    {"source", group.source},
                                    {"more", uint64_t{group.count - group.named.size()}},
                                    {"changes", std::move(changes)}});
}

}  // namespace

std::optional<Position> Position::parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  Position out{.epoch = std::string(text.substr(0, slash))};
  const std::string_view digits = text.substr(slash + 1);
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, out.generation);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return out;
}

void ChangeReplay::add(uint64_t generation, std::string event) {
  bytes_ += event.size();
  events_.push_back({generation, std::move(event)});
  while (events_.size() > max_events_ || (bytes_ > max_bytes_ && !events_.empty())) {
    bytes_ -= events_.front().text.size();
    forgotten_ = events_.front().generation;
    events_.pop_front();
  }
}

std::optional<std::string> ChangeReplay::after(uint64_t generation) const {
  if (generation < forgotten_) return std::nullopt;
  std::string out;
  for (const Event& event : events_) {
    if (event.generation > generation) out += event.text;
  }
  return out;
}

std::string change_events(const directory::ChangeSet& set, const Position& position,
                          std::string_view at, size_t max_ids) {
  const std::vector<Group> groups = groups_of(*set.changes, max_ids);
  std::string out;
  for (const Group& group : groups) {
    const bool last = &group == &groups.back();
    out += net::stream_event("change", data_of(group, position.generation, at),
                             last ? position.text() : std::string());
  }
  return out;
}

Events::Events(Timers& timers, Position now, Source source, EventLimits limits)
    : timers_(timers),
      limits_(limits),
      source_(std::move(source)),
      now_(std::move(now)),
      replay_(limits.replay_events, limits.replay_bytes),
      places_(limits.max_streams) {}

Events::~Events() { timers_.cancel(timer_); }

void Events::open(const net::HttpRequest& request, const ResponsePtr& response, std::string client,
                  std::string_view hello) {
  const auto of_client = [&](const auto& stream) { return stream.second.client == client; };
  net::Places::Place place;
  if (static_cast<size_t>(std::ranges::count_if(streams_, of_client)) <
      limits_.max_streams_per_client) {
    place = places_.take(net::client_of_address(request.peer));
  }
  if (!place) {
    net::HttpAnswer refusal = net::flat_error(
        429, "too_many_streams",
        "Too many pages listen already. Next: close one, or leave pages in the background.");
    refusal.headers.push_back({"Retry-After", "30"});
    return response->send(std::move(refusal));
  }
  Position from = now_;
  std::string missed;
  if (const std::string* last = request.header("Last-Event-ID")) {
    const std::optional<Position> known = Position::parse(*last);
    std::optional<std::string> events;
    if (known && known->epoch == now_.epoch && known->generation <= now_.generation) {
      events = replay_.after(known->generation);
    }
    if (events) from = *known;
    missed = events ? *events : net::stream_event("truncated", "{}");
  }
  std::string data =
      "{\"epoch\":\"" + now_.epoch + "\",\"generation\":" + std::to_string(now_.generation);
  if (!hello.empty()) data.append(",").append(hello);
  response->begin_stream(200, net::event_stream_headers());
  // With the position that was known, until what was missed has been read as well.
  response->write(net::stream_event("hello", data + "}", from.text()));
  if (!missed.empty()) response->write(missed);
  if (!response->is_open()) return;
  const bool first = streams_.empty();
  streams_.emplace(response, Stream{std::move(client), std::move(place)});
  response->on_closed([this, alive = std::weak_ptr(alive_), weak = std::weak_ptr(response)] {
    if (!alive.expired()) streams_.erase(weak.lock());
  });
  if (!first) return;
  if (source_.begin) source_.begin();
  if (timer_ == 0) timer_ = timers_.after(limits_.beat, [this] { beat(); });
}

void Events::changed(const directory::ChangeSet& set) {
  if (set.after->number == now_.generation) return;  // files that are not documents
  now_.generation = set.after->number;
  const std::string at = content::format_time(timers_.wall_ms() * kNanosPerMillisecond);
  std::string events = change_events(set, now_, at, limits_.max_ids);
  send(events);
  replay_.add(now_.generation, std::move(events));
}

void Events::tell(std::string_view name, std::string_view data) {
  if (anybody_listens()) send(net::stream_event(name, data));
}

void Events::send(std::string_view text) {
  for (auto stream = streams_.begin(); stream != streams_.end();) {
    const ResponsePtr response = stream->first;
    if (response->is_open()) response->write(text);
    const bool slow = response->queued_bytes() > limits_.max_queued_bytes;
    if (slow) response->end();
    stream = slow || !response->is_open() ? streams_.erase(stream) : std::next(stream);
  }
}

void Events::drop(std::string_view client) {
  std::erase_if(streams_, [&](const auto& stream) {
    if (stream.second.client != client) return false;
    stream.first->end();
    return true;
  });
}

void Events::shut_down() {
  for (const auto& [response, stream] : std::exchange(streams_, {})) response->end();
}

void Events::beat() {
  timer_ = 0;
  if (!anybody_listens()) return;
  timer_ = timers_.after(limits_.beat, [this] { beat(); });
  if (source_.beat) source_.beat();
  if (++beats_ % limits_.beats_per_comment != 0) return;
  send(net::kStreamComment);
  if (!source_.may_stay) return;
  std::erase_if(streams_, [&](const auto& stream) {
    if (source_.may_stay(stream.second.client)) return false;
    stream.first->end();
    return true;
  });
}

}  // namespace iii::console
