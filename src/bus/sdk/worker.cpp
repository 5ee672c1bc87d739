#include "bus/sdk/worker.h"

#include <csignal>
#include <random>

#include "bus/sdk/channel_socket.h"
#include "bus/sdk/websocket_transport.h"
#include "foundation/base/counted.h"
#include "foundation/base/log.h"

namespace iii::sdk {
namespace {

// For the jitter of reconnects, nothing that must be hard to guess.
std::function<double()> even_random() {
  auto engine = std::make_shared<std::mt19937>(std::random_device{}());
  return [engine] { return std::uniform_real_distribution<double>(-1.0, 1.0)(*engine); };
}

std::vector<ws::Header> authorization(const std::string& token) {
  if (token.empty()) return {};
  return {{.name = "Authorization", .value = "Bearer " + token}};
}

// Stands in when there is no address to connect to; start() reports that before anything is opened.
class NoTransport final : public Transport {
 public:
  void open(TransportEvents&) override {}
  void send(std::string_view) override {}
  void ping() override {}
  void close() override {}
  void drop() override {}
};

EngineAddress address_of(const WorkerOptions& options) {
  EngineAddress address{.url = net::Url::parse(options.url),
                        .trust = {},
                        .token = options.token,
                        .connect_timeout = options.connect_timeout};
  if (!address.url) {
    address.url.error().message =
        "the engine's address cannot be used: " + address.url.error().message;
  } else if (address.url->secure) {
    auto trust = net::make_tls_trust(options.ca_file);
    if (trust) {
      address.trust = std::move(*trust);
    } else {
      address.url = std::unexpected(std::move(trust.error()));
    }
  }
  return address;
}

net::ConnectOptions connect_options(const EngineAddress& address) {
  net::ConnectOptions connect;
  connect.headers = authorization(address.token);
  connect.timeout = address.connect_timeout;
  connect.trust = address.trust;
  return connect;
}

std::unique_ptr<Transport> websocket(net::Loop& loop, const EngineAddress& address,
                                     const WorkerOptions& options) {
  if (!address.url) return std::make_unique<NoTransport>();
  net::ConnectOptions connect = connect_options(address);
  for (const auto& [name, value] : options.headers) connect.headers.push_back({name, value});
  return std::make_unique<WebSocketTransport>(loop, *address.url, std::move(connect));
}

SessionOptions session_options(const WorkerOptions& options) {
  SessionOptions out;
  out.announcement = announcement(options);
  out.name_space = options.name_space;
  out.indispensable = options.indispensable;
  out.call_timeout = options.call_timeout;
  out.ready_timeout = options.ready_timeout;
  out.backoff = options.backoff;
  out.answer_repeat = options.answer_repeat;
  out.max_queued_bytes = options.max_queued_bytes;
  out.max_pending_calls = options.max_pending_calls;
  out.offline = options.offline;
  return out;
}

// A closed log must not end the worker. A handler of the program's own is left
// alone.
void ignore_sigpipe() {
  struct sigaction now{};
  if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
    std::signal(SIGPIPE, SIG_IGN);
  }
}

Result<void> logged(Result<void> done, std::string_view what) {
  if (!done) log_error("cannot register a {}: {}", what, done.error().message);
  return done;
}

}  // namespace

Core::Core(net::Loop& on, EngineAddress where, std::unique_ptr<Transport> through,
           const WorkerOptions& options, SessionListener listener)
    : loop(on),
      address(std::move(where)),
      transport(std::move(through)),
      session(session_options(options), *transport, on, ids, even_random(), std::move(listener)),
      max_running_calls(options.max_running_calls),
      pool(on, options.pool_threads),
      encoding(on, 1),
      closing_channels(std::make_shared<channel_detail::Closing>()) {}

Core::~Core() {
  // What runs on the pool may refer to the locals of the coroutine that awaits it.
  pool.stop();
  encoding.stop();
  tasks.clear();
  // No event may reach the session while it goes.
  transport->drop();
}

Worker::Worker(WorkerOptions options)
    : Worker(std::move(options), std::make_unique<net::Loop>(), nullptr, {}) {}

Worker::Worker(WorkerOptions options, net::Loop& loop)
    : Worker(std::move(options), nullptr, &loop, {}) {}

Worker::Worker(WorkerOptions options, net::Loop& loop, const MakeTransport& make_transport)
    : Worker(std::move(options), nullptr, &loop, make_transport) {}

Worker::Worker(WorkerOptions options, std::unique_ptr<net::Loop> own, net::Loop* loop,
               const MakeTransport& make_transport)
    : options_(with_environment(std::move(options))), own_loop_(std::move(own)) {
  net::Loop& home = own_loop_ ? *own_loop_ : *loop;
  EngineAddress address = address_of(options_);
  std::unique_ptr<Transport> transport =
      make_transport ? make_transport(home) : websocket(home, address, options_);
  needs_url_ = !make_transport;
  core_ = std::make_unique<Core>(
      home, std::move(address), std::move(transport), options_,
      SessionListener{.on_ready =
                          [this] {
                            for (size_t i = 0; i < ready_actions_.size(); ++i) ready_actions_[i]();
                          },
                      .on_stopped = [this](const std::optional<Error>& fatal) { stopped(fatal); }});
}

Worker::~Worker() { core_->loop.cancel(grace_timer_); }

Result<void> Worker::start() {
  if (needs_url_ && !core_->address.url) return std::unexpected(core_->address.url.error());
  core_->session.start();
  return {};
}

