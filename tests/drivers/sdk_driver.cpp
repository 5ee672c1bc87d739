// A worker with one function for each thing the C++ SDK can do, for the end-to-end tests.
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bus/sdk/worker.h"

namespace sdk = iii::sdk;
namespace json = iii::json;
using iii::Millis;
using iii::Result;

struct AddInput {
  int64_t a = 0;
  int64_t b = 0;
};
auto describe(json::Type<AddInput>) {
  return json::object<AddInput>("AddInput", "Two numbers.",
                                json::field("a", &AddInput::a, "The first."),
                                json::field("b", &AddInput::b, "The second."));
}
struct Sum {
  int64_t sum = 0;
};
auto describe(json::Type<Sum>) {
  return json::object<Sum>("Sum", "A sum.", json::field("sum", &Sum::sum, "The sum."));
}

struct FailInput {
  std::string code = "DRIVER_FAILED";
  std::string message = "failed on request";
};
auto describe(json::Type<FailInput>) {
  return json::object<FailInput>(
      "FailInput", "How to fail.", json::field("code", &FailInput::code, "The code.").optional(),
      json::field("message", &FailInput::message, "The text.").optional());
}

// Any call, with any options.
struct CallInput {
  std::string function_id;
  json::Raw payload;
  std::optional<int64_t> timeout_ms;
  std::optional<json::Raw> metadata;
  std::optional<std::string> name_space;
};
auto describe(json::Type<CallInput>) {
  return json::object<CallInput>(
      "CallInput", "A call to make.", json::field("function_id", &CallInput::function_id, "Whom."),
      json::field("payload", &CallInput::payload, "With what.").optional(),
      json::field("timeout_ms", &CallInput::timeout_ms, "For how long."),
      json::field("metadata", &CallInput::metadata, "Beside the payload."),
      json::field("namespace", &CallInput::name_space, "Where."));
}

struct SlowInput {
  int64_t ms = 100;
  bool blocking = false;
};
auto describe(json::Type<SlowInput>) {
  return json::object<SlowInput>(
      "SlowInput", "How long to take.",
      json::field("ms", &SlowInput::ms, "Milliseconds.").optional(),
      json::field("blocking", &SlowInput::blocking, "On the pool?").optional());
}

struct TickConfig {
  std::string label;
  bool refuse = false;
};
auto describe(json::Type<TickConfig>) {
  return json::object<TickConfig>("TickConfig", "A binding.",
                                  json::field("label", &TickConfig::label, "Any word.").optional(),
                                  json::field("refuse", &TickConfig::refuse, "Say no.").optional());
}

struct BindInput {
  std::string trigger_type;
  std::string function_id;
  json::Raw config;
  std::optional<json::Raw> metadata;
};
auto describe(json::Type<BindInput>) {
  return json::object<BindInput>(
      "BindInput", "What to bind.",
      json::field("trigger_type", &BindInput::trigger_type, "To what."),
      json::field("function_id", &BindInput::function_id, "Which function."),
      json::field("config", &BindInput::config, "How.").optional(),
      json::field("metadata", &BindInput::metadata, "With what beside."));
}

struct IdInput {
  std::string id;
};
auto describe(json::Type<IdInput>) {
  return json::object<IdInput>("IdInput", "An id.", json::field("id", &IdInput::id, "The id."));
}

struct RefInput {
  sdk::ChannelRef reader;
};
auto describe(json::Type<RefInput>) {
  return json::object<RefInput>("RefInput", "A channel to read.",
                                json::field("reader", &RefInput::reader, "Its read end."));
}
struct ChannelSum {
  int64_t sum = 0;
  int64_t bytes = 0;
  std::vector<std::string> texts;
};
auto describe(json::Type<ChannelSum>) {
  return json::object<ChannelSum>("ChannelSum", "What a channel carried.",
                                  json::field("sum", &ChannelSum::sum, "Of all byte values."),
                                  json::field("bytes", &ChannelSum::bytes, "How many."),
                                  json::field("texts", &ChannelSum::texts, "Text items."));
}
struct StreamInput {
  sdk::ChannelRef writer;
  int64_t bytes = 0;
};
auto describe(json::Type<StreamInput>) {
  return json::object<StreamInput>("StreamInput", "A channel to fill.",
                                   json::field("writer", &StreamInput::writer, "Its write end."),
                                   json::field("bytes", &StreamInput::bytes, "How many bytes."));
}

