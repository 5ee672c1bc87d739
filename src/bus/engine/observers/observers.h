// All observers, and the functions that they observe (docs/architecture.md, Observers).
//
// life.cpp: observe, unobserve, acknowledgements, states. hosts.cpp: functions and connections that
// come and go. activations.cpp: from a finished call to the calls of targets. reports.cpp: what
// hosts report themselves. Nothing here calls anybody before it returns.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/large_frame.h"
#include "bus/engine/observers/event.h"
#include "bus/engine/observers/observer.h"
#include "bus/protocol/frame.h"

namespace iii::engine {

class Engine;
struct ObservedReport;
struct ReportItem;

class Observers {
 public:
  static constexpr std::string_view kObserversChanged = "engine::on-observers-changed";
  static constexpr uint64_t kMaxDepth = 8;  // of an activation
  static constexpr std::chrono::seconds kAckTimeout{30};
  static constexpr std::chrono::seconds kGrace{30};  // for a holder that has left

  explicit Observers(Engine& engine) : engine_(engine) {}
  ~Observers();
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  // From frames of connections that observe.
  void observe(Worker& holder, const protocol::Observe& frame);
  void unobserve(const Worker& holder, const protocol::Unobserve& frame);
  void acknowledged(const Worker& host, const protocol::ObserverAck& frame);
  void reported(Worker& host, const protocol::InvocationsObserved& frame, const LargeFrame* large);

  // What has happened to functions and connections.
  void registered(const FunctionPtr& function);
  void unregistered(const FunctionPtr& function);
  // The connection has named its features after some functions were registered.
  void host_observes(Worker& host);
  void left(Worker& worker);
  void reattached(const Uuid& previous, const Uuid& token, Worker& worker);

  // A trigger binding, for which a function may stand in (observers §8).
  void binding_changed(std::string_view id);

  // What is kept of a call that is about to be forwarded; null when nobody can pay for it.
  std::shared_ptr<ObservedCall> begin(const Function& function, size_t bytes);
  // The host has answered; the answer has been forwarded.
  void finished(const std::shared_ptr<ObservedCall>& call, const Worker& host,
                const protocol::InvocationResult& result, const LargeFrame* large);

  // Events of the engine itself (observers §7.2).
  bool is_observed(std::string_view event_source) const;
  void happened(std::string_view event_source, JsonText event, const Cause& cause);

  // A call through an observer (observers §6.4).
  struct Through {
    FunctionPtr target;
    std::optional<JsonText> metadata;
    std::string activation;  // JSON text
    std::shared_ptr<void> place;
  };
  Result<Through> call_through(const Worker& host, const protocol::InvokeFunction& call);

  const Observer* find(std::string_view id) const;
  size_t size() const { return observers_.size(); }

 private:
  struct Orphans {
    Uuid worker;
    Uuid token;
    std::vector<std::weak_ptr<Observer>> observers;
    TimerId timer = 0;
  };
  struct KnownSchemas {
    std::weak_ptr<const Function> function;
    std::optional<json::Value> request;
    std::optional<json::Value> response;
  };
  using Group = std::vector<ObserverPtr>;
  // Somebody whom an event may be for.
  struct Candidate {
    ObserverPtr observer;
    std::shared_ptr<const filter::Filter> filter = {};  // null: it wants all
    std::string id = {};                                // of the observer, when the host selects
    bool chosen = true;
  };
  using Audience = std::vector<std::pair<OwnerId, std::vector<Candidate>>>;

