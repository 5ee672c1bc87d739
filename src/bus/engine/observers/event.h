// A finished call as observers see it (observers §6).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bus/engine/observers/observer.h"

namespace iii::engine {

// Kept with a forwarded call until its answer comes, when somebody observes the function.
struct ObservedCall {
  std::shared_ptr<Source> source;
  size_t bytes = 0;                     // of it that is kept
  std::shared_ptr<EventCharge> charge;  // of one of those who observe
  Uuid id;
  JsonText input;
  bool input_claims_caller = false;
  std::optional<JsonText> metadata;
  std::string caller;  // JSON text
  uint64_t depth = 0;
  std::string traceparent;
  std::string baggage;
  std::shared_ptr<size_t> cascade;
  int64_t started_at_ms = 0;
  std::chrono::steady_clock::time_point started;
};

using ObserverIds = std::set<std::string, std::less<>>;
// The different ids of a JSON array, as many as a function can have observers.
ObserverIds read_ids(std::string_view array);

struct ObservedEvent {
  // A filter does not look at a larger part: its value may take thirty times the memory.
  static constexpr size_t kMostFiltered = 1024 * 1024;

  FunctionKey source;
  std::string invocation_id;
  bool success = true;
  std::array<std::optional<JsonText>, filter::kPartCount> parts;
  int64_t started_at_ms = 0;
  double duration_ms = 0;
  uint64_t depth = 0;  // of the observed call
  std::string traceparent;
  std::string baggage;
  std::shared_ptr<size_t> cascade;
  // The ids of the observers that the host has selected, when it has: a JSON array.
  std::optional<std::string> matched_text;
  std::shared_ptr<EventCharge> charge;

  std::optional<JsonText>& part(filter::Part part) { return parts[static_cast<size_t>(part)]; }
  const std::optional<JsonText>& part(filter::Part part) const {
    return parts[static_cast<size_t>(part)];
  }
  size_t bytes() const;

  // Whether one of these parts (bits) is larger than filters look at.
  bool exceeds(uint8_t wanted_parts) const;
  // Takes `_caller_worker_id` out of input and output.
  void clean();
};

// What has to be read of an event to know for whom it is. Large: destroyed as soon as that is
// known.
class ObservedValues {
 public:
  // `event` outlives it. Of its parts those are read that filters look at.
  ObservedValues(const ObservedEvent& event, uint8_t wanted_parts);

  bool selects(std::string_view observer_id) const {
    return !matched_ || matched_->contains(observer_id);
  }
  bool matches(const filter::Filter& filter) const;

 private:
  std::optional<ObserverIds> matched_;  // nothing: all
  std::array<std::optional<json::Value>, filter::kPartCount> values_;
};

// The payload of an activation, JSON text. Touches nothing but its arguments.
JsonText activation_data(const ObservedEvent& event, const ObserverSpec& spec,
                         const std::string& activation_id);

// `caller` of a call as observers and observing hosts see it: `stated` without what is not known,
// with the id and the name of the connection that called.
std::string stamped_caller(std::optional<std::string_view> stated, std::string_view worker_id,
                           const std::optional<std::string>& worker_name);

// The object without its own `_caller_worker_id`; nothing when it has none.
std::optional<std::string> without_caller(std::string_view json);

}  // namespace iii::engine
