// The bus: connections in, frames in, frames out. No sockets: whoever owns them calls connected(),
// received() and disconnected(), and gives a Link to answer through.
//
// Everything here runs on one thread. Time, ids and sockets come in from outside, so tests drive it
// with plain calls.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bus/engine/background.h"
#include "bus/engine/builtin.h"
#include "bus/engine/call_stats.h"
#include "bus/engine/function_table.h"
#include "bus/engine/large_frame.h"
#include "bus/engine/limits.h"
#include "bus/engine/observers/observers.h"
#include "bus/engine/owner.h"
#include "bus/engine/scratch.h"
#include "bus/engine/slices.h"
#include "bus/engine/trigger_table.h"
#include "bus/engine/worker.h"
#include "bus/protocol/parser.h"
#include "bus/protocol/writer.h"
#include "foundation/base/log.h"
#include "foundation/base/result.h"
#include "foundation/base/timers.h"
#include "foundation/base/uuid.h"

namespace iii::engine {

// Hears what happens to workers; used by the trigger types about workers.
class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;
  // `event`: worker_connected, worker_metadata_updated, worker_disconnected. `first_announce` marks
  // the moment a worker has announced its name.
  virtual void on_worker(std::string_view event, const Worker& worker, bool first_announce) = 0;
};

// Features of the protocol that a worker has named (observers §1).
struct Features {
  bool observe_v1 = false;
  bool observe_v2 = false;
  bool local_dispatch = false;
};

// What a worker says of itself; absent fields keep what was known (except runtime and version).
struct Announcement {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> version;
  std::optional<std::string> runtime;
  std::optional<std::string> os;
  std::optional<std::string> isolation;
  std::optional<uint32_t> pid;
  std::optional<std::string> name_space;
  Features features = {};
};

class Engine final : public Bus {
 public:
  // All of them outlive the engine.
  Engine(Timers& timers, IdSource& ids, Background& background, EngineLimits limits);
  ~Engine() override;

  // Before the first connection. The engine keeps copies; ids added here cannot be taken over by
  // workers.
  void add(BuiltinFunction function);
  void add(BuiltinTriggerType type);
  void listen(WorkerEvents& events) { listeners_.push_back(&events); }

  // A new connection: greets it. The Worker is valid until disconnected() or Link::ended().
  Worker& connected(Link& link, std::string ip);
  // One message, with ws::kPadding readable bytes behind it. The worker may be gone afterwards.
  // `at`: the time, for those who have looked already.
  void received(Worker& worker, std::string_view frame, SteadyTime at);
  void received(Worker& worker, std::string_view frame) { received(worker, frame, timers_.now()); }
  // The same for a large one: parsed on another thread, while the link is paused.
  void received(Worker& worker, SharedBytes frame);
  // The connection has taken everything that was sent to it, after more than it could take at once.
  void drained(const Worker& worker);
  void disconnected(Worker& worker);

  void call(OutgoingCall call, Reply reply) override;
  bool accepts(std::string_view name_space, std::string_view function_id) const override;
  void when_accepts(OwnerId owner, std::string name_space, std::string function_id,
                    std::move_only_function<void()> action) override;
  bool is_builtin(std::string_view name_space, std::string_view function_id) const override;
  bool is_observed(std::string_view event_source) const override {
    return observers_.is_observed(event_source);
  }
  void happened(std::string_view event_source, JsonText event, const Cause& cause) override {
    observers_.happened(event_source, std::move(event), cause);
  }
  Slices& slices() override { return slices_; }
  Background& background() override { return background_; }

  // `engine::workers::register`. No reply comes when the connection is refused and ended; events
  // about the announcement follow the reply.
  void announce(const Uuid& worker_id, Announcement said, Reply reply);

