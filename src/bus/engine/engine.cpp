#include "bus/engine/engine.h"

#include <utility>

#include "bus/protocol/writer.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"

namespace iii::engine {

namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

// What every greeting offers (observers §1).
constexpr std::string_view kFeatures = R"(["observe.v1","observe.v2"])";
constexpr std::string_view kFeaturesWithLocalDispatch =
    R"(["observe.v1","observe.v2","local-dispatch.v1"])";

// Registrations wait for the announce; calls, answers and verdicts do not (wire §9.2–9.3).
bool is_registration(const protocol::Frame& frame) {
  return std::holds_alternative<protocol::RegisterFunction>(frame) ||
         std::holds_alternative<protocol::UnregisterFunction>(frame) ||
         std::holds_alternative<protocol::RegisterTrigger>(frame) ||
         std::holds_alternative<protocol::UnregisterTrigger>(frame) ||
         std::holds_alternative<protocol::RegisterTriggerType>(frame) ||
         std::holds_alternative<protocol::RegisterService>(frame);
}

}  // namespace

Engine::Engine(Timers& timers, IdSource& ids, Background& background, EngineLimits limits)
    : timers_(timers),
      ids_(ids),
      background_(background),
      limits_(limits),
      slices_(timers),
      stats_(timers.now()),
      frame_time_(timers.now()),
      triggers_(timers, slices_, owners_, limits_),
      observers_(*this) {
  triggers_.on_change([this](std::string_view binding) { observers_.binding_changed(binding); });
}

Engine::~Engine() {
  // The loop may live on: nothing of ours may run on it any more.
  for (const auto& [id, worker] : workers_) {
    if (worker->grace_timer != 0) timers_.cancel(worker->grace_timer);
  }
}

void Engine::add(BuiltinFunction function) {
  const BuiltinFunction& kept = builtin_functions_.emplace_back(std::move(function));
  auto entry = std::make_shared<Function>();
  entry->id = kept.id;
  entry->name_space = protocol::kDefaultNamespace;
  entry->description = kept.description;
  if (kept.request_schema) entry->request_format = json::to_text(*kept.request_schema);
  if (kept.response_schema) entry->response_format = json::to_text(*kept.response_schema);
  if (kept.internal) entry->metadata = R"({"internal":true})";
  entry->builtin = &kept;
  entry->is_private = kept.event_source;
  entry->record = std::make_shared<CallRecord>(entry->name_space, entry->id);
  functions_.put(std::move(entry));
}

void Engine::add(BuiltinTriggerType type) {
  triggers_.add_builtin(builtin_types_.emplace_back(std::move(type)));
}

Worker* Engine::worker(const Uuid& id) const {
  const auto it = workers_.find(id);
  return it == workers_.end() ? nullptr : it->second.get();
}

Worker& Engine::connected(Link& link, std::string ip) {
  auto worker = std::make_shared<Worker>(link, ids_.next(), ids_.next(), owners_.next(), limits_);
  worker->ip = std::move(ip);
  worker->connected_at_ms = timers_.wall_ms();
  workers_.emplace(worker->id, worker);
  worker->grace_timer = timers_.after(limits_.registration_grace, [this, id = worker->id] {
    if (Worker* late = this->worker(id)) {
      late->grace_timer = 0;
      fix_namespace(*late, [] {});
    }
  });
  const std::string token = worker->token.to_string();
  link.send(protocol::to_text(protocol::WorkerRegistered{
      worker->id_text, token, limits_.local_dispatch ? kFeaturesWithLocalDispatch : kFeatures}));
  tell("worker_connected", *worker);
  return *worker;
}

void Engine::disconnected(Worker& worker) {
  const auto keep = workers_.find(worker.id)->second;
  tear_down(worker);
}

void Engine::evict(Worker& worker, bool politely) {
  const auto keep = workers_.find(worker.id)->second;
  tear_down(worker).ended(politely);
}

void Engine::tell(std::string_view event, const Worker& worker, bool first_announce) {
  for (WorkerEvents* listener : listeners_) listener->on_worker(event, worker, first_announce);
}

void Engine::drop_frame(Worker& worker, const Error& why) {
  if (why.code == "empty") return;
  ++worker.dropped_frames;
  worker.malformed_log.warn(
      "worker {}: invalid frame dropped ({}); further ones on this connection are only counted",
      worker.label(), why.message);
}

