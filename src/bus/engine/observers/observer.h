// One observer: what it asked for, and where it stands (observers §3).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/function_table.h"
#include "bus/engine/json_text.h"
#include "bus/engine/ledger.h"
#include "bus/engine/worker.h"
#include "bus/filter/filter.h"
#include "bus/protocol/frame.h"
#include "foundation/base/result.h"
#include "foundation/base/timers.h"

namespace iii::engine {

struct FunctionKey {
  std::string name_space;
  std::string id;

  auto operator<=>(const FunctionKey&) const = default;
};

enum class ObserverState : uint8_t { kPending, kActive, kSuspended, kError, kDisposed };
std::string_view state_name(ObserverState state);

enum class ObserveOn : uint8_t { kSuccess, kError, kComplete, kUnknown };
enum class Deliver : uint8_t { kEnvelope, kInput, kOutput };
std::string_view on_name(ObserveOn on);
std::string_view deliver_name(Deliver deliver);

// What an `observe` asks for. Never changes.
struct ObserverSpec {
  static constexpr size_t kMostSourceBytes = 64 * 1024;  // parsed on the loop, so it must be small
  static constexpr size_t kDefaultInFlight = 64;
  static constexpr size_t kMostInFlight = 1'000;

  std::string id;
  FunctionKey source;
  FunctionKey target;
  json::Value args = json::Object{};
  std::shared_ptr<const filter::Filter> filter;
  uint8_t capture = 0;  // filter::bit of each part
  ObserveOn on = ObserveOn::kSuccess;
  Deliver deliver = Deliver::kEnvelope;
  std::optional<JsonText> metadata;  // shared
  std::optional<uint64_t> max_fires;
  std::optional<uint64_t> expires_in_ms;
  uint64_t max_in_flight = kDefaultInFlight;
  bool legacy = false;                // made from a trigger binding (observers §8)
  std::string view;                   // what hosts are told, JSON text
  std::vector<std::string> warnings;  // about what it says and cannot be used

  // The errors are those of an `observeresult`.
  static Result<ObserverSpec> read(const protocol::Observe& frame);
  static ObserverSpec from_binding(const Binding& binding, FunctionKey source);

  bool wants(bool success) const {
    return on == ObserveOn::kComplete || on == (success ? ObserveOn::kSuccess : ObserveOn::kError);
  }
  bool captures(filter::Part part) const { return (capture & filter::bit(part)) != 0; }
  size_t stored_bytes() const;

 private:
  void write_view(const std::optional<std::string>& legacy_part = {});
};

struct Observer;
struct ObservedEvent;
using ObserverPtr = std::shared_ptr<Observer>;
using ObservedEventPtr = std::shared_ptr<ObservedEvent>;

// A function that is observed, or whose host observes. It outlives its host while it has observers.
struct Source {
  static constexpr size_t kMostObservers = 1'000;
  static constexpr size_t kMostViewBytes = 4 * 1024 * 1024;  // of all views: one message has them

  FunctionKey key;
  FunctionPtr function;    // null while it is not registered
  bool announced = false;  // the present host has been told the set, or need not be
  uint64_t revision = 0;
  std::map<OwnerId, std::map<std::string, ObserverPtr, std::less<>>> by_owner;
  size_t observers = 0;
  size_t active = 0;
  size_t view_bytes = 0;
  std::deque<ObservedEventPtr> waiting;  // for evaluation, in order
  bool evaluating = false;               // one of them is on the background thread

  Worker* host() const { return function != nullptr ? function->owner : nullptr; }
  bool host_observes() const { return host() != nullptr && host()->observes; }
};

struct Observer {
  static constexpr size_t kMostQueued = 1'000;

  explicit Observer(ObserverSpec its_spec) : spec(std::move(its_spec)) {}

  ObserverSpec spec;
  std::shared_ptr<Source> source;
  Worker* holder = nullptr;        // may be gone; `ledger` keeps it
  std::shared_ptr<Ledger> ledger;  // of the holder
  Charge charge;
  BindingPtr binding;  // that it is made from, if it is
  ObserverState state = ObserverState::kPending;
  std::optional<Error> reason;
  bool told = false;  // the holder's connection has had its `observeresult`
  bool was_active = false;
  bool listed = false;  // the host has been told of it
  bool acknowledged = false;
  uint64_t revision = 0;  // in which it was last announced
  TimerId ack_timer = 0;
  TimerId expiry_timer = 0;

  uint64_t fires = 0;
  size_t in_flight = 0;
  struct Queued {
    ObservedEventPtr event;
    std::shared_ptr<EventCharge> charge;
  };
  std::deque<Queued> queue;
  bool composing = false;         // the payload of an activation is being written
  bool waiting_for_room = false;  // until the target's connection has read
  std::map<std::string, uint64_t, std::less<>> dropped;  // by code

  bool final() const { return state == ObserverState::kError || state == ObserverState::kDisposed; }
  void drop(std::string_view code);
};

}  // namespace iii::engine