  // life.cpp
  void refuse(Worker& holder, std::string_view id, const Error& error);
  Result<std::vector<std::string>> check(const Worker& holder, const ObserverSpec& spec);
  Result<std::vector<std::string>> fits(const ObserverSpec& spec, const FunctionPtr& source);
  const KnownSchemas& schemas_of(const FunctionPtr& source);
  Result<void> room_for(const Worker& holder, const ObserverSpec& spec) const;
  Result<ObserverPtr> add(Worker& holder, ObserverSpec spec);
  void replay(Worker& holder, const ObserverPtr& observer, ObserverSpec spec,
              const std::vector<std::string>& warnings);
  Result<void> take_over(Worker& holder, const ObserverPtr& observer, const ObserverSpec& spec);
  void refuse_repeated(Worker& holder, const ObserverPtr& known, std::string_view id,
                       const Error& error);
  void end_untold(const ObserverPtr& observer, Error reason);
  void answer(Observer& observer, const std::vector<std::string>& warnings);
  void announce(Observer& observer);
  void expect_ack(Observer& observer);
  void start_timers(Observer& observer);
  void set_state(Observer& observer, ObserverState state, std::optional<Error> reason);
  void publish_state(const Observer& observer);
  std::pair<ObserverState, std::optional<Error>> state_of(const Observer& observer) const;
  void settle(Observer& observer);
  void reject(Observer& observer, Error error);
  void dispose(const ObserverPtr& observer, Error reason);
  void remove(const ObserverPtr& observer);
  static bool adopt(Worker& holder, const ObserverPtr& observer, size_t bytes);
  static void leave_holder(Observer& observer);
  void cancel(TimerId& timer);

  // hosts.cpp
  std::shared_ptr<Source> source_of(const FunctionKey& key);
  static void detach(Source& source);
  void forget_unused(const std::shared_ptr<Source>& source);
  static Group all_of(const Source& source);
  void introduce(const std::shared_ptr<Source>& source);
  void announce_set(Source& source);
  void targets_changed(const FunctionKey& key);
  void in_steps(
      OwnerId owner, Group group, std::function<void(const ObserverPtr&)> action,
      std::function<void()> then = [] {});
  void end_orphans(const Uuid& worker);
  void forget_orphans(const Uuid& worker);
  void stand_in(const FunctionPtr& function);
  void end_earlier_stand_in(const Function& function);
  std::optional<std::string> forget_stand_in(const FunctionKey& key);
  const FunctionKey* stand_in_for(const Binding& binding) const;

  // activations.cpp
  static ObservedEventPtr event_of(ObservedCall& call);
  void take(const std::shared_ptr<Source>& source, ObservedEventPtr event);
  void advance(const std::shared_ptr<Source>& source);
  static void choose(ObservedEvent& event, Audience& audience);
  void hand_out(const ObservedEventPtr& event, Audience& audience);
  static std::shared_ptr<EventCharge> charge_anybody(const Source& source, size_t bytes);
  static void lose(const Source& source);
  void fire(Observer& observer, const ObservedEventPtr& event,
            const std::shared_ptr<EventCharge>& charge);
  void drain(const ObserverPtr& observer);
  bool has_room(const ObserverPtr& observer);
  void start(const ObserverPtr& observer, const ObservedEvent& event, JsonText data,
             const std::string& activation_id);
  std::shared_ptr<void> take_place(const ObserverPtr& observer);
  void fired(const ObserverPtr& observer);
  void end_after_fires(const ObserverPtr& observer);

  // reports.cpp
  void read_on(const std::shared_ptr<ObservedReport>& report);
  void deliver(const std::shared_ptr<ObservedReport>& report, std::vector<ReportItem> items);
  bool deliver(const Worker& host, ReportItem& item, size_t& left);

  Engine& engine_;
  std::map<std::string, ObserverPtr, std::less<>> observers_;
  std::map<FunctionKey, std::shared_ptr<Source>> sources_;
  std::map<FunctionKey, std::set<ObserverPtr>> targets_;
  std::map<std::string, std::set<FunctionKey>, std::less<>> stand_ins_;  // by trigger type
  std::map<FunctionKey, std::string> stood_in_for_;                      // the same by function
  std::vector<Orphans> orphans_;
  std::deque<KnownSchemas> known_schemas_;  // those used last
};

}  // namespace iii::engine