void Engine::received(Worker& worker, std::string_view text, SteadyTime at) {
  frame_time_ = at;
  const Result<protocol::Frame> frame = parser_.parse(text);
  if (!frame) return drop_frame(worker, frame.error());
  handle(worker, *frame, text, nullptr);
}

void Engine::received(Worker& worker, SharedBytes text) {
  const size_t bytes = text.bytes.size();
  const std::shared_ptr<Worker> kept = worker.shared_from_this();
  // Held by its connection until it has been handled. When all connections hold too much, the one
  // that holds most is closed, which may be this one.
  worker.link.charge(static_cast<ptrdiff_t>(bytes));
  const std::shared_ptr<void> charge(
      nullptr, [bytes, kept](void*) { kept->link.charge(-static_cast<ptrdiff_t>(bytes)); });
  if (!worker.link.open()) return;
  if (!worker.link.pause()) return received(worker, text.bytes);
  background_.compute(
      worker.owner(),
      [text = std::move(text), caller = worker.id_text] { return parse_large(text, caller); },
      [this, charge, kept](LargeFramePtr large) {
        if (kept->gone) return;
        frame_time_ = timers_.now();
        if (large->frame) {
          const protocol::Frame frame = *large->frame;
          const std::string_view bytes = large->text.bytes;
          handle(*kept, frame, bytes, std::move(large));
        } else {
          drop_frame(*kept, large->frame.error());
        }
        kept->link.resume();
      });
}

void Engine::handle(Worker& worker, const protocol::Frame& frame, std::string_view text,
                    LargeFramePtr large) {
  if (has_long_name(frame)) return refuse_long_name(worker, frame);
  if (const auto* call = std::get_if<protocol::InvokeFunction>(&frame))
    return invoke(worker, *call, large.get());
  if (const auto* result = std::get_if<protocol::InvocationResult>(&frame))
    return answered(worker, *result, large.get());
  if (is_registration(frame)) {
    if (!worker.namespace_fixed) return buffer_registration(worker, text, std::move(large));
    return handle_registration(worker, frame, large.get());
  }
  std::visit(
      Overloaded{
          [&](const protocol::Ping&) { worker.link.send(R"({"type":"pong"})"); },
          [&](const protocol::TriggerRegistrationResult& f) { triggers_.verdict(worker, f); },
          [&](const protocol::Reattach& f) { reattach(worker, f); },
          [&](const auto&) {  // what only engines say is ignored
            if (worker.observes) handle_observing(worker, frame, large.get());
          },
      },
      frame);
}

void Engine::handle_observing(Worker& worker, const protocol::Frame& frame,
                              const LargeFrame* large) {
  std::visit(
      Overloaded{
          [&](const protocol::Observe& f) { observers_.observe(worker, f); },
          [&](const protocol::Unobserve& f) { observers_.unobserve(worker, f); },
          [&](const protocol::ObserverAck& f) { observers_.acknowledged(worker, f); },
          [&](const protocol::InvocationsObserved& f) { observers_.reported(worker, f, large); },
          [](const auto&) {},
      },
      frame);
}

void Engine::refuse_long_name(Worker& worker, const protocol::Frame& frame) {
  const Error error{"payload_too_large",
                    "an id, a namespace or the trace context of this message has more than " +
                        std::to_string(kMaxNameBytes) + " bytes"};
  const auto* call = std::get_if<protocol::InvokeFunction>(&frame);
  if (call == nullptr) return drop_frame(worker, error);
  // Without what is too long.
  protocol::InvokeFunction known;
  known.invocation_id = call->invocation_id;
  known.action = call->action;
  answer_error(worker, known, error);
}

void Engine::handle_registration(Worker& worker, const protocol::Frame& frame,
                                 const LargeFrame* large) {
  std::visit(Overloaded{
                 [&](const protocol::RegisterFunction& f) { register_function(worker, f, large); },
                 [&](const protocol::UnregisterFunction& f) { unregister_function(worker, f); },
                 [&](const protocol::RegisterTrigger& f) { bind_trigger(worker, f, large); },
                 [&](const protocol::UnregisterTrigger& f) { triggers_.unbind(f.id); },
                 [&](const protocol::RegisterTriggerType& f) {
                   // A blank namespace is ignored silently for trigger types (wire §9.5).
                   if (f.name_space && is_blank(*f.name_space)) return;
                   triggers_.register_type(worker, f, large != nullptr ? large->type : nullptr);
                 },
                 [](const auto&) {},  // services are bookkeeping without effect (wire §10)
             },
             frame);
}

}  // namespace iii::engine
