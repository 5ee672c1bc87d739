// A worker on an iii engine: registers functions and triggers, answers calls, calls others.
//
//   int main() {
//     iii::sdk::Worker worker;
//     worker.function("hello::greet", "Greets somebody by name.", [](Person who) {
//       return Greeting{"Hello, " + who.name + "!"};
//     });
//     return worker.run();
//   }
//
// One thread, the loop's, runs everything: handlers, callbacks, coroutines. Only post() may be
// called from elsewhere. README.md is the guide.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/sdk/call.h"
#include "bus/sdk/channel.h"
#include "bus/sdk/handler.h"
#include "bus/sdk/observer.h"
#include "bus/sdk/options.h"
#include "bus/sdk/task.h"
#include "bus/sdk/trigger_type.h"
#include "foundation/base/log_sink.h"

namespace iii::sdk {

struct FunctionOptions {
  std::string id;
  std::string description = {};
  std::optional<json::Raw> metadata = {};  // {"internal":true} hides it from default listings
  // A function with any of these is offered only to engines with `observe.v2` (observers §4).
  std::optional<json::Raw> args_format = {};  // schema of observers' args; none: they may give none
  bool is_private = false;                    // only this worker may call it
  bool observable = true;
};

class Worker : public Calls<Worker> {
 public:
  // On a loop of its own: run() it. Nothing is sent before run().
  explicit Worker(WorkerOptions options = {});
  // On the loop of its owner, which outlives the worker: start() it there.
  Worker(WorkerOptions options, net::Loop& loop);
  // The same, over a transport other than a socket to `options.url`.
  using MakeTransport = std::function<std::unique_ptr<Transport>(net::Loop&)>;
  Worker(WorkerOptions options, net::Loop& loop, const MakeTransport& make_transport);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Serves until SIGTERM, SIGINT or stop(). The exit code for main: 0, or 1 when the address is
  // wrong or the engine refuses this worker for good.
  int run();
  // For a worker on somebody else's loop. Connects, and stays connected until stop().
  Result<void> start();
  // Lets running handlers finish (for `shutdown_grace`), fails pending calls, says goodbye.
  // `on_stopped`, on the loop, when all that is done.
  void stop(std::move_only_function<void()> on_stopped = {});

  SessionState state() const;
  const WorkerOptions& options() const { return options_; }
  // Why the worker stopped by itself, if it did.
  const std::optional<Error>& fatal_error() const { return fatal_; }
  // After each connect, when the engine knows everything that is registered here.
  void on_ready(std::function<void()> action);

  // See handler.h for what a handler may take and return. An id can be registered once; a failure
  // is also logged, so that main may ignore it.
  template <typename F>
  Result<void> function(std::string id, std::string description, F handler) {
    return function(FunctionOptions{.id = std::move(id), .description = std::move(description)},
                    std::move(handler));
  }
  template <typename F>
  Result<void> function(FunctionOptions options, F handler) {
    using T = handler_detail::Traits<F>;
    FunctionSpec spec = spec_of(std::move(options));
    spec.request_format = handler_detail::schema_text<typename T::In>();
    spec.response_format = handler_detail::schema_text<typename T::Out>();
    return add_function(std::move(spec), handler_detail::make_handler(core(), std::move(handler)));
  }
  // For a handler that gives its answer as json::Raw: the published schema is that of Out all the
  // same.
  template <typename Out, typename F>
  Result<void> function_returning(FunctionOptions options, F handler) {
    using T = handler_detail::Traits<F>;
    FunctionSpec spec = spec_of(std::move(options));
    spec.request_format = handler_detail::schema_text<typename T::In>();
    spec.response_format = handler_detail::schema_text<Out>();
    return add_function(std::move(spec), handler_detail::make_handler(core(), std::move(handler)));
  }
  // A function that the engine runs by calling a URL; `invocation` as in wire §3.3.
  Result<void> http_function(FunctionOptions options, const json::Raw& invocation);
  bool unregister_function(std::string_view id);

  // Provides a trigger type. `on_bind(const Binding<Config>&)` judges new bindings: it returns
  // nothing or Result<void>, or is a coroutine of Result<void>. `on_unbind(const Binding<Config>&)`
  // hears of their end, once for each that was accepted, and never while on_bind is at work on the
  // same id. Payload is what bound functions get, for the listings.
  template <typename Config = json::Raw, typename Payload = json::Raw>
  Result<TriggerType<Config>> trigger_type(std::string id, std::string description) {
    return trigger_type<Config, Payload>(
        std::move(id), std::move(description), [](const Binding<Config>&) {},
        [](const Binding<Config>&) {});
  }
  template <typename Config = json::Raw, typename Payload = json::Raw, typename Bind,
            typename Unbind>
  Result<TriggerType<Config>> trigger_type(std::string id, std::string description, Bind on_bind,
                                           Unbind on_unbind);
  bool unregister_trigger_type(std::string_view id);
  // Before run() or start(): functions and trigger types that are offered all or not at all, when
  // another live worker may have the same ones.
  void family(Family family) { core().session.add_family(std::move(family)); }

  // Calls the function of a binding, with what belongs to it.
  template <typename Config, typename In>
  Pending<json::Raw> fire(const Binding<Config>& binding, const In& payload) const {
    return trigger(binding.function_id, payload, options_of(binding));
  }
  template <typename Config, typename In>
  Result<void> fire_void(const Binding<Config>& binding, const In& payload) const {
    return trigger_void(binding.function_id, payload, options_of(binding));
  }

