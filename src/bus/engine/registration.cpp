// Engine: who is connected, under which name, and what it registers (wire §4, §5, §9).
#include <algorithm>
#include <utility>

#include "bus/engine/engine.h"
#include "bus/protocol/writer.h"
#include "bus/ws/frame.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"

namespace iii::engine {

namespace {

// How much of something that may be large is done before others get their turn.
constexpr size_t kAtOnce = 128;
constexpr size_t kBytesAtOnce = 32 * 1024;

size_t stored_size(const Function& f) {
  const auto size = [](const std::optional<std::string>& s) { return s ? s->size() : 0; };
  const size_t declared =
      f.declared ? size(f.declared->args_format) + size(f.declared->observe) : 0;
  return declared + 2 * f.id.size() + f.name_space.size() + size(f.description) +
         size(f.request_format) + size(f.response_format) + size(f.metadata) + size(f.args_format) +
         size(f.observe) + Ledger::kEntryBytes;
}

// Bytes of the control or bidirectional-override character that `text` starts with; 0 for any
// other.
size_t unwanted_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7f) return 1;
  const std::string_view two = text.substr(0, 2);
  if ((two >= "\u0080" && two <= "\u009f") || two == "\u061c") return 2;
  const std::string_view three = text.substr(0, 3);
  const bool bidi = three == "\u200e" || three == "\u200f" ||
                    (three >= "\u202a" && three <= "\u202e") ||
                    (three >= "\u2066" && three <= "\u2069");
  return bidi ? 3 : 0;
}

// Names are shown to people: they must not change how the text around them looks. No more is read
// than can be kept.
std::optional<std::string> sanitised(const std::optional<std::string>& text) {
  constexpr size_t kMostBytes = 4 * (protocol::kMaxWorkerText + 1);  // of UTF-8
  if (!text) return std::nullopt;
  std::string clean;
  std::string_view rest = *text;
  while (!rest.empty() && clean.size() < kMostBytes) {
    const size_t unwanted = unwanted_bytes(rest);
    if (unwanted == 0) clean += rest.front();
    rest.remove_prefix(std::max<size_t>(unwanted, 1));
  }
  const std::string_view cut = trim(utf8_prefix(clean, protocol::kMaxWorkerText));
  if (cut.empty()) return std::nullopt;
  return std::string(cut);
}

