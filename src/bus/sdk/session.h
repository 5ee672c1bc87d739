// A worker's side of the protocol as a state machine: events of a Transport and of timers go in,
// frames come out. No sockets, no threads; drive it from one thread.
//
// Life of a connection: open → `reattach` (if we were somebody before) → trigger types → functions
// → triggers → announce with an id → (its answer, or a short wait) → whatever was queued. The
// announce is answered only after the registrations before it took effect, so that a queued call
// finds even our own functions (wire §4.2).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bus/protocol/frame.h"
#include "bus/protocol/limits.h"
#include "bus/protocol/parser.h"
#include "bus/sdk/answer_repeater.h"
#include "bus/sdk/backoff.h"
#include "bus/sdk/bindings.h"
#include "bus/sdk/error.h"
#include "bus/sdk/observers.h"
#include "bus/sdk/ordered.h"
#include "bus/sdk/outbox.h"
#include "bus/sdk/transport.h"
#include "foundation/base/log.h"
#include "foundation/base/result.h"
#include "foundation/base/timers.h"
#include "foundation/base/uuid.h"
#include "foundation/json/value.h"

namespace iii::sdk {

struct SessionOptions {
  std::string announcement = "{}";  // `data` of engine::workers::register
  std::string name_space;           // for calls and bindings that name none; empty: none
  std::string indispensable;        // see WorkerOptions
  Millis call_timeout = protocol::kCallTimeout;
  Millis ready_timeout{5'000};  // for an engine that never answers the announce
  Millis ping_interval{20'000};
  Millis idle_timeout{60'000};
  Millis close_timeout{500};  // for an engine that does not hang up after our Close
  BackoffOptions backoff;
  Millis answer_repeat{0};                     // see WorkerOptions
  size_t max_queued_bytes = 16 * 1024 * 1024;  // while the engine is away
  size_t max_pending_calls = 100'000;
  bool offline = false;  // see WorkerOptions
};

// Answers from this size on are written and encoded on another thread.
inline constexpr size_t kLargeAnswerBytes = 256 * 1024;

// A call that has arrived. Without an id nobody waits for the answer.
struct Invocation {
  std::optional<Uuid> id;
  std::string function_id;
  std::string data = "null";
  std::optional<std::string> metadata;
  std::optional<std::string> traceparent;
  std::optional<std::string> baggage;
  std::chrono::steady_clock::time_point arrived = {};
  uint64_t observe_depth = 0;  // how many activations of observers led to it
  bool activated = false;      // by an observer: nobody reads why it failed
};
// Leads, now or later, to one Session::answer() with that invocation.
using FunctionHandler = std::function<void(Invocation)>;
// JSON text, or no result at all (a function that returns nothing), or why not.
using Outcome = Reply<std::optional<std::string>>;

struct FunctionSpec {
  std::string id;
  std::string description;  // empty: none
  std::optional<std::string> request_format;
  std::optional<std::string> response_format;
  std::optional<std::string> metadata;
  std::optional<std::string> invocation;  // HTTP-invoked (wire §13): the engine calls a URL, not us
  // See FunctionOptions.
  std::optional<std::string> args_format = {};
  bool is_private = false;
  bool observable = true;

  // Offered only to engines with `observe.v2` (observers §4).
  bool needs_v2() const { return args_format || is_private || !observable; }
};

// Functions and trigger types that belong together. When another live worker has one of the
// functions, all of them are left to it, and the trigger types too.
struct Family {
  std::string name;  // for the log
  std::vector<std::string> functions;
  std::vector<std::string> trigger_types;
};

struct TriggerSpec {
  std::string trigger_type;
  std::string function_id;
  std::string config = "null";
  std::optional<std::string> metadata;
  std::string name_space;         // of the function; empty: the worker's
  std::string trigger_namespace;  // of the provider; empty: found by the engine
  std::function<void(const RemoteError&)> on_rejected;  // may be empty
};

struct OutgoingCall {
  std::string_view function_id;
  std::string_view data = "null";
  std::optional<std::string_view> metadata = {};
  std::optional<std::string_view> traceparent = {};
  std::optional<std::string_view> baggage = {};
  std::string_view name_space = {};    // empty: the worker's, or none for the engine's own ids
  std::optional<Millis> timeout = {};  // of the whole wait, time offline included
  std::optional<std::string_view> queue = {};  // enqueue there instead of calling
  Bound bound = {};  // the binding that it is fired to, if any: not sent when that has ended
  uint64_t observe_depth = 0;  // of the call that it is made from
};
// Never called from inside call().
using OnReply = std::move_only_function<void(Reply<json::Raw>)>;

enum class SessionState { kIdle, kConnecting, kOpening, kReady, kWaiting, kStopped };

struct SessionListener {
  std::function<void()> on_ready = {};  // after each connect
  // After stop(), or because the engine refuses this worker for good: then with the reason.
  std::function<void(const std::optional<Error>&)> on_stopped = {};
};

class Session final : public TransportEvents {
 public:
  // Everything referred to outlives the session, except that the transport may be gone by then.
  Session(SessionOptions options, Transport& transport, Timers& timers, IdSource& ids,
          std::function<double()> random, SessionListener listener);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();
  // Fails what is pending, says goodbye, does not come back.
  void stop();
  SessionState state() const { return state_; }
  const std::string& worker_id() const { return worker_id_; }

  // Registrations hold across reconnects. Errors: a blank id, an id that is taken, a frame too
  // large.
  Result<void> add_function(FunctionSpec spec, FunctionHandler handler);
  bool remove_function(std::string_view id);
  Result<void> add_trigger_type(TriggerTypeSpec spec);
  // The engine has no such message: it keeps the type until we disconnect, and hears
  // `trigger_type_not_found` for bindings that come in meanwhile.
  bool remove_trigger_type(std::string_view id);
  // Before start(). Whether a family can be taken is decided at every connect: its functions are
  // registered first, and its types when the engine has not refused any of them.
  void add_family(Family family) { families_.push_back({std::move(family)}); }
  Result<std::string> add_trigger(TriggerSpec spec);  // the binding's id
  bool remove_trigger(std::string_view id);

  // Observers hold across reconnects, too. On an engine without them the state becomes `error`,
  // code UNSUPPORTED.
  Result<std::string> add_observer(ObserveSpec spec);  // its id
  bool remove_observer(std::string_view id) { return observers_.remove(id); }
  const ObserverStatus* observer_status(std::string_view id) { return observers_.status(id); }
  // Whether the engine of this connection offers observers.
  bool engine_observes() const { return is_open() && engine_observes_; }
  // For one of our functions. Every observer is accepted unless a hook refuses it.
  void set_observe_hooks(std::string function_id, ObserveHooks hooks);
  std::vector<HostedObserver> hosted_observers(std::string_view function_id) const {
    return observers_.hosted(function_id);
  }

  void call(const OutgoingCall& call, OnReply on_reply);
  Result<void> send_void(const OutgoingCall& call);
  void answer(const Invocation& invocation, Outcome outcome);
  // The same in steps for a large result: its frame (from any thread), then, after a
  // Transport::encode(), the sending.
  static Result<std::string> answer_text(const Invocation& invocation, std::string_view result);
  void answer_encoded(SharedBytes frame);
  size_t pending_calls() const { return pending_.size(); }

  void on_open() override;
  void on_text(std::string_view text) override;
  void on_alive() override { last_alive_ = timers_.now(); }
  void on_closed(std::string_view why) override;
  void on_refused(std::string_view why) override;

 private:
  struct Function {
    std::string id;
    std::string frame;
    std::shared_ptr<const FunctionHandler> handler;  // none: HTTP-invoked
    bool needs_v2 = false;
  };
  struct TriggerType {
    std::string id;
    std::string frame;
    std::shared_ptr<Bindings> bindings;
  };
  struct Trigger {
    std::string id;
    std::string frame;
    std::string trigger_type;
    std::function<void(const RemoteError&)> on_rejected;
  };
  struct OfferedFamily {
    Family family;
    bool left = false;  // to another worker, on this connection
  };
  struct PendingCall {
    OnReply on_reply;
    TimerId timer = 0;
    bool sent = false;
  };

  bool is_open() const {
    return state_ == SessionState::kOpening || state_ == SessionState::kReady;
  }
  void connect();
  void lose_connection(std::string_view why);
  void reconnect_after(Millis delay);
  void announce();
  std::string announcement();
  int observe_version() const;
  void name_features();
  void offer_v2(const Function& function);
  void become_ready();
  void heartbeat();
  void drop_stale_bindings();
  // Null when the id belongs to no family.
  OfferedFamily* family_with(std::vector<std::string> Family::* members, std::string_view id);
  void leave(OfferedFamily& offered);
  void fail_pending(const RemoteError& error, bool only_sent);
  void finish();
  void give_up(Error reason);

  void handle(const protocol::WorkerRegistered& frame);
  void handle(const protocol::InvokeFunction& frame);
  void handle(const protocol::InvocationResult& frame);
  void handle(const protocol::RegisterTrigger& frame);
  void handle(const protocol::UnregisterTrigger& frame);
  void handle(const protocol::TriggerRegistrationResult& frame);
  void handle(const protocol::RegistrationRejected& frame);
  void handle(const protocol::ConnectionError& frame);
  void handle(protocol::Ping);
  // Those of observers, and types that only an engine acts upon.
  template <typename Other>
  void handle(const Other& frame) {
    if constexpr (requires { observers_.handle(frame); }) observers_.handle(frame);
  }

  void answer_binding(const BindingRequest& request, std::string_view type_id,
                      const Result<void>& verdict);
  protocol::InvokeFunction frame_of(const OutgoingCall& call) const;
  std::string_view namespace_for(std::string_view id, std::string_view asked) const;
  void settle(const Uuid& id, Reply<json::Raw> reply);
  void fail_later(OnReply on_reply, RemoteError error);
  void send_or_queue(std::string text);

  SessionOptions options_;
  Transport& transport_;
  Timers& timers_;
  IdSource& ids_;
  Backoff backoff_;
  SessionListener listener_;
  protocol::Parser parser_;

  SessionState state_ = SessionState::kIdle;
  uint64_t connection_ = 0;  // counts opens
  std::string worker_id_;
  std::optional<std::string> reattach_token_;
  Uuid announce_id_{};
  std::optional<Error> fatal_;
  bool told_refused_ = false;  // in the log, since something else happened

  Ordered<TriggerType> trigger_types_;
  Ordered<Function> functions_;
  Ordered<Trigger> triggers_;
  Observers observers_;
  bool engine_observes_ = false;  // by the greeting of this connection
  bool engine_observes_v2_ = false;
  int named_version_ = 0;  // of observers, on this connection; 0: none
  std::vector<OfferedFamily> families_;
  std::unordered_map<Uuid, PendingCall, UuidHash> pending_;
  Outbox outbox_;
  AnswerRepeater answers_;

  TimerId reconnect_timer_ = 0;
  TimerId ready_timer_ = 0;
  TimerId ping_timer_ = 0;
  TimerId close_timer_ = 0;
  std::chrono::steady_clock::time_point last_alive_{};
  LogOnce malformed_;
  LogOnce dropped_answers_;
  LogBudget failed_activations_{1};
  // Work put off with timers must not outlive the session.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace iii::sdk