  // Binds a function, ours or not, to a trigger type. The binding lasts as long as this worker
  // (across reconnects) or until unbind(). Gives its id.
  template <typename Config>
  Result<std::string> bind(std::string trigger_type, std::string function_id,
                           const Config& config) {
    Result<std::string> text = encode_payload(config);
    if (!text) return text;
    return bind(TriggerSpec{.trigger_type = std::move(trigger_type),
                            .function_id = std::move(function_id),
                            .config = std::move(*text),
                            .metadata = {},
                            .name_space = {},
                            .trigger_namespace = {},
                            .on_rejected = {}});
  }
  Result<std::string> bind(TriggerSpec spec);
  bool unbind(std::string_view id);

  // Observes a function (observer.h). Lasts across reconnects, until unobserve() or the engine
  // disposes of it. Gives its id; the answer of the engine comes to `on_state`.
  Result<std::string> observe(ObserveSpec spec);
  // Ends it at once: `on_state` hears no more of it, and the id is free.
  bool unobserve(std::string_view id);
  std::optional<ObserverStatus> observer(std::string_view id) const;
  // Hears of the observers of one of our own functions, and may refuse them.
  void on_observed(std::string function_id, ObserveHooks hooks);
  std::vector<HostedObserver> observers_of(std::string_view function_id) const;
  // Whether the engine that we are connected to offers observers.
  bool engine_observes() const;

  Pending<Channel> create_channel() const;
  Pending<Channel> create_channel(uint32_t buffer_size) const;
  ChannelReader open_reader(const ChannelRef& ref) const;
  ChannelWriter open_writer(const ChannelRef& ref) const;

  // Runs a coroutine until it ends or the worker does.
  void spawn(Task<void> task) { core().tasks.spawn(std::move(task)); }
  // From any thread: runs `action` on the loop.
  void post(std::move_only_function<void()> action);

  Core& core() const { return *core_; }
  // Where calls go that name no namespace; empty: the engine's default.
  const std::string& name_space() const { return options_.name_space; }
  void add_context(OutgoingCall&) const {}

 private:
  Worker(WorkerOptions options, std::unique_ptr<net::Loop> own, net::Loop* loop,
         const MakeTransport& make_transport);
  static FunctionSpec spec_of(FunctionOptions options);
  template <typename Config>
  static CallOptions options_of(const Binding<Config>& binding) {
    return {.timeout = {},
            .metadata = binding.metadata,
            .name_space = binding.name_space.empty() ? std::string(protocol::kDefaultNamespace)
                                                     : binding.name_space,
            .bound = binding.bound};
  }
  Result<void> add_function(FunctionSpec spec, FunctionHandler handler);
  Result<void> add_trigger_type(TriggerTypeSpec spec);
  std::shared_ptr<channel_detail::Socket> channel_socket(const ChannelRef& ref) const;
  void finish_stop();
  void stopped(const std::optional<Error>& fatal);

  const WorkerOptions options_;
  std::unique_ptr<net::Loop> own_loop_;
  std::unique_ptr<Core> core_;
  std::vector<std::function<void()>> ready_actions_;
  std::vector<std::move_only_function<void()>> stopped_actions_;
  std::optional<Error> fatal_;
  bool needs_url_ = true;
  bool stopping_ = false;
  bool has_stopped_ = false;
  TimerId grace_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

template <typename Config, typename Payload, typename Bind, typename Unbind>
Result<TriggerType<Config>> Worker::trigger_type(std::string id, std::string description,
                                                 Bind on_bind, Unbind on_unbind) {
  TriggerType<Config> type(id);
  auto judge = std::make_shared<Bind>(std::move(on_bind));
  TriggerTypeSpec spec{.id = std::move(id),
                       .description = std::move(description),
                       .trigger_request_format = handler_detail::schema_text<Config>(),
                       .call_request_format = handler_detail::schema_text<Payload>(),
                       .name_space = {},
                       .bind = {},
                       .unbind = {}};
  spec.bind = [this, judge, shared = type.shared_](BindingRequest request, Verdict verdict) {
    Result<Config> config = decode_lenient<Config>(request.config);
    if (!config) {
      return verdict(fail(kTriggerRegistrationFailed, "config: " + config.error().message));
    }
    Binding<Config> binding{.id = std::move(request.id),
                            .function_id = std::move(request.function_id),
                            .config = std::move(*config),
                            .metadata = std::nullopt,
                            .name_space = std::move(request.name_space),
                            .bound = std::move(request.bound)};
    if (request.metadata) binding.metadata = json::Raw{std::move(*request.metadata)};
    spawn(handler_detail::settle_binding(judge, shared, std::move(binding), std::move(verdict)));
  };
  spec.unbind = [shared = type.shared_,
                 on_unbind = std::move(on_unbind)](const std::string& binding_id) mutable {
    const auto node = shared->bindings.extract(binding_id);
    if (!node.empty()) on_unbind(std::as_const(node.mapped()));
  };
  if (auto added = add_trigger_type(std::move(spec)); !added) return std::unexpected(added.error());
  return type;
}

}  // namespace iii::sdk
