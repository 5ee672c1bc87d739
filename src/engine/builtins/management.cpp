#include "engine/builtins/management.h"

#include "base/text.h"
#include "engine/builtins/in_process.h"

namespace iii::engine {

namespace {

struct WorkerTelemetry {
  std::optional<std::string> language;
  std::optional<std::string> project_name;
  std::optional<std::string> framework;
};
struct RegisterWorkerInput {
  std::optional<std::string> runtime;
  std::optional<std::string> version;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> os;
  std::optional<WorkerTelemetry> telemetry;
  std::optional<uint32_t> pid;
  std::optional<std::string> isolation;
  std::optional<std::string> name_space;
};
struct RegisterTriggerInput {
  std::string trigger_type;
  std::string function_id;
  json::Raw config;
  std::optional<json::Raw> metadata;
  std::optional<std::string> trigger_namespace;
};
struct UnregisterTriggerInput {
  std::string id;
  std::optional<std::string> trigger_type;
};
struct UnregisterTriggerOutput {
  bool removed = false;
};
struct CreateChannelInput {
  std::optional<uint64_t> buffer_size;
};
enum class Direction { kRead, kWrite };
struct StreamChannelRef {
  std::string channel_id;
  std::string access_key;
  Direction direction = Direction::kRead;
};
struct CreateChannelOutput {
  StreamChannelRef writer;
  StreamChannelRef reader;
};

auto describe(json::Type<WorkerTelemetry>) {
  using T = WorkerTelemetry;
  return json::object<T>("WorkerConnectionTelemetryMeta", "",
                         json::field("language", &T::language, ""),
                         json::field("project_name", &T::project_name, ""),
                         json::field("framework", &T::framework, ""));
}
auto describe(json::Type<RegisterWorkerInput>) {
  using T = RegisterWorkerInput;
  return json::object<T>(
      "RegisterWorkerInput", "What a worker says of itself.",
      json::field("runtime", &T::runtime, "For example `node` or `cpp`."),
      json::field("version", &T::version, "Of the worker's SDK."),
      json::field("name", &T::name, "One live connection per name and namespace."),
      json::field("description", &T::description, ""), json::field("os", &T::os, ""),
      json::field("telemetry", &T::telemetry, ""),
      json::field("pid", &T::pid, "Without it the worker stays out of lists."),
      json::field("isolation", &T::isolation, ""),
      json::field("namespace", &T::name_space,
                  "Where its registrations go; `default` when absent."));
}
auto describe(json::Type<RegisterTriggerInput>) {
  using T = RegisterTriggerInput;
  return json::object<T>(
      "RegisterTriggerInput", "A binding that outlives the connection of its maker.",
      json::field("trigger_type", &T::trigger_type, ""),
      json::field("function_id", &T::function_id, "Called when the trigger fires."),
      json::field("config", &T::config, "As the trigger type wants it.").optional(),
      json::field("metadata", &T::metadata, "Delivered beside every event."),
      json::field("trigger_namespace", &T::trigger_namespace, "Where to look for the type."));
}
auto describe(json::Type<UnregisterTriggerInput>) {
  using T = UnregisterTriggerInput;
  return json::object<T>("UnregisterTriggerInput", "", json::field("id", &T::id, "The binding."),
                         json::field("trigger_type", &T::trigger_type, "A hint; not needed."));
}
auto describe(json::Type<UnregisterTriggerOutput>) {
  using T = UnregisterTriggerOutput;
  return json::object<T>("UnregisterTriggerOutput", "",
                         json::field("removed", &T::removed, "False when there was none."));
}
auto describe(json::Type<CreateChannelInput>) {
  using T = CreateChannelInput;
  return json::object<T>(
      "CreateChannelInput", "",
      json::field("buffer_size", &T::buffer_size, "").as("usize", "uint").null_default());
}
auto describe(json::Type<Direction>) {
  return json::enumeration<Direction>("ChannelDirection",
                                      {{Direction::kRead, "read"}, {Direction::kWrite, "write"}});
}
auto describe(json::Type<StreamChannelRef>) {
  using T = StreamChannelRef;
  return json::object<T>("StreamChannelRef", "", json::field("channel_id", &T::channel_id, ""),
                         json::field("access_key", &T::access_key, ""),
                         json::field("direction", &T::direction, ""));
}
auto describe(json::Type<CreateChannelOutput>) {
  using T = CreateChannelOutput;
  return json::object<T>("CreateChannelOutput", "", json::field("writer", &T::writer, ""),
                         json::field("reader", &T::reader, ""));
}

void announce(Engine& engine, const CallInfo& info, RegisterWorkerInput in, Reply reply) {
  if (!info.caller) {
    return reply(fail("INVALID_ARGUMENTS", "only a connected worker can announce itself"));
  }
  engine.announce(*info.caller,
                  {.name = std::move(in.name),
                   .description = std::move(in.description),
                   .version = std::move(in.version),
                   .runtime = std::move(in.runtime),
                   .os = std::move(in.os),
                   .isolation = std::move(in.isolation),
                   .pid = in.pid,
                   .name_space = std::move(in.name_space)},
                  std::move(reply));
}

void bind(Engine& engine, const CallInfo& info, RegisterTriggerInput in, Reply reply) {
  Binding binding{.id = engine.ids().next().to_string(),
                  .trigger_type = std::move(in.trigger_type),
                  .function_id = std::move(in.function_id),
                  .config = std::move(in.config.text),
                  .trigger_namespace = std::move(in.trigger_namespace)};
  if (in.metadata) binding.metadata = std::move(in.metadata->text);
  const Worker* maker = info.caller ? engine.worker(*info.caller) : nullptr;
  std::string answer = "{\"id\":\"" + binding.id + "\"}";
  engine.triggers().bind_by_function(
      maker != nullptr ? maker->name_space : "default", std::move(binding),
      [answer = std::move(answer), reply = std::move(reply)](std::optional<Error> refusal) mutable {
        if (refusal) return reply(fail("trigger_registration_failed", std::move(refusal->message)));
        reply(std::move(answer));
      });
}

Result<CreateChannelOutput> create_channel(ChannelTable& channels, const CallInfo& info,
                                           const CreateChannelInput& in) {
  const uint64_t items = in.buffer_size.value_or(ChannelTable::kDefaultItems);
  Result<ChannelTable::Ref> ref = channels.create(items, info.caller);
  if (!ref) return std::unexpected(std::move(ref.error()));
  return CreateChannelOutput{{ref->channel_id, ref->access_key, Direction::kWrite},
                             {ref->channel_id, ref->access_key, Direction::kRead}};
}

}  // namespace

std::vector<BuiltinFunction> management(Engine& engine, ChannelTable& channels) {
  const std::string owner(kEngineFunctions);
  std::vector<BuiltinFunction> out;
  out.push_back(deferred_builtin<RegisterWorkerInput>(
      owner, "engine::workers::register",
      "Tells the engine who a connection is; every SDK calls it after connecting.",
      [&engine](const CallInfo& info, RegisterWorkerInput in, Reply reply) {
        announce(engine, info, std::move(in), std::move(reply));
      }));
  out.push_back(deferred_builtin<RegisterTriggerInput>(
      owner, "engine::register_trigger",
      "Binds a function to a trigger, independently of the caller's connection.",
      [&engine](const CallInfo& info, RegisterTriggerInput in, Reply reply) {
        bind(engine, info, std::move(in), std::move(reply));
      }));
  out.push_back(builtin<UnregisterTriggerInput, UnregisterTriggerOutput>(
      owner, "engine::unregister_trigger", "Removes a trigger binding.",
      [&engine](const CallInfo&,
                const UnregisterTriggerInput& in) -> Result<UnregisterTriggerOutput> {
        return UnregisterTriggerOutput{engine.triggers().unbind(in.id)};
      }));
  out.push_back(builtin<CreateChannelInput, CreateChannelOutput>(
      owner, "engine::channels::create", "Makes a stream channel and returns both of its ends.",
      [&channels](const CallInfo& info, const CreateChannelInput& in) {
        return create_channel(channels, info, in);
      }));
  return out;
}

}  // namespace iii::engine
