// The bindings of one of the engine's own trigger types, and the way of its events to them.
//
// publish() calls nobody. Slices hand an event to every owner that has bindings here, and then walk
// that owner's bindings in the order in which they were made. So a binding hears its events in
// order, no owner waits for another, and an owner whose targets are slow pays for what waits (the
// `events` of its ledger). A binding that cannot be served at once, because its
// condition function has not answered or because its target has much to read, is skipped and comes
// back by itself; the other bindings of its owner do not wait for it.
//
// Nothing is kept of an event once it was sent: a target that never answers costs nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/ledger.h"
#include "foundation/base/log.h"
#include "foundation/base/timers.h"

namespace iii::engine {

// Which events a binding wants, read from its config.
struct Subscription {
  // For each subject of an event the words that are wanted; nothing: all of them.
  std::vector<std::optional<std::vector<std::string>>> wanted;
  // Asked before every delivery: an error or boolean `false` skips it, anything else lets it pass.
  std::optional<std::string> condition_function_id;

  bool wants(const std::vector<std::string>& subjects) const;
};

struct Event {
  std::vector<std::string> subjects;  // what Subscription::wanted is compared with
  size_t bytes = 0;                   // of the payload, roughly
  // Writes the payload, JSON text. A large one is written on another thread: it may only touch what
  // it owns.
  std::move_only_function<std::string()> write;
  Cause cause = {};
  bool snapshot = false;  // a newer event replaces this one where it still waits
};

class Subscriptions final : public TriggerProvider {
 public:
  // A condition that has not answered for so long is taken for an error.
  static constexpr std::chrono::seconds kConditionTimeout{10};
  // Calls to the engine's own functions that one owner's events may have running at a time, so that
  // they cannot fill the store's queue.
  static constexpr size_t kMostRunning = 16;
  // The config of a binding is parsed on the loop, so it must be small.
  static constexpr size_t kMostConfigBytes = 64 * 1024;

  using ReadConfig = std::function<Result<Subscription>(const std::string& config)>;

  // `type` is for log lines. Without `read_config` any config is accepted and all events are
  // wanted.
  Subscriptions(Bus& bus, std::string type, ReadConfig read_config = nullptr);
  ~Subscriptions() override;
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  Result<void> bind(BindingPtr binding, std::shared_ptr<Ledger> ledger) override;
  void unbind(const Binding& binding) override;
  void forget(OwnerId owner) override;
  uint64_t fired() const override { return fired_; }

  // The function through which observers get the same events (observers §7.2).
  BuiltinFunction source(std::string owner, std::string id, std::string description);

  // True when an event would reach nobody, so that it need not be put together.
  bool empty() const { return owners_.empty() && !is_observed(); }
  void publish(Event event);

 private:
  bool is_observed() const { return !source_.empty() && bus_.is_observed(source_); }

  // An event that was published.
  struct Published {
    uint64_t number = 0;  // bindings with a larger one were made later and do not get it
    std::vector<std::string> subjects;
    std::shared_ptr<const std::string> payload;  // null while it is being written
    Cause cause;
    bool snapshot = false;
  };
  using PublishedPtr = std::shared_ptr<Published>;
  struct Waiting {
    PublishedPtr event;
    std::shared_ptr<EventCharge> charge;      // for the event, shared by all bindings of the owner
    std::shared_ptr<EventCharge> extra = {};  // for its place in the queue of one binding
    bool passed = false;                      // the condition has let it through
  };
  struct Subscriber {
    BindingPtr binding;
    Subscription subscription;
    std::deque<Waiting> queue;  // held back
    bool busy = false;          // an answer, room, or a slice will bring it on
    uint64_t question = 0;      // the condition call that is waited for
    TimerId timer = 0;          // until it is given up
  };
  struct Owner {
    std::shared_ptr<Ledger> ledger;
    std::map<uint64_t, Subscriber> subscribers;            // in the order of binding
    std::map<std::string, uint64_t, std::less<>> numbers;  // by id
    std::deque<Waiting> queue;
    uint64_t walked = 0;          // the last subscriber that the front of the queue was offered to
    size_t running = 0;           // calls to the engine's own functions
    std::deque<uint64_t> paused;  // subscribers that wait until fewer of them run
    bool scheduled = false;       // a slice will walk on
    LogOnce dropped;
  };
  // A subscriber as callbacks know it: it may be gone when they come.
  struct Who {
    OwnerId owner;
    uint64_t number;
  };

  bool within_cascade(Cause& cause);
  void hand_out_soon();
  bool hand_out();
  void give(OwnerId id, Owner& owner, const PublishedPtr& event);
  void walk_soon(OwnerId id, Owner& owner);
  void walk(OwnerId id);
  // Bytes that were sent.
  size_t offer(Who who, Owner& owner, Subscriber& subscriber, const Waiting& waiting);
  size_t serve(Who who, Owner& owner, Subscriber& subscriber);
  void serve_soon(Who who);
  void serve_queue(Who who);
  void ask(Who who, Owner& owner, Subscriber& subscriber);
  void answered(Who who, uint64_t question, bool passes);
  size_t send(Owner& owner, const Subscriber& subscriber, const Published& event);
  using Answered = std::function<void(Subscriptions&, const Outcome&)>;
  void call(Owner& owner, const Binding& binding, const std::string& function_id,
            const Published& event, Answered answered, std::optional<JsonText> metadata = {});
  void ran(OwnerId id);
  void wake(OwnerId id, Owner& owner);
  void cancel(Subscriber& subscriber);
  Subscriber* find(Who who);

  template <typename Action>
  auto guarded(Action action);

  Bus& bus_;
  const std::string type_;
  std::string source_;  // empty: observers do not get these events
  ReadConfig read_config_;
  std::map<OwnerId, Owner> owners_;
  std::deque<PublishedPtr> published_;  // not handed to all owners yet
  size_t published_bytes_ = 0;
  std::optional<OwnerId> handed_to_;  // the last owner that got the front of `published_`
  bool handing_out_ = false;
  uint64_t last_number_ = 0;
  uint64_t fired_ = 0;
  LogOnce overflow_;
  LogOnce too_deep_;
  LogOnce too_many_;
  std::shared_ptr<Subscriptions*> alive_;
};

}  // namespace iii::engine
