#include "directory/legacy/introspection.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

constexpr size_t kSummaryCharacters = 80;

// A filter that is absent, or that the text meets.
bool mentions(const std::optional<std::string>& needle,
              std::initializer_list<std::string_view> in) {
  if (!needle || needle->empty()) return true;
  const std::string folded = fold_case(*needle);
  return std::ranges::any_of(
      in, [&](std::string_view text) { return fold_case(text).find(folded) != std::string::npos; });
}

bool begins(const std::optional<std::string>& prefix, std::string_view id) {
  return !prefix || id.starts_with(*prefix);
}

bool is(const std::optional<std::string>& wanted, const std::optional<std::string>& value) {
  return !wanted || (value && *value == *wanted);
}

WorkerEntry entry_of(const EngineWorker& worker, bool described) {
  return {.name = worker.name,
          .description = described ? worker.description : std::nullopt,
          .version = worker.version,
          .id = worker.id,
          .runtime = worker.runtime,
          .os = worker.os,
          .status = worker.status,
          .function_count = worker.function_count,
          .connected_at_ms = worker.connected_at_ms,
          .active_invocations = worker.active_invocations,
          .isolation = worker.isolation,
          .ip_address = worker.ip_address};
}

}  // namespace

std::string last_part(std::string_view id) {
  const size_t end = id.rfind("::");
  return std::string(end == std::string_view::npos ? id : id.substr(end + 2));
}

std::optional<std::string> first_part(std::string_view id) {
  const size_t end = id.find("::");
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return std::string(id.substr(0, end));
}

std::optional<std::string> owner_of(const EngineTriggerType& type) {
  return type.worker_name ? type.worker_name : first_part(type.id);
}

std::string config_summary(const json::Value& config) {
  std::string text = json::to_text(config);
  std::ranges::replace(text, '\n', ' ');
  const std::string_view head = utf8_prefix(text, kSummaryCharacters);
  return head.size() == text.size() ? text : std::string(head) + "...";
}

Owners::Owners(const EngineLists& lists) {
  for (const EngineFunction& function : lists.functions) {
    if (function.worker_name) names_.insert_or_assign(function.id, *function.worker_name);
  }
  for (const EngineWorker& worker : lists.workers) {
    if (!worker.name || !worker.functions) continue;
    for (const std::string& id : *worker.functions) names_.insert_or_assign(id, *worker.name);
  }
}

std::optional<std::string> Owners::of(std::string_view function_id) const {
  const auto found = names_.find(function_id);
  return found != names_.end() ? found->second : first_part(function_id);
}

template <Line L>
FunctionEntries<L> list_functions(const EngineLists& lists, const FunctionFilter& filter) {
  const Owners owners(lists);
  FunctionEntries<L> out;
  for (const EngineFunction& function : lists.functions) {
    // Functions of several namespaces may share an id: the row itself knows its owner.
    std::optional<std::string> owner =
        function.worker_name ? function.worker_name : owners.of(function.id);
    if (!mentions(filter.search, {function.id, function.description.value_or("")})) continue;
    if (!begins(filter.prefix, function.id) || !is(filter.worker, owner)) continue;
    out.functions.push_back({.function_id = function.id,
                             .name = last_part(function.id),
                             .worker_name = std::move(owner),
                             .name_space = function.name_space,
                             .description = function.description});
  }
  std::ranges::sort(out.functions, {}, [](const FunctionEntry<L>& row) {
    return std::tie(row.function_id, row.name_space);
  });
  return out;
}

template <Line L>
TypeEntries<L> list_types(const EngineLists& lists, const TypeFilter& filter) {
  TypeEntries<L> out;
  for (const EngineTriggerType& type : lists.types) {
    std::optional<std::string> owner = owner_of(type);
    if (!mentions(filter.search, {type.id + " " + type.description})) continue;
    if (!begins(filter.prefix, type.id) || !is(filter.worker, owner)) continue;
    out.triggers.push_back({.id = type.id,
                            .name = last_part(type.id),
                            .worker_name = std::move(owner),
                            .description = type.description});
  }
  std::ranges::sort(out.triggers, {}, &TypeEntry<L>::id);
  return out;
}

TriggerEntries list_triggers(const EngineLists& lists, const TriggerFilter& filter) {
  const Owners owners(lists);
  TriggerEntries out;
  for (const EngineTrigger& trigger : lists.triggers) {
    std::optional<std::string> owner = owners.of(trigger.function_id);
    const std::string text = trigger.id + " " + trigger.trigger_type + " " + trigger.function_id;
    if (!mentions(filter.search, {text}) || !is(filter.trigger_type, trigger.trigger_type))
      continue;
    if (!is(filter.function_id, trigger.function_id) || !is(filter.worker, owner)) continue;
    out.registered_triggers.push_back({.id = trigger.id,
                                       .trigger_type = trigger.trigger_type,
                                       .function_id = trigger.function_id,
                                       .worker_name = std::move(owner),
                                       .config_summary = config_summary(trigger.config)});
  }
  std::ranges::sort(out.registered_triggers, {}, &TriggerEntry::id);
  return out;
}

