// engine::triggers::*, engine::registered-triggers::* and the legacy engine::trigger-types::list.
#include <algorithm>

#include "base/text.h"
#include "engine/builtins/in_process.h"
#include "engine/builtins/introspection.h"

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

TriggersListOutput list_types(const Catalog& catalog, const TriggersListInput& in) {
  const std::string needle = fold_case(in.search.value_or(""));
  TriggersListOutput out;
  for (const auto& [key, type] : catalog.engine().triggers().types()) {
    if (!in.include_internal.value_or(false) && is_internal(key.id)) continue;
    if (in.prefix && !key.id.starts_with(*in.prefix)) continue;
    if (in.worker && type->worker_name() != *in.worker) continue;
    if (!contains(key.id, needle) && !contains(type->description, needle)) continue;
    out.triggers.push_back(catalog.row(*type));
  }
  std::sort(out.triggers.begin(), out.triggers.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

Result<TriggerTypeDetail> type_info(const Catalog& catalog, const TriggerInfoInput& in) {
  const std::string name_space = in.name_space.value_or("default");
  const TriggerTypePtr type = catalog.engine().triggers().type({name_space, in.id});
  if (!type) {
    return fail("NOT_FOUND", "Trigger type '" + in.id + "' is not registered in namespace '" +
                                 name_space + "'.");
  }
  return catalog.detail(*type);
}

// A binding as other threads may see it.
struct ListedBinding {
  BindingPtr binding;
  std::string worker_name;
  bool live = true;
  std::string owner;
};

// Runs on any thread.
Outcome listing(const RegisteredTriggersListInput& in, const std::vector<ListedBinding>& all,
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
      return fail("payload_too_large",
                  "The list would have more than " + std::to_string(most_bytes) +
                      " bytes. Next: narrow it with `trigger_type`, `function_id` or `search`.");
    }
    BindingRow row = Catalog::row(binding, listed.worker_name);
    if (in.include_parked.value_or(false)) {
      row.status = listed.live ? "live" : "parked";
      row.owner = listed.owner;
    }
    out.registered_triggers.push_back(std::move(row));
  }
  return json::encode(out);
}

// Collected in slices, written on another thread when there is much to write.
void list_bindings(const Catalog& catalog, OwnerId owner, RegisteredTriggersListInput in,
                   Reply reply) {
  const bool parked_too = in.include_parked.value_or(false);
  catalog.in_slices(owner, [&catalog, owner, parked_too, in = std::move(in),
                            reply = std::move(reply), found = std::vector<ListedBinding>(),
                            last = std::optional<std::string>(), size = size_t{0}]() mutable {
    const TriggerTable::Bindings& bindings = catalog.engine().triggers().bindings();
    auto it = last ? bindings.upper_bound(*last) : bindings.begin();
    for (size_t left = Catalog::kRowsAtOnce; left > 0 && it != bindings.end(); --left, ++it) {
      last = it->first;
      const PlacedBinding& placed = it->second;
      if (placed.gone() || (!placed.live() && !parked_too)) continue;
      const BindingPtr& binding = placed.binding;
      found.push_back({binding, catalog.target_worker(*binding), placed.live(),
                       placed.maker != nullptr ? "worker " + placed.maker->label()
                                               : "namespace " + binding->account});
      size += 1 + binding->config.size() / 1024;  // large ones count as several
    }
    if (it != bindings.end()) return true;
    const size_t most = catalog.engine().limits().max_message_bytes;
    catalog.answer(
        owner, size,
        [in = std::move(in), found = std::move(found), most] { return listing(in, found, most); },
        std::move(reply));
    return false;
  });
}

Result<BindingDetail> binding_info(const Catalog& catalog, const RegisteredTriggerInfoInput& in) {
  const PlacedBinding* binding = catalog.engine().triggers().live_binding(in.id);
  if (binding == nullptr) {
    return fail("NOT_FOUND", "Registered trigger '" + in.id + "' was not found.");
  }
  return catalog.detail(*binding);
}

// As engines up to 0.12 answered it; workers of that time still ask.
TriggerTypesListOutput list_legacy(const Catalog& catalog, const TriggerTypesListInput& in) {
  TriggerTypesListOutput out;
  for (const auto& [key, type] : catalog.engine().triggers().types()) {
    if (!in.include_internal.value_or(false) && is_internal(key.id)) continue;
    LegacyTriggerType row{.id = key.id, .description = type->description};
    if (type->trigger_request_format) row.trigger_request_format = {*type->trigger_request_format};
    if (type->call_request_format) row.call_request_format = {*type->call_request_format};
    out.trigger_types.push_back(std::move(row));
  }
  return out;
}

// A function that only reads the catalog.
template <typename In, typename Out, typename F>
BuiltinFunction reader(const Catalog& catalog, std::string id, std::string description, F read) {
  return builtin<In, Out>(
      std::string(kEngineFunctions), std::move(id), std::move(description),
      [&catalog, read](const CallInfo&, const In& in) -> Result<Out> { return read(catalog, in); });
}

}  // namespace

std::vector<BuiltinFunction> trigger_introspection(const Catalog& catalog) {
  std::vector<BuiltinFunction> out;
  out.push_back(reader<TriggersListInput, TriggersListOutput>(
      catalog, "engine::triggers::list",
      "Lists the trigger types that functions can be bound to. Filters must all match. For schemas "
      "call engine::triggers::info.",
      list_types));
  out.push_back(reader<TriggerInfoInput, TriggerTypeDetail>(
      catalog, "engine::triggers::info",
      "Describes one trigger type: schema of the config of a binding, schema of what bound "
      "functions "
      "receive, owner, number of bindings.",
      type_info));
  out.push_back(deferred_builtin<RegisteredTriggersListInput>(
      std::string(kEngineFunctions), "engine::registered-triggers::list",
      "Lists bindings of functions to trigger types. Filters must all match. For trigger type and "
      "function of one call engine::registered-triggers::info.",
      [&catalog](const CallInfo& info, RegisteredTriggersListInput in, Reply reply) {
        list_bindings(catalog, info.owner, std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<RegisteredTriggersListOutput>();
  out.push_back(reader<RegisteredTriggerInfoInput, BindingDetail>(
      catalog, "engine::registered-triggers::info",
      "Describes one binding, with its trigger type and its function in full.", binding_info));
  out.push_back(reader<TriggerTypesListInput, TriggerTypesListOutput>(
      catalog, "engine::trigger-types::list",
      "Lists trigger types in the form of engines before 0.13. Use engine::triggers::list.",
      list_legacy));
  out.back().listed = false;
  return out;
}

}  // namespace iii::engine