  const FunctionTable& functions() const { return functions_; }
  const std::deque<BuiltinFunction>& builtin_functions() const { return builtin_functions_; }
  const std::deque<BuiltinTriggerType>& builtin_types() const { return builtin_types_; }
  TriggerTable& triggers() { return triggers_; }
  const TriggerTable& triggers() const { return triggers_; }
  const Observers& observers() const { return observers_; }
  const std::map<Uuid, std::shared_ptr<Worker>>& workers() const { return workers_; }
  Worker* worker(const Uuid& id) const;
  Timers& timers() override { return timers_; }
  IdSource& ids() { return ids_; }
  OwnerIds& owners() { return owners_; }
  const EngineLimits& limits() const override { return limits_; }
  CallStats& calls() { return stats_; }
  // Others are going to be told the id of this call, or the ids in this `caller` of a call: of
  // those that are running, only the callees can be believed from now on.
  void guard(const Uuid& call);
  void guard_named(std::string_view caller);
  // The connection that registered the function has named its features only now.
  void features_known(const FunctionPtr& function);
  // Calls that are not answered yet.
  size_t in_flight() const { return pending_.size() + size_t(owed_.use_count() - 1); }

 private:
  // An answer that the engine itself owes to a connection, which is counted as waiting until then.
  struct OwedAnswer {
    std::shared_ptr<Worker> caller;
    Charge charge;  // of the caller
    Uuid id;
    std::string function_id;
    std::shared_ptr<CallRecord> record;
    SteadyTime started;
    std::shared_ptr<void> owed;  // as many as there are hold it
    std::optional<std::string> traceparent;
    std::optional<std::string> baggage;
  };
  // A call as its target gets it.
  struct ForwardedCall {
    const protocol::InvokeFunction& call;
    const Uuid& id;
    std::string_view caller_worker_id = {};
    std::string_view traceparent;
    std::string_view baggage;
    protocol::CallContext context;
    // They keep the data and the metadata alive; null: they are copied.
    std::shared_ptr<const void> data_owner = {};
    std::shared_ptr<const void> metadata_owner = {};
  };
  enum class Delivery { kSent, kTooLarge, kNoRoom };
  // Somebody who waits until a connection has read what was sent to it.
  struct WaitsForRoom {
    OwnerId owner;
    std::move_only_function<void()> action;
  };

  void handle(Worker& worker, const protocol::Frame& frame, std::string_view text,
              LargeFramePtr large);
  static void drop_frame(Worker& worker, const Error& why);
  void refuse_long_name(Worker& worker, const protocol::Frame& frame);
  void handle_registration(Worker& worker, const protocol::Frame& frame, const LargeFrame* large);
  void handle_observing(Worker& worker, const protocol::Frame& frame, const LargeFrame* large);

  // calls.cpp. `large` is where the texts of a frame live, when they can be shared.
  void invoke(Worker& caller, const protocol::InvokeFunction& call, const LargeFrame* large);
  void invoke_builtin(Worker& caller, const protocol::InvokeFunction& call, const Function& target,
                      const LargeFrame* large);
  void forward(Worker& caller, const protocol::InvokeFunction& call, const FunctionPtr& target,
               const LargeFrame* large, Observers::Through* through = nullptr);
  std::shared_ptr<ObservedCall> observed(const Worker& caller, const protocol::InvokeFunction& call,
                                         const Uuid& id, const Function& target,
                                         const LargeFrame* large);
  void invoke_through(Worker& caller, const protocol::InvokeFunction& call,
                      const LargeFrame* large);
  void enqueue(Worker& caller, const protocol::InvokeFunction& call, const LargeFrame* large);
  void answered(const Worker& from, const protocol::InvocationResult& result,
                const LargeFrame* large);
  OwedAnswer owe(Worker& caller, const protocol::InvokeFunction& call, Charge charge,
                 std::shared_ptr<CallRecord> record) const;
  Charge admit(Worker& caller, const protocol::InvokeFunction& call);
  void answer_error(Worker& caller, const protocol::InvokeFunction& call, const Error& error,
                    const std::shared_ptr<CallRecord>& record = nullptr);
  void pay(OwedAnswer& waiting, Outcome outcome);
  using PendingCalls = boost::unordered_flat_map<Uuid, std::unique_ptr<PendingCall>, UuidHash>;
  std::unique_ptr<PendingCall> take_pending(const Uuid& id);
  std::unique_ptr<PendingCall> take_pending(PendingCalls::iterator call);
  // False, and nothing is changed: a call of somebody else that is guarded has this id.
  bool add_pending(std::unique_ptr<PendingCall> call);
  void finish(PendingCall& call, const protocol::InvocationResult& outcome, const LargeFrame* large,
              SteadyTime now);
  Error not_found(std::string_view name_space, std::string_view id) const;
  Delivery admits(const Worker& receiver, size_t bytes) const;
  std::optional<Error> send_call(Worker& callee, const ForwardedCall& sent);
  Delivery send_written(Worker& receiver);
  // The owners keep the body and the metadata alive.
  Delivery send_split(Worker& receiver, const protocol::SplitMessage& message,
                      const std::shared_ptr<const void>& owner,
                      const std::shared_ptr<const void>& metadata_owner = nullptr);
  void send_answer(Worker& caller, protocol::InvocationResult& answer,
                   const std::shared_ptr<const void>& owner);
  Error refusal(Delivery delivery, size_t bytes, const Worker& receiver) const;

