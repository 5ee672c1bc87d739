#include "bus/engine/builtins/management.h"

#include "bus/engine/builtins/in_process.h"
#include "foundation/base/text.h"

namespace iii::engine {

namespace {

constexpr size_t kMaxBindingInput = 1024 * 1024;  // config and metadata stay text

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
  std::optional<json::Raw> features;  // of another kind than expected: ignored
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
                         json::field("language", &T::language, "Language of the user."),
                         json::field("project_name", &T::project_name, "Name of the project."),
                         json::field("framework", &T::framework, "Framework in use."));
}
auto describe(json::Type<RegisterWorkerInput>) {
  using T = RegisterWorkerInput;
  return json::object<T>(
      "RegisterWorkerInput", "What a worker announces about itself.",
      json::field("runtime", &T::runtime, "Runtime, for example `node` or `cpp`."),
      json::field("version", &T::version, "Version of the worker's SDK."),
      json::field("name", &T::name, "Name; one live connection per name and namespace."),
      json::field("description", &T::description, "What the worker does."),
      json::field("os", &T::os, "Operating system."),
      json::field("telemetry", &T::telemetry, "For statistics; not used here."),
      json::field("pid", &T::pid,
                  "Process id. Without it engine::workers::list leaves the worker out."),
      json::field("isolation", &T::isolation, "How the worker is isolated."),
      json::field("namespace", &T::name_space,
                  "Namespace of its registrations. Default `default`."),
      json::field("features", &T::features,
                  "Features of the protocol that it knows, for example `observe.v1`."));
}
auto describe(json::Type<RegisterTriggerInput>) {
  using T = RegisterTriggerInput;
  return json::object<T>(
      "RegisterTriggerInput", "A binding that stays when the caller disconnects.",
      json::field("trigger_type", &T::trigger_type, "Trigger type to bind to. Required."),
      json::field("function_id", &T::function_id,
                  "Function that is called when the trigger fires. Required."),
      json::field("config", &T::config, "Config in the form that the trigger type defines.")
          .optional(),
      json::field("metadata", &T::metadata, "Delivered with every event."),
      json::field("trigger_namespace", &T::trigger_namespace, "Namespace of the trigger type."));
}
auto describe(json::Type<UnregisterTriggerInput>) {
  using T = UnregisterTriggerInput;
  return json::object<T>("UnregisterTriggerInput", "",
                         json::field("id", &T::id, "Id of the binding. Required."),
                         json::field("trigger_type", &T::trigger_type, "Accepted and ignored."));
}
auto describe(json::Type<UnregisterTriggerOutput>) {
  using T = UnregisterTriggerOutput;
  return json::object<T>("UnregisterTriggerOutput", "",
                         json::field("removed", &T::removed, "false when there was none."));
}
auto describe(json::Type<CreateChannelInput>) {
  using T = CreateChannelInput;
  return json::object<T>(
      "CreateChannelInput", "",
      json::field("buffer_size", &T::buffer_size, "Messages held for a slow reader. Default 64.")
          .as("usize", "uint")
          .null_default());
}
auto describe(json::Type<Direction>) {
  return json::enumeration<Direction>("ChannelDirection",
                                      {{Direction::kRead, "read"}, {Direction::kWrite, "write"}});
}
auto describe(json::Type<StreamChannelRef>) {
  using T = StreamChannelRef;
  return json::object<T>("StreamChannelRef", "One end of a channel; pass it on as it is.",
                         json::field("channel_id", &T::channel_id, "Id of the channel."),
                         json::field("access_key", &T::access_key, "Secret of this channel."),
                         json::field("direction", &T::direction, ""));
}
auto describe(json::Type<CreateChannelOutput>) {
  using T = CreateChannelOutput;
  return json::object<T>("CreateChannelOutput", "", json::field("writer", &T::writer, ""),
                         json::field("reader", &T::reader, ""));
}

// Those that the engine knows.
Features features_of(const std::optional<json::Raw>& list) {
  constexpr size_t kLongest = 256;  // of a name, with escapes
  Features named;
  if (!list || json::kind_of(list->text) != json::Kind::kArray) return named;
  json::Walker walker(list->text);
  json::Slice key;
  for (json::Slice item; walker.next(key, item);) {
    if (json::kind_of(item) != json::Kind::kString || item.size() > kLongest) continue;
    const std::string name = json::string_of(item);
    named.observe_v1 = named.observe_v1 || name == protocol::kObserveV1;
    named.observe_v2 = named.observe_v2 || name == protocol::kObserveV2;
    named.local_dispatch = named.local_dispatch || name == protocol::kLocalDispatchV1;
  }
  return named;
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
                   .name_space = std::move(in.name_space),
                   .features = features_of(in.features)},
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
      "Announces the caller to the engine: name, version, runtime. Every SDK calls it after "
      "connecting.",
      [&engine](const CallInfo& info, RegisterWorkerInput in, Reply reply) {
        announce(engine, info, std::move(in), std::move(reply));
      }));
  out.push_back(deferred_builtin<RegisterTriggerInput>(
      owner, "engine::register_trigger",
      "Binds a function to a trigger type. The binding stays when the caller disconnects; remove "
      "it "
      "with engine::unregister_trigger.",
      [&engine](const CallInfo& info, RegisterTriggerInput in, Reply reply) {
        bind(engine, info, std::move(in), std::move(reply));
      }));
  out.back().max_input_bytes = kMaxBindingInput;
  out.push_back(builtin<UnregisterTriggerInput, UnregisterTriggerOutput>(
      owner, "engine::unregister_trigger",
      "Removes a binding of a function to a trigger type, by its id.",
      [&engine](const CallInfo&,
                const UnregisterTriggerInput& in) -> Result<UnregisterTriggerOutput> {
        return UnregisterTriggerOutput{engine.triggers().unbind(in.id)};
      }));
  out.push_back(builtin<CreateChannelInput, CreateChannelOutput>(
      owner, "engine::channels::create",
      "Creates a channel for streams between workers and returns both of its ends.",
      [&channels](const CallInfo& info, const CreateChannelInput& in) {
        return create_channel(channels, info, in);
      }));
  return out;
}

}  // namespace iii::engine
