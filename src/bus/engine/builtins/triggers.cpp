// engine::triggers::*, engine::registered-triggers::* and the legacy engine::trigger-types::list.
#include <algorithm>

#include "bus/engine/builtins/in_process.h"
#include "bus/engine/builtins/introspection.h"
#include "foundation/base/text.h"

namespace iii::engine {

namespace {

struct TriggersListInput {
  std::optional<std::string> search;
  std::optional<std::string> prefix;
  std::optional<std::string> worker;
  std::optional<bool> include_internal;
};
struct TriggersListOutput {
  std::vector<TriggerTypeRow> triggers;
};
struct TriggerInfoInput {
  std::string id;
  std::optional<std::string> name_space;
};
struct RegisteredTriggersListInput {
  std::optional<std::string> search;
  std::optional<std::string> trigger_type;
  std::optional<std::string> function_id;
  std::optional<std::string> worker;
  std::optional<bool> include_internal;
  std::optional<bool> include_parked;
};
struct RegisteredTriggersListOutput {
  std::vector<BindingRow> registered_triggers;
};
struct RegisteredTriggerInfoInput {
  std::string id;
};
struct TriggerTypesListInput {
  std::optional<bool> include_internal;
};
struct LegacyTriggerType {
  std::string id;
  std::string description;
  std::optional<json::Raw> trigger_request_format;
  std::optional<json::Raw> call_request_format;
};
struct TriggerTypesListOutput {
  std::vector<LegacyTriggerType> trigger_types;
};

auto describe(json::Type<TriggersListInput>) {
  using T = TriggersListInput;
  return json::object<T>(
      "TriggersListInput", "Which trigger types to list; all filters must match.",
      json::field("search", &T::search, "Text that id or description must contain, ignoring case."),
      json::field("prefix", &T::prefix, "Text that the id must start with, exactly."),
      json::field("worker", &T::worker, "Only types of this worker, by exact name."),
      json::field("include_internal", &T::include_internal, "true lists `engine::*`, too."));
}
auto describe(json::Type<TriggersListOutput>) {
  return json::object<TriggersListOutput>(
      "TriggersListOutput", "",
      json::field("triggers", &TriggersListOutput::triggers, "One row per trigger type, by id."));
}
auto describe(json::Type<TriggerInfoInput>) {
  using T = TriggerInfoInput;
  return json::object<T>(
      "TriggerInfoInput", "", json::field("id", &T::id, "Id of a trigger type. Required."),
      json::field("namespace", &T::name_space, "Namespace to look in. Default `default`."));
}
auto describe(json::Type<RegisteredTriggersListInput>) {
  using T = RegisteredTriggersListInput;
  return json::object<T>(
      "RegisteredTriggersListInput", "Which bindings to list; all filters must match.",
      json::field("search", &T::search,
                  "Text that id, type or function must contain, ignoring case."),
      json::field("trigger_type", &T::trigger_type, "Only bindings of this type."),
      json::field("function_id", &T::function_id, "Only bindings that call this function."),
      json::field("worker", &T::worker, "Only bindings that call this worker's functions."),
      json::field("include_internal", &T::include_internal,
                  "true lists those that call `engine::*`, too."),
      json::field(
          "include_parked", &T::include_parked,
          "true lists bindings whose type is not registered, too; rows then have `status` and "
          "`owner`."));
}
auto describe(json::Type<RegisteredTriggersListOutput>) {
  using T = RegisteredTriggersListOutput;
  return json::object<T>(
      "RegisteredTriggersListOutput", "",
      json::field("registered_triggers", &T::registered_triggers, "One row per binding, by id."));
}
auto describe(json::Type<RegisteredTriggerInfoInput>) {
  using T = RegisteredTriggerInfoInput;
  return json::object<T>("RegisteredTriggerInfoInput", "",
                         json::field("id", &T::id, "Id of a binding. Required."));
}
auto describe(json::Type<TriggerTypesListInput>) {
  using T = TriggerTypesListInput;
  return json::object<T>(
      "TriggerTypesListInput", "",
      json::field("include_internal", &T::include_internal, "true lists `engine::*`, too."));
}
auto describe(json::Type<LegacyTriggerType>) {
  using T = LegacyTriggerType;
  return json::object<T>(
      "LegacyTriggerType", "", json::field("id", &T::id, kTypeIdHelp),
      json::field("description", &T::description, kFiresHelp),
      json::field("trigger_request_format", &T::trigger_request_format,
                  "JSON Schema of the config of a binding."),
      json::field("call_request_format", &T::call_request_format, "JSON Schema of the payload."));
}
auto describe(json::Type<TriggerTypesListOutput>) {
  using T = TriggerTypesListOutput;
  return json::object<T>(
      "TriggerTypesListOutput", "",
      json::field("trigger_types", &T::trigger_types, "One row per trigger type."));
}

bool contains(std::string_view text, const std::string& needle) {
  return needle.empty() || fold_case(text).find(needle) != std::string::npos;
}

bool is_internal(std::string_view id) { return id.starts_with("engine::"); }

std::unexpected<Error> too_large(size_t most_bytes, std::string_view narrower) {
  return fail("payload_too_large", "The list would have more than " + std::to_string(most_bytes) +
                                       " bytes. Next: narrow it with " + std::string(narrower) +
                                       ".");
}

// Runs on any thread.
Outcome types_listing(const TriggersListInput& in, std::vector<ListedType> all, size_t most_bytes) {
  const std::string needle = fold_case(in.search.value_or(""));
  TriggersListOutput out;
  size_t bytes = 0;
  for (const ListedType& type : all) {
    if (!in.include_internal.value_or(false) && is_internal(type.key.id)) continue;
    if (in.prefix && !type.key.id.starts_with(*in.prefix)) continue;
    if (in.worker && type.worker_name != *in.worker) continue;
    if (!contains(type.key.id, needle) && !contains(type.texts->description, needle)) continue;
    bytes += type.key.id.size() + type.texts->description.size();
    if (bytes > most_bytes) return too_large(most_bytes, "`prefix`, `worker` or `search`");
    out.triggers.push_back(row_of(type));
  }
  std::sort(out.triggers.begin(), out.triggers.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return json::encode(out);
}

// As engines up to 0.12 answered it; workers of that time still ask. Runs on any thread.
Outcome legacy_listing(const TriggerTypesListInput& in, std::vector<ListedType> all,
                       size_t most_bytes) {
  TriggerTypesListOutput out;
  size_t bytes = 0;
  for (const ListedType& type : all) {
    if (!in.include_internal.value_or(false) && is_internal(type.key.id)) continue;
    const TypeTexts& texts = *type.texts;
    bytes += type.key.id.size() + texts.size();
    if (bytes > most_bytes) return too_large(most_bytes, "engine::triggers::list");
    LegacyTriggerType row{.id = type.key.id, .description = texts.description};
    if (texts.trigger_request_format) row.trigger_request_format = {*texts.trigger_request_format};
    if (texts.call_request_format) row.call_request_format = {*texts.call_request_format};
    out.trigger_types.push_back(std::move(row));
  }
  return json::encode(out);
}

// What `write` makes of all types.
template <typename In>
Task<Outcome> list_types(const Catalog& catalog, Turns& turns, In in,
                         Outcome (*write)(const In&, std::vector<ListedType>, size_t)) {
  std::vector<ListedType> all = co_await catalog.types(turns);
  const size_t most = catalog.engine().limits().max_message_bytes;
  co_return co_await Catalog::written(turns, rows_of(all),
                                      [&] { return write(in, std::move(all), most); });
}

Task<Outcome> type_info(const Catalog& catalog, Turns& turns, TriggerInfoInput in) {
  const std::string name_space = in.name_space.value_or("default");
  TriggerTypePtr type = catalog.engine().triggers().type({name_space, in.id});
  if (!type) {
    co_return fail("NOT_FOUND", "Trigger type '" + in.id + "' is not registered in namespace '" +
                                    name_space + "'.");
  }
  const TypeParts parts = co_await catalog.parts_of(turns, std::move(type));
  co_return co_await catalog.written_whole(
      turns, rows_of(parts.listed), [&]() -> Outcome { return json::encode(detail_of(parts)); });
}

// Runs on any thread.
Outcome listing(const RegisteredTriggersListInput& in, std::vector<ListedBinding> all,
                size_t most_bytes) {
  const std::string needle = fold_case(in.search.value_or(""));
  RegisteredTriggersListOutput out;
  size_t bytes = 0;
  for (const ListedBinding& listed : all) {
    const Binding& binding = *listed.binding;
    if (!in.include_internal.value_or(false) && is_internal(binding.function_id)) continue;
    if (in.trigger_type && binding.trigger_type != *in.trigger_type) continue;
    if (in.function_id && binding.function_id != *in.function_id) continue;
    if (in.worker && listed.worker_name != *in.worker) continue;
    if (!contains(binding.id, needle) && !contains(binding.trigger_type, needle) &&
        !contains(binding.function_id, needle)) {
      continue;
    }
    bytes += binding.id.size() + binding.trigger_type.size() + binding.function_id.size() +
             binding.config.size();
    if (bytes > most_bytes) {
      return too_large(most_bytes, "`trigger_type`, `function_id` or `search`");
    }
    BindingRow row = row_of(listed);
    if (in.include_parked.value_or(false)) {
      row.status = listed.live ? "live" : "parked";
      row.owner = listed.owner;
    }
    out.registered_triggers.push_back(std::move(row));
  }
  return json::encode(out);
}

Task<Outcome> list_bindings(const Catalog& catalog, Turns& turns, RegisteredTriggersListInput in) {
  const bool parked_too = in.include_parked.value_or(false);
  std::vector<ListedBinding> found = co_await catalog.bindings(
      turns, [&](const PlacedBinding& placed) { return parked_too || placed.live(); });
  const size_t most = catalog.engine().limits().max_message_bytes;
  co_return co_await Catalog::written(turns, rows_of(found),
                                      [&] { return listing(in, std::move(found), most); });
}

struct BindingParts {
  ListedBinding listed;
  std::optional<TypeParts> type;
  std::optional<FunctionParts> function;
};

// Runs on any thread.
Outcome written(BindingParts parts) {
  const Binding& binding = *parts.listed.binding;
  BindingDetail out{.id = binding.id,
                    .trigger_type = binding.trigger_type,
                    .function_id = binding.function_id,
                    .worker_name = parts.listed.worker_name,
                    .config = {binding.config},
                    .metadata = {},
                    .trigger = {},
                    .function = {}};
  if (binding.metadata) out.metadata = json::Raw{*binding.metadata};
  if (parts.type) out.trigger = detail_of(*parts.type);
  if (parts.function) out.function = detail_of(*parts.function);
  return json::encode(out);
}

Task<Outcome> binding_info(const Catalog& catalog, Turns& turns, RegisteredTriggerInfoInput in) {
  const PlacedBinding* placed = catalog.engine().triggers().live_binding(in.id);
  if (placed == nullptr) {
    co_return fail("NOT_FOUND", "Registered trigger '" + in.id + "' was not found.");
  }
  BindingParts parts{catalog.listed(*placed), {}, {}};
  const Binding& binding = *parts.listed.binding;
  FunctionPtr function;
  if (const auto* f = catalog.engine().functions().find(binding.name_space, binding.function_id)) {
    function = *f;
  }
  size_t rows = rows_of(binding) + (binding.metadata ? binding.metadata->size() / kRowBytes : 0);
  parts.type = co_await catalog.parts_of(turns, placed->type.lock());  // live: there is one
  rows += rows_of(parts.type->listed);
  if (function) {
    parts.function = co_await catalog.parts_of(turns, function);
    rows += rows_of(*parts.function);
  }
  co_return co_await catalog.written_whole(turns, rows, [&] { return written(std::move(parts)); });
}

}  // namespace

std::vector<BuiltinFunction> trigger_introspection(const Catalog& catalog) {
  const std::string owner(kEngineFunctions);
  std::vector<BuiltinFunction> out;
  out.push_back(task_builtin<TriggersListInput>(
      catalog.engine(), owner, "engine::triggers::list",
      "Lists the trigger types that functions can be bound to. Filters must all match. For schemas "
      "call engine::triggers::info.",
      [&catalog](Turns& turns, TriggersListInput in) {
        return list_types(catalog, turns, std::move(in), &types_listing);
      }));
  out.back().response_schema = json::schema<TriggersListOutput>();
  out.push_back(task_builtin<TriggerInfoInput>(
      catalog.engine(), owner, "engine::triggers::info",
      "Describes one trigger type: schema of the config of a binding, schema of what bound "
      "functions receive, owner, number of bindings.",
      [&catalog](Turns& turns, TriggerInfoInput in) {
        return type_info(catalog, turns, std::move(in));
      }));
  out.back().response_schema = json::schema<TriggerTypeDetail>();
  out.push_back(task_builtin<RegisteredTriggersListInput>(
      catalog.engine(), owner, "engine::registered-triggers::list",
      "Lists bindings of functions to trigger types. Filters must all match. For trigger type and "
      "function of one call engine::registered-triggers::info.",
      [&catalog](Turns& turns, RegisteredTriggersListInput in) {
        return list_bindings(catalog, turns, std::move(in));
      }));
  out.back().response_schema = json::schema<RegisteredTriggersListOutput>();
  out.push_back(task_builtin<RegisteredTriggerInfoInput>(
      catalog.engine(), owner, "engine::registered-triggers::info",
      "Describes one binding, with its trigger type and its function in full.",
      [&catalog](Turns& turns, RegisteredTriggerInfoInput in) {
        return binding_info(catalog, turns, std::move(in));
      }));
  out.back().response_schema = json::schema<BindingDetail>();
  out.push_back(task_builtin<TriggerTypesListInput>(
      catalog.engine(), owner, "engine::trigger-types::list",
      "Lists trigger types in the form of engines before 0.13. Use engine::triggers::list.",
      [&catalog](Turns& turns, TriggerTypesListInput in) {
        return list_types(catalog, turns, in, &legacy_listing);
      }));
  out.back().response_schema = json::schema<TriggerTypesListOutput>();
  out.back().listed = false;
  return out;
}

}  // namespace iii::engine