  // own_calls.cpp
  void run_own(OutgoingCall& call, Reply& reply);
  void send_own(OutgoingCall& call, Reply reply, const FunctionPtr& target);
  std::shared_ptr<ObservedCall> observed_own(OutgoingCall& call, const Uuid& id,
                                             const Function& target);
  void finish_own(PendingCall& call, const protocol::InvocationResult& outcome,
                  const LargeFrame* large);
  void run_soon(WaitsForRoom& waits);

  // registration.cpp
  void buffer_registration(Worker& worker, std::string_view text, LargeFramePtr large);
  void fix_namespace(Worker& worker, std::move_only_function<void()> then);
  bool replay_some(Worker& worker);
  void register_function(Worker& worker, const protocol::RegisterFunction& frame,
                         const LargeFrame* large);
  bool put_function(Worker& worker, const FunctionPtr* earlier, FunctionPtr function);
  bool read_observability(Worker& worker, Declaration said, Function& function);
  bool read_args_format(Worker& worker, Function& function);
  void unregister_function(Worker& worker, const protocol::UnregisterFunction& frame);
  // By value: the sets it is removed from may have had the last one.
  void forget_function(Worker& worker, FunctionPtr function);
  void bind_trigger(Worker& worker, const protocol::RegisterTrigger& frame,
                    const LargeFrame* large);
  void reattach(Worker& worker, const protocol::Reattach& frame);
  Link& tear_down(Worker& worker);
  bool forget_some(Worker& worker);
  void farewell(const Worker& worker);
  void evict(Worker& worker, bool politely);
  void end_if_closed(Worker& worker);
  void tell(std::string_view event, const Worker& worker, bool first_announce = false);

  Timers& timers_;
  IdSource& ids_;
  Background& background_;
  const EngineLimits limits_;
  Slices slices_;
  OwnerIds owners_;
  CallStats stats_;
  // Held by every answer that the engine itself owes.
  const std::shared_ptr<void> owed_ = std::make_shared<char>();
  SteadyTime frame_time_;  // when the frame that is being handled came in
  protocol::Parser parser_;
  std::map<Uuid, std::shared_ptr<Worker>> workers_;  // before what is charged to them
  FunctionTable functions_;
  TriggerTable triggers_;
  Observers observers_;  // before pending_, whose calls hold places of observers
  std::deque<BuiltinFunction> builtin_functions_;
  std::deque<BuiltinTriggerType> builtin_types_;
  std::vector<WorkerEvents*> listeners_;
  LogBudget refusal_log_;
  LogBudget call_log_;                                            // calls that were refused
  LogBudget registration_log_;                                    // functions that come and go
  std::map<std::pair<std::string, std::string>, Worker*> names_;  // (namespace, name) → holder
  PendingCalls pending_;
  std::map<const Worker*, std::vector<WaitsForRoom>> waiting_for_room_;  // by the connection
  Scratch out_;                                                          // for outgoing messages
};

}  // namespace iii::engine