WorkerEntries list_workers(const EngineLists& lists, const WorkerFilter& filter, bool described) {
  WorkerEntries out;
  for (const EngineWorker& worker : lists.workers) {
    if (!mentions(filter.search, {worker.name.value_or("")})) continue;
    if (!is(filter.runtime, worker.runtime) || !is(filter.status, worker.status)) continue;
    out.workers.push_back(entry_of(worker, described));
  }
  std::ranges::sort(out.workers, {},
                    [](const WorkerEntry& worker) { return std::tie(worker.name, worker.id); });
  return out;
}

template <Line L>
FunctionDetail<L> function_detail(const EngineFunction& function,
                                  std::optional<std::string> worker_name,
                                  const std::vector<EngineTrigger>& triggers) {
  FunctionDetail<L> out{.function_id = function.id,
                        .name = last_part(function.id),
                        .worker_name = std::move(worker_name),
                        .name_space = function.name_space,
                        .description = function.description,
                        .request_schema = function.request_schema,
                        .response_schema = function.response_schema,
                        .metadata = function.metadata};
  for (const EngineTrigger& trigger : triggers) {
    out.registered_triggers.push_back(
        {.id = trigger.id, .trigger_type = trigger.trigger_type, .config = trigger.config});
  }
  return out;
}

template <Line L>
TypeDetail<L> type_detail(const EngineTriggerType& type, uint64_t instance_count) {
  return {.id = type.id,
          .name = last_part(type.id),
          .worker_name = owner_of(type),
          .description = type.description,
          .configuration_schema = type.configuration_schema,
          .return_schema = type.request_schema,
          .instance_count = instance_count};
}

template <Line L>
std::optional<WorkerDetail<L>> worker_detail(const EngineLists& lists, std::string_view name) {
  const auto worker = std::ranges::find_if(
      lists.workers, [&](const EngineWorker& w) { return w.name && *w.name == name; });
  if (worker == lists.workers.end()) return std::nullopt;
  WorkerDetail<L> out{.worker = entry_of(*worker, L != Line::k041)};
  std::map<std::string_view, const EngineFunction*> known;
  std::vector<std::string_view> ids;
  for (const EngineFunction& function : lists.functions) {
    known.emplace(function.id, &function);
    if (!worker->functions && function.worker_name == name) ids.emplace_back(function.id);
  }
  if (worker->functions) ids.assign(worker->functions->begin(), worker->functions->end());
  for (const std::string_view id : ids) {
    const auto found = known.find(id);
    out.functions.push_back(
        {.function_id = std::string(id),
         .name = last_part(id),
         .description = found != known.end() ? found->second->description : std::nullopt});
  }
  for (const EngineTriggerType& type : lists.types) {
    if (owner_of(type) != name) continue;
    out.trigger_types.push_back(
        {.id = type.id, .name = last_part(type.id), .description = type.description});
  }
  const std::set<std::string_view> its(ids.begin(), ids.end());
  for (const EngineTrigger& trigger : lists.triggers) {
    if (!its.contains(trigger.function_id)) continue;
    out.registered_triggers.push_back({.id = trigger.id,
                                       .trigger_type = trigger.trigger_type,
                                       .function_id = trigger.function_id});
  }
  return out;
}

template FunctionEntries<Line::k041> list_functions(const EngineLists&, const FunctionFilter&);
template FunctionEntries<Line::k051> list_functions(const EngineLists&, const FunctionFilter&);
template TypeEntries<Line::k041> list_types(const EngineLists&, const TypeFilter&);
template TypeEntries<Line::k051> list_types(const EngineLists&, const TypeFilter&);
template FunctionDetail<Line::k041> function_detail(const EngineFunction&,
                                                    std::optional<std::string>,
                                                    const std::vector<EngineTrigger>&);
template FunctionDetail<Line::k051> function_detail(const EngineFunction&,
                                                    std::optional<std::string>,
                                                    const std::vector<EngineTrigger>&);
template TypeDetail<Line::k041> type_detail(const EngineTriggerType&, uint64_t);
template TypeDetail<Line::k051> type_detail(const EngineTriggerType&, uint64_t);
template std::optional<WorkerDetail<Line::k041>> worker_detail(const EngineLists&,
                                                               std::string_view);
template std::optional<WorkerDetail<Line::k051>> worker_detail(const EngineLists&,
                                                               std::string_view);

}  // namespace iii::directory