Result<json::Schema> args_schema(const std::string& text) {
  constexpr size_t kMostBytes = 64 * 1024;  // compiled on the loop, so it must be small
  if (text.size() > kMostBytes) {
    return fail("", "it has " + std::to_string(text.size()) + " bytes, and " +
                        std::to_string(kMostBytes) + " are allowed");
  }
  auto value = json::parse(text);
  if (!value) return std::unexpected(value.error());
  return json::Schema::compile(std::move(*value), {.max_steps = 20'000});
}

}  // namespace

void Engine::buffer_registration(Worker& worker, std::string_view text, LargeFramePtr large) {
  const size_t bytes = text.size() + sizeof(Worker::Buffered);
  worker.buffered_bytes += bytes;
  if (worker.buffered_bytes > limits_.max_buffered_bytes) {
    log_warn("worker {} sent {} bytes of registrations before its announce and is disconnected",
             worker.label(), worker.buffered_bytes);
    return evict(worker, false);
  }
  const bool is_large = large != nullptr;
  worker.buffered.push_back({is_large ? std::string() : std::string(text), std::move(large)});
  worker.link.charge(static_cast<ptrdiff_t>(bytes));
}

// The registrations that have waited come first; then `then`, and whatever else the worker says.
void Engine::fix_namespace(Worker& worker, std::move_only_function<void()> then) {
  worker.namespace_fixed = true;
  if (worker.grace_timer != 0) timers_.cancel(std::exchange(worker.grace_timer, 0));
  if (!replay_some(worker)) return then();
  if (!worker.link.pause()) {
    while (replay_some(worker)) {
    }
    return then();
  }
  slices_.add(worker.owner(),
              [this, kept = worker.shared_from_this(), then = std::move(then)]() mutable {
                if (replay_some(*kept)) return true;
                then();
                kept->link.resume();
                return false;
              });
}

// True when there are more.
bool Engine::replay_some(Worker& worker) {
  size_t bytes = 0;
  for (size_t count = 0; count < kAtOnce && bytes < kBytesAtOnce; ++count) {
    if (worker.buffered.empty()) {
      worker.link.charge(-static_cast<ptrdiff_t>(std::exchange(worker.buffered_bytes, 0)));
      return false;
    }
    Worker::Buffered next = std::move(worker.buffered.front());
    worker.buffered.pop_front();
    if (next.large) {
      handle_registration(worker, *next.large->frame, next.large.get());
      return true;
    }
    bytes += next.text.size();
    next.text.reserve(next.text.size() + ws::kPadding);
    if (const auto frame = parser_.parse(next.text)) handle_registration(worker, *frame, nullptr);
  }
  return true;
}

void Engine::announce(const Uuid& worker_id, Announcement said, Reply reply) {
  Worker* found = worker(worker_id);
  if (found == nullptr) return;
  Worker& worker = *found;
  const std::optional<std::string> name = sanitised(said.name);
  if (said.name_space && said.name_space->size() > kMaxNameBytes) {
    return reply(fail("INVALID_NAMESPACE", "namespace is too long: a namespace may have " +
                                               std::to_string(kMaxNameBytes) + " bytes."));
  }
  if (said.name_space && is_blank(*said.name_space)) {
    return reply(fail("INVALID_NAMESPACE",
                      "namespace is empty: worker '" + name.value_or("<unnamed>") +
                          "' declared \"" + *said.name_space +
                          "\". Give it a name, or omit the field to register in 'default'."));
  }
  const std::string name_space =
      worker.namespace_fixed ? worker.name_space : said.name_space.value_or("default");
  if (name) {
    const auto held = names_.find({name_space, *name});
    if (held != names_.end() && held->second != &worker) {
      end_if_closed(*held->second);
    }
    const auto [holder, is_free] = names_.try_emplace({name_space, *name}, &worker);
    if (!is_free && holder->second != &worker) {
      const std::string owner = holder->second->id_text;
      refusal_log_.log(LogLevel::kWarn,
                       "a worker from {} is refused: {} is connected already under this name",
                       worker.ip, *name);
      worker.link.send(protocol::to_text(protocol::RegistrationRejected{
          protocol::kWorkerConflict, name_space, std::nullopt, *name, owner}));
      return evict(worker, true);
    }
    if (worker.name && *worker.name != *name) names_.erase({worker.name_space, *worker.name});
    worker.name = name;
  }
  const bool first = worker.name.has_value() && !worker.announced;
  worker.announced = worker.announced || first;
  if (auto description = sanitised(said.description)) worker.description = std::move(description);
  worker.runtime = sanitised(said.runtime).value_or("unknown");
  worker.version = sanitised(said.version);
  if (said.os) worker.os = sanitised(said.os);
  if (said.isolation) worker.isolation = sanitised(said.isolation);
  if (said.pid) worker.pid = said.pid;
  worker.name_space = name_space;
  const bool known = worker.namespace_fixed;
  const bool observed = worker.observes;
  worker.observes_v2 = worker.observes_v2 || said.features.observe_v2;
  worker.observes = worker.observes || said.features.observe_v1 || worker.observes_v2;
  worker.dispatches_locally =
      worker.dispatches_locally || (limits_.local_dispatch && said.features.local_dispatch);
  if (known && !observed && worker.observes) observers_.host_observes(worker);
  fix_namespace(
      worker, [this, kept = worker.shared_from_this(), first, reply = std::move(reply)]() mutable {
        reply(R"({"success":true})");
        tell("worker_metadata_updated", *kept, first);
      });
}

void Engine::register_function(Worker& worker, const protocol::RegisterFunction& frame,
                               const LargeFrame* large) {
  const std::string id(frame.id);
  if (frame.invocation) {
    // Functions behind a URL need the HTTP-functions worker; the public engine without it forgets
    // such a registration too, and so do we, but we say it once.
    return worker.limit_log.warn(
        "worker {}: {} is an HTTP-invoked function, which this engine does not offer; it is "
        "ignored",
        worker.label(), id);
  }
  const auto reject = [&](const std::string& owner) {
    worker.link.send(protocol::to_text(protocol::RegistrationRejected{
        protocol::kFunctionConflict, worker.name_space, id, std::nullopt, owner}));
  };
  if (id.starts_with("engine::") && worker.name_space != protocol::kDefaultNamespace) {
    return reject("");
  }
  const FunctionPtr* known = functions_.find(worker.name_space, id);
  if (known != nullptr && (*known)->owner != nullptr && (*known)->owner != &worker) {
    end_if_closed(*(*known)->owner);
    known = functions_.find(worker.name_space, id);
  }
  if (known != nullptr && (*known)->builtin != nullptr) return reject("");  // E20
  if (known != nullptr && (*known)->owner != &worker) return reject((*known)->owner->id_text);

  std::shared_ptr<Function> function = large != nullptr ? large->function : copy_texts(frame);
  if (!read_observability(worker,
                          {.is_private = frame.is_private.value_or(false),
                           .observable = frame.observable.value_or(true),
                           .args_format = std::exchange(function->args_format, {}),
                           .observe = std::exchange(function->observe, {})},
                          *function)) {
    return;
  }
  function->name_space = worker.name_space;
  function->owner = &worker;
  function->record =
      known != nullptr ? (*known)->record : std::make_shared<CallRecord>(function->name_space, id);
  const FunctionPtr kept = std::move(function);
  if (!put_function(worker, known, kept)) {
    return worker.limit_log.warn("worker {} has reached its limit of registrations; {} is ignored",
                                 worker.label(), id);
  }
  registration_log_.log(LogLevel::kDebug, "worker {} offers {}", worker.label(), id);
  observers_.registered(kept);
}

// In place of `earlier`, unless that is null. False, and nothing is changed: it does not fit.
bool Engine::put_function(Worker& worker, const FunctionPtr* earlier, FunctionPtr function) {
  Charge fresh;
  Charge& charge = earlier != nullptr ? worker.functions.at(*earlier) : fresh;
  if (!charge.set(worker.ledger.stored, stored_size(*function))) return false;
  worker.functions.emplace(function, std::move(charge));
  if (earlier != nullptr) worker.functions.erase(*earlier);
  functions_.put(std::move(function));
  return true;
}

void Engine::features_known(const FunctionPtr& function) {
  if (!function->declared) return observers_.registered(function);
  Worker& worker = *function->owner;
  auto renewed = std::make_shared<Function>(*function);
  renewed->declared.reset();
  const FunctionPtr kept = renewed;
  if (!read_observability(worker, *function->declared, *renewed) ||
      !put_function(worker, &function, kept)) {
    return forget_function(worker, function);
  }
  observers_.registered(kept);
}

// False: the function cannot be registered.
bool Engine::read_observability(Worker& worker, Declaration said, Function& function) {
  if (!worker.observes) {
    if (said.needs_v2() || said.observe) {
      function.declared = std::make_shared<const Declaration>(std::move(said));
    }
    return true;
  }
  if (said.needs_v2() && !worker.observes_v2) {
    worker.limit_log.warn(
        "worker {}: {} needs the feature observe.v2, which it has not named; it "
        "is ignored",
        worker.label(), function.id);
    return false;
  }
  function.is_private = said.is_private;
  function.observable = said.observable;
  function.args_format = std::move(said.args_format);
  function.observe = std::move(said.observe);
  if (function.observe) {
    const json::Slice observe = *function.observe;
    function.owner_delivered = json::member(observe, "delivery") == R"("owner")";
    if (json::member(observe, "allow") == "false") function.observable = false;
    if (const auto format = json::member(observe, "args_format"); format && *format != "null") {
      function.args_format = std::string(*format);
    }
    if (const auto type = json::member(observe, "legacy_trigger_type");
        type && json::kind_of(*type) == json::Kind::kString) {
      function.legacy_type = json::string_of(*type);
    }
  }
  return !function.args_format || read_args_format(worker, function);
}

bool Engine::read_args_format(Worker& worker, Function& function) {
  auto schema = args_schema(*function.args_format);
  if (schema) {
    function.args_schema = std::make_shared<const json::Schema>(std::move(*schema));
    return true;
  }
  refusal_log_.log(LogLevel::kWarn, "worker {}: the args_format of {} cannot be used: {}",
                   worker.label(), function.id, schema.error().message);
  if (!worker.observes_v2) {  // its SDK knows no such refusal; args are refused then
    function.args_format.reset();
    return true;
  }
  worker.link.send(protocol::to_text(protocol::RegistrationRejected{
      protocol::kInvalidArgsFormat, worker.name_space, function.id, std::nullopt, ""}));
  return false;
}

void Engine::unregister_function(Worker& worker, const protocol::UnregisterFunction& frame) {
  const FunctionPtr* known = functions_.find(worker.name_space, frame.id);
  if (known == nullptr || (*known)->owner != &worker) return;  // only its owner may
  const FunctionPtr function = *known;
  registration_log_.log(LogLevel::kDebug, "worker {} no longer offers {}", worker.label(),
                        frame.id);
  forget_function(worker, function);
}

void Engine::forget_function(Worker& worker, FunctionPtr function) {
  functions_.remove(*function);
  stats_.forget(*function->record);
  worker.functions.erase(function);
  observers_.unregistered(function);
}

void Engine::bind_trigger(Worker& worker, const protocol::RegisterTrigger& frame,
                          const LargeFrame* large) {
  const auto blank = [](const std::optional<std::string_view>& n) { return n && is_blank(*n); };
  if (blank(frame.name_space) || blank(frame.trigger_namespace)) {
    const std::string field = blank(frame.name_space) ? "namespace" : "trigger_namespace";
    const std::string message =
        "`" + field +
        "` is empty: it was named and left blank. Give it a name, or omit it to "
        "use `default`.";
    protocol::TriggerRegistrationResult refusal{
        frame.id, frame.trigger_type, frame.function_id, {}};
    refusal.error = protocol::ErrorBody{"INVALID_NAMESPACE", message, std::nullopt};
    return worker.link.send(protocol::to_text(refusal));
  }
  triggers_.bind(worker, large != nullptr ? large->binding : copy_texts(frame));
}

void Engine::reattach(Worker& worker, const protocol::Reattach& frame) {
  const std::optional<Uuid> previous = Uuid::parse(frame.previous_worker_id);
  if (!previous || *previous == worker.id || !frame.reattach_token) return;
  Worker* old = this->worker(*previous);
  const std::optional<Uuid> token = Uuid::parse(*frame.reattach_token);
  if (!token) return;
  if (old != nullptr && *token == old->token) evict(*old, false);
  observers_.reattached(*previous, *token, worker);
}

// When many connections end together the engine hears of each a little later (net::Loop::spread).
// Somebody who comes back must not be refused because of its own earlier connection.
void Engine::end_if_closed(Worker& worker) {
  if (!worker.link.open()) evict(worker, false);
}

// Exactly once, in the order of wire §4.4 as far as a peer can tell. From here on nobody finds the
// worker or its functions; what takes long follows in slices.
Link& Engine::tear_down(Worker& worker) {
  const std::shared_ptr<Worker> kept = worker.shared_from_this();
  Link& link = worker.link.release();
  workers_.erase(worker.id);
  worker.gone = true;
  slices_.drop(worker.owner());
  background_.drop(worker.owner());
  if (worker.grace_timer != 0) timers_.cancel(std::exchange(worker.grace_timer, 0));
  if (worker.name) {
    const auto held = names_.find({worker.name_space, *worker.name});
    if (held != names_.end() && held->second == &worker) names_.erase(held);
  }
  observers_.left(worker);
  const bool more = forget_some(worker);
  drained(worker);
  triggers_.forget(worker);
  if (more) {
    slices_.add(worker.owner(), [this, kept] {
      if (forget_some(*kept)) return true;
      farewell(*kept);
      return false;
    });
  } else {
    farewell(worker);
  }
  return link;
}

// A part of what a worker that is gone has left. True when there is more.
bool Engine::forget_some(Worker& worker) {
  const SteadyTime now = timers_.now();
  size_t left = kAtOnce;
  for (; left > 0 && !worker.functions.empty(); --left) {
    forget_function(worker, FunctionPtr(worker.functions.begin()->first));
  }
  // Calls it made: nobody is left to hear the answer, and the target is not told (wire §6.5).
  for (; left > 0 && !worker.calls_made.empty(); --left) {
    if (const auto call = take_pending(worker.calls_made.front().id)) {
      stats_.sent(call->record, now);
    }
  }
  protocol::InvocationResult stopped;
  stopped.error = protocol::ErrorBody{"invocation_stopped", "Invocation stopped", {}};
  for (; left > 0 && !worker.calls_running.empty(); --left) {
    if (auto call = take_pending(worker.calls_running.front().id)) {
      finish(*call, stopped, nullptr, now);
    }
  }
  for (; left > 0 && !worker.buffered.empty(); --left) worker.buffered.pop_front();
  return left == 0;
}

void Engine::farewell(const Worker& worker) {
  if (worker.dropped_frames > 1) {
    log_info("worker {} disconnected; {} of its frames were invalid and dropped", worker.label(),
             worker.dropped_frames);
  }
  tell("worker_disconnected", worker);
}

}  // namespace iii::engine