namespace {

json::Value value_of(const json::Raw& raw) { return json::parse(raw.text).value_or(json::Value()); }

json::Value value_of(const iii::Error& error) {
  return json::Object{{"code", error.code}, {"message", error.message}};
}

sdk::Task<json::Value> call_other(sdk::Call call, CallInput in) {
  sdk::CallOptions options;
  if (in.timeout_ms) options.timeout = Millis(*in.timeout_ms);
  options.metadata = in.metadata;
  options.name_space = in.name_space.value_or("");
  const sdk::Reply<json::Raw> reply = co_await call.trigger(in.function_id, in.payload, options);
  if (!reply) co_return json::Object{{"error", value_of(reply.error())}};
  co_return json::Object{{"result", value_of(*reply)}};
}

sdk::Task<json::Value> enqueue_other(sdk::Call call, CallInput in) {
  const sdk::Reply<sdk::Receipt> reply = co_await call.enqueue("jobs", in.function_id, in.payload);
  if (!reply) co_return json::Object{{"error", value_of(reply.error())}};
  co_return json::Object{{"receipt", reply->message_receipt_id}};
}

sdk::Task<std::string> slow(sdk::Call call, SlowInput in) {
  if (in.blocking) {
    auto block = [ms = in.ms] { std::this_thread::sleep_for(Millis(ms)); };
    co_await call.pool().run(block);
  } else {
    co_await call.sleep(Millis(in.ms));
  }
  co_return "done";
}

json::Value caller(const sdk::Call& call) {
  const auto metadata = call.metadata();
  return json::Object{
      {"caller", call.caller_worker_id()},
      {"metadata", metadata ? value_of(*metadata) : json::Value()},
      {"traceparent", call.traceparent() ? json::Value(*call.traceparent()) : json::Value()},
      {"baggage", call.baggage() ? json::Value(*call.baggage()) : json::Value()},
      {"answerable", call.is_answerable()}};
}

// Bindings as the provider saw them come and go.
class Ticks {
 public:
  explicit Ticks(sdk::Worker& worker) : worker_(worker) {
    auto on_bind = [this](const sdk::Binding<TickConfig>& binding) -> Result<void> {
      if (binding.config.refuse) return iii::fail("", "refused on request");
      events_.emplace_back("bound " + binding.id);
      return {};
    };
    auto on_unbind = [this](const sdk::Binding<TickConfig>& binding) {
      events_.emplace_back("unbound " + binding.id);
    };
    type_ = worker
                .trigger_type<TickConfig>("driver::tick", "Fires when driver::fire is called.",
                                          on_bind, on_unbind)
                .value();
  }

  json::Value bindings() const {
    json::Array rows;
    for (const auto& [id, binding] : type_->bindings()) {
      rows.push_back(json::Object{
          {"id", id},
          {"function_id", binding.function_id},
          {"label", binding.config.label},
          {"metadata", binding.metadata ? value_of(*binding.metadata) : json::Value()}});
    }
    json::Array events(events_.begin(), events_.end());
    return json::Object{{"bindings", std::move(rows)}, {"events", std::move(events)}};
  }

  // Calls every bound function and tells what they answered.
  sdk::Task<json::Value> fire(json::Raw payload) {
    const auto bindings = type_->bindings();
    json::Array answers;
    for (const auto& [id, binding] : bindings) {
      const sdk::Reply<json::Raw> reply = co_await worker_.fire(binding, payload);
      answers.push_back(json::Object{
          {"id", id},
          {reply ? "result" : "error", reply ? value_of(*reply) : value_of(reply.error())}});
    }
    co_return json::Object{{"answers", std::move(answers)}};
  }