int Worker::run() {
  ignore_sigpipe();
  if (Result<void> started = start(); !started) {
    log_error("{}", started.error().message);
    return 1;
  }
  bool asked_twice = false;
  core_->loop.on_stop_signals([this, &asked_twice] {
    if (std::exchange(asked_twice, true)) return finish_stop();
    stop();
  });
  core_->loop.run();
  return fatal_ ? 1 : 0;
}

void Worker::stop(std::move_only_function<void()> on_stopped) {
  if (on_stopped) stopped_actions_.push_back(std::move(on_stopped));
  if (has_stopped_) {
    post([this] { stopped({}); });
    return;
  }
  if (std::exchange(stopping_, true)) return;
  // Without an engine nobody waits for what handlers answer, and what they ask for never comes.
  const SessionState now = state();
  const bool connected = now == SessionState::kOpening || now == SessionState::kReady;
  if (!connected || core_->tasks.size() == 0) return finish_stop();
  // Posted, because the last task is still on its way out when the group becomes empty.
  core_->tasks.when_empty([this] { post([this] { finish_stop(); }); });
  grace_timer_ = core_->loop.after(options_.shutdown_grace, [this] {
    grace_timer_ = 0;
    log_warn("stopping although {} still running",
             counted(core_->tasks.size(), "handler is", "handlers are"));
    finish_stop();
  });
}

void Worker::finish_stop() {
  core_->loop.cancel(std::exchange(grace_timer_, 0));
  core_->session.stop();
}

void Worker::stopped(const std::optional<Error>& fatal) {
  has_stopped_ = true;
  if (fatal) fatal_ = fatal;
  for (auto& action : std::exchange(stopped_actions_, {})) action();
  if (own_loop_) own_loop_->stop();
}

SessionState Worker::state() const { return core_->session.state(); }

void Worker::on_ready(std::function<void()> action) { ready_actions_.push_back(std::move(action)); }

void Worker::post(std::move_only_function<void()> action) {
  core_->loop.post([alive = std::weak_ptr(alive_), action = std::move(action)]() mutable {
    if (!alive.expired()) action();
  });
}

FunctionSpec Worker::spec_of(FunctionOptions options) {
  const auto text_of = [](const std::optional<json::Raw>& raw) {
    return raw ? std::optional(raw->text) : std::nullopt;
  };
  return {.id = std::move(options.id),
          .description = std::move(options.description),
          .request_format = {},
          .response_format = {},
          .metadata = text_of(options.metadata),
          .invocation = {},
          .args_format = text_of(options.args_format),
          .is_private = options.is_private,
          .observable = options.observable};
}

Result<void> Worker::add_function(FunctionSpec spec, FunctionHandler handler) {
  return logged(core_->session.add_function(std::move(spec), std::move(handler)), "function");
}

Result<void> Worker::http_function(FunctionOptions options, const json::Raw& invocation) {
  FunctionSpec spec = spec_of(std::move(options));
  spec.invocation = invocation.text;
  return add_function(std::move(spec), {});
}

bool Worker::unregister_function(std::string_view id) { return core_->session.remove_function(id); }

Result<void> Worker::add_trigger_type(TriggerTypeSpec spec) {
  return logged(core_->session.add_trigger_type(std::move(spec)), "trigger type");
}

bool Worker::unregister_trigger_type(std::string_view id) {
  return core_->session.remove_trigger_type(id);
}

Result<std::string> Worker::bind(TriggerSpec spec) {
  Result<std::string> id = core_->session.add_trigger(std::move(spec));
  if (!id) log_error("cannot bind: {}", id.error().message);
  return id;
}

bool Worker::unbind(std::string_view id) { return core_->session.remove_trigger(id); }

Result<std::string> Worker::observe(ObserveSpec spec) {
  Result<std::string> id = core_->session.add_observer(std::move(spec));
  if (!id) log_error("cannot observe: {}", id.error().message);
  return id;
}

bool Worker::unobserve(std::string_view id) { return core_->session.remove_observer(id); }

std::optional<ObserverStatus> Worker::observer(std::string_view id) const {
  const ObserverStatus* status = core_->session.observer_status(id);
  return status == nullptr ? std::nullopt : std::optional(*status);
}

void Worker::on_observed(std::string function_id, ObserveHooks hooks) {
  core_->session.set_observe_hooks(std::move(function_id), std::move(hooks));
}

std::vector<HostedObserver> Worker::observers_of(std::string_view function_id) const {
  return core_->session.hosted_observers(function_id);
}

bool Worker::engine_observes() const { return core_->session.engine_observes(); }

Pending<Channel> Worker::create_channel() const {
  return trigger<Channel>("engine::channels::create", json::Object{});
}

Pending<Channel> Worker::create_channel(uint32_t buffer_size) const {
  return trigger<Channel>("engine::channels::create", json::Object{{"buffer_size", buffer_size}});
}

std::shared_ptr<channel_detail::Socket> Worker::channel_socket(const ChannelRef& ref) const {
  Result<net::Url> url = core_->address.url;
  if (url) url = channel_url(*url, ref);
  net::ConnectOptions options = connect_options(core_->address);
  // A channel nobody reads yet takes nothing for as long as it likes: the engine ends it when it is
  // stale.
  options.connection.stall_timeout = std::chrono::minutes(10);
  return std::make_shared<channel_detail::Socket>(core_->loop, std::move(url), std::move(options),
                                                  core_->closing_channels);
}

ChannelReader Worker::open_reader(const ChannelRef& ref) const {
  return ChannelReader(channel_socket(ref));
}

ChannelWriter Worker::open_writer(const ChannelRef& ref) const {
  return ChannelWriter(channel_socket(ref));
}

}  // namespace iii::sdk
