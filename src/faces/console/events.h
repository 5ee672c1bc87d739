// GET /console/events: what happens, told to every page that is open.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bus/net/client_shares.h"
#include "bus/net/http_message.h"
#include "directory/library/change_hub.h"
#include "foundation/base/timers.h"

namespace iii::console {

struct EventLimits {
  size_t max_streams = 128;  // that addresses share as net::Places says
  // Browsers open six connections to one host (HTTP/1.1): two are left for calls.
  size_t max_streams_per_client = 4;
  // The reader of a stream for which more waits is dropped; it comes back and asks for the rest.
  size_t max_queued_bytes = 256 * 1024;
  // Change events that a page which comes back can be told again.
  size_t replay_events = 1'000;
  size_t replay_bytes = 1024 * 1024;
  size_t max_ids = 100;  // named in one event
  std::chrono::milliseconds beat{1'000};
  size_t beats_per_comment = 15;
};

// Where a page stopped reading: `<epoch>/<generation>`.
struct Position {
  std::string epoch;
  uint64_t generation = 0;

  std::string text() const { return epoch + "/" + std::to_string(generation); }
  static std::optional<Position> parse(std::string_view text);
};

// The last change events, for those who come back.
class ChangeReplay {
 public:
  ChangeReplay(size_t max_events, size_t max_bytes)
      : max_events_(max_events), max_bytes_(max_bytes) {}

  void add(uint64_t generation, std::string event);
  // The events after that generation as one text; nothing when some of them are forgotten.
  std::optional<std::string> after(uint64_t generation) const;

 private:
  struct Event {
    uint64_t generation;
    std::string text;
  };

  const size_t max_events_;
  const size_t max_bytes_;
  std::deque<Event> events_;
  size_t bytes_ = 0;
  uint64_t forgotten_ = 0;  // events of this generation and before may be missing
};

// The events that tell what a snapshot changed: one for each cause. The position is on the last.
std::string change_events(const directory::ChangeSet& set, const Position& position,
                          std::string_view at, size_t max_ids);

// On the loop thread.
class Events {
 public:
  using ResponsePtr = std::shared_ptr<net::HttpResponse>;

  // What the owner adds.
  struct Source {
    // A beat, while anybody listens; it may tell something.
    std::function<void()> beat = {};
    // Somebody listens now; nobody did before.
    std::function<void()> begin = {};
    // Whether a client may still listen; asked from time to time.
    std::function<bool(const std::string& client)> may_stay = {};
  };

  Events(Timers& timers, Position now, Source source, EventLimits limits = {});
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // `client` is whose streams are counted together. `hello` are further members of that event.
  void open(const net::HttpRequest& request, const ResponsePtr& response, std::string client,
            std::string_view hello = {});
  void changed(const directory::ChangeSet& set);
  // `data` is JSON text.
  void tell(std::string_view name, std::string_view data);
  // Ends the streams of a client.
  void drop(std::string_view client);
  void shut_down();

  bool anybody_listens() const { return !streams_.empty(); }
  size_t streams() const { return streams_.size(); }

 private:
  void send(std::string_view text);
  void beat();

  Timers& timers_;
  const EventLimits limits_;
  const Source source_;
  Position now_;
  ChangeReplay replay_;
  struct Stream {
    std::string client;
    net::Places::Place place;
  };
  net::Places places_;
  std::map<ResponsePtr, Stream> streams_;
  size_t beats_ = 0;
  TimerId timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace iii::console