 private:
  sdk::Worker& worker_;
  std::optional<sdk::TriggerType<TickConfig>> type_;
  std::vector<std::string> events_;
};

sdk::Task<Result<ChannelSum>> channel_sum(sdk::Worker* worker, RefInput in) {
  sdk::ChannelReader reader = worker->open_reader(in.reader);
  ChannelSum out;
  while (true) {
    Result<std::optional<sdk::ChannelItem>> item = co_await reader.next();
    if (!item) co_return std::unexpected(item.error());
    if (!*item) co_return out;
    const std::string& data = (*item)->data;
    if ((*item)->is_text) {
      out.texts.push_back(data);
      continue;
    }
    out.bytes += static_cast<int64_t>(data.size());
    for (const char c : data) out.sum += static_cast<unsigned char>(c);
  }
}

sdk::Task<Result<std::string>> channel_fill(sdk::Worker* worker, StreamInput in) {
  sdk::ChannelWriter writer = worker->open_writer(in.writer);
  Result<void> sent = co_await writer.send_text("begin");
  if (!sent) co_return std::unexpected(sent.error());
  std::string bytes(static_cast<size_t>(in.bytes), '\x07');
  sent = co_await writer.write(std::move(bytes));
  if (!sent) co_return std::unexpected(sent.error());
  writer.close();
  co_return "filled";
}

// Both ends here: makes a channel, lets this worker write and read it through the engine.
sdk::Task<Result<json::Value>> channel_loop(sdk::Worker* worker, SlowInput in) {
  const sdk::Reply<sdk::Channel> channel = co_await worker->create_channel(16);
  if (!channel) co_return std::unexpected(channel.error());
  StreamInput stream;
  stream.writer = channel->writer;
  stream.bytes = in.ms;
  auto filling = worker->trigger("driver::channel_fill", stream);
  sdk::ChannelReader reader = worker->open_reader(channel->reader);
  Result<std::string> bytes = co_await reader.read_all(64 * 1024 * 1024);
  if (!bytes) co_return std::unexpected(bytes.error());
  const sdk::Reply<json::Raw> filled = co_await filling;
  if (!filled) co_return std::unexpected(filled.error());
  co_return json::Object{{"bytes", bytes->size()}};
}

void register_calls(sdk::Worker& worker) {
  worker.function("driver::echo", "Gives back what it got.", [](json::Raw in) { return in; });
  worker.function("driver::add", "Adds two numbers.", [](AddInput in) { return Sum{in.a + in.b}; });
  worker.function("driver::fail", "Fails with the code asked for.",
                  [](FailInput in) -> Result<Sum> { return iii::fail(in.code, in.message); });
  worker.function("driver::throw", "Throws.",
                  []() -> Sum { throw std::runtime_error("thrown on request"); });
  worker.function("driver::nothing", "Returns nothing.", [] {});
  worker.function("driver::call", "Calls another function.", call_other);
  worker.function("driver::enqueue", "Enqueues a call of another function.", enqueue_other);
  worker.function("driver::void", "Calls another function without waiting.",
                  [](sdk::Call call, CallInput in) -> Result<std::string> {
                    auto sent = call.trigger_void(in.function_id, in.payload);
                    if (!sent) return std::unexpected(sent.error());
                    return "sent";
                  });
  worker.function("driver::slow", "Takes its time.", slow);
  worker.function("driver::caller", "Tells who called, and what came beside the payload.", caller);
  worker.function("driver::many", "64 calls of driver::add at once.",
                  [](sdk::Call call) -> sdk::Task<Result<Sum>> {
                    std::vector<sdk::Pending<Sum>> calls;
                    AddInput one;
                    one.b = 1;
                    for (int i = 0; i < 64; ++i)
                      calls.push_back(call.trigger<Sum>("driver::add", one));
                    Sum total;
                    for (auto& pending : calls) {
                      const sdk::Reply<Sum> reply = co_await pending;
                      if (!reply) co_return std::unexpected(reply.error());
                      total.sum += reply->sum;
                    }
                    co_return total;
                  });
}

void register_bindings(sdk::Worker& worker, Ticks& ticks) {
  worker.function("driver::bindings", "What is bound to driver::tick.",
                  [&] { return ticks.bindings(); });
  worker.function("driver::fire", "Fires driver::tick.",
                  [&](json::Raw in) { return ticks.fire(in); });
  worker.function("driver::bind", "Binds a function to a trigger type.",
                  [&](BindInput in) -> Result<IdInput> {
                    sdk::TriggerSpec spec;
                    spec.trigger_type = in.trigger_type;
                    spec.function_id = in.function_id;
                    spec.config = in.config.text;
                    if (in.metadata) spec.metadata = in.metadata->text;
                    auto id = worker.bind(std::move(spec));
                    if (!id) return std::unexpected(id.error());
                    return IdInput{*id};
                  });
  worker.function("driver::unbind", "Ends a binding of this worker.",
                  [&](IdInput in) { return worker.unbind(in.id); });
  worker.function("driver::unregister", "Withdraws a function of this worker.",
                  [&](IdInput in) { return worker.unregister_function(in.id); });
}

void register_channels(sdk::Worker& worker) {
  worker.function("driver::channel_sum", "Adds up the bytes of a channel.",
                  [&](RefInput in) { return channel_sum(&worker, std::move(in)); });
  worker.function("driver::channel_fill", "Writes bytes into a channel.",
                  [&](StreamInput in) { return channel_fill(&worker, std::move(in)); });
  worker.function("driver::channel_loop", "Sends `ms` bytes through a channel of its own.",
                  [&](SlowInput in) { return channel_loop(&worker, in); });
}

}  // namespace

int main() {
  sdk::Worker worker;
  Ticks ticks(worker);
  register_calls(worker);
  register_bindings(worker, ticks);
  register_channels(worker);
  return worker.run();
}
