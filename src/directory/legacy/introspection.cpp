#include "directory/legacy/introspection.h"

#include <algorithm>
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

std::vector<EngineFunction> filtered(const EngineLists& lists, const IdFilter& filter) {
  const Owners owners(lists);
  std::vector<EngineFunction> out;
  for (EngineFunction function : lists.functions) {
    // Functions of several namespaces may share an id: the row itself knows its owner.
    if (!function.worker_name) function.worker_name = owners.of(function.id);
    if (!mentions(filter.search, {function.id, function.description.value_or("")})) continue;
    if (!begins(filter.prefix, function.id) || !is(filter.worker, function.worker_name)) continue;
    out.push_back(std::move(function));
  }
  std::ranges::sort(out, {},
                    [](const EngineFunction& row) { return std::tie(row.id, row.name_space); });
  return out;
}

std::vector<EngineTriggerType> filtered_types(const EngineLists& lists, const IdFilter& filter) {
  std::vector<EngineTriggerType> out;
  for (EngineTriggerType type : lists.types) {
    if (!type.worker_name) type.worker_name = first_part(type.id);
    if (!mentions(filter.search, {type.id + " " + type.description})) continue;
    if (!begins(filter.prefix, type.id) || !is(filter.worker, type.worker_name)) continue;
    out.push_back(std::move(type));
  }
  std::ranges::sort(out, {}, &EngineTriggerType::id);
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
    out.registered_triggers.push_back({trigger, std::move(owner), config_summary(trigger.config)});
  }
  std::ranges::sort(out.registered_triggers, {}, &TriggerEntry::id);
  return out;
}

WorkerEntries list_workers(const EngineLists& lists, const WorkerFilter& filter, bool described) {
  WorkerEntries out;
  for (const EngineWorker& worker : lists.workers) {
    if (!mentions(filter.search, {worker.name.value_or("")})) continue;
    if (!is(filter.runtime, worker.runtime) || !is(filter.status, worker.status)) continue;
    out.workers.push_back(worker);
    if (!described) out.workers.back().description.reset();
  }
  std::ranges::sort(out.workers, {},
                    [](const EngineWorker& worker) { return std::tie(worker.name, worker.id); });
  return out;
}

std::vector<EngineFunction> functions_of(const EngineLists& lists, const EngineWorker& worker) {
  std::map<std::string_view, const EngineFunction*> known;
  std::vector<EngineFunction> out;
  for (const EngineFunction& each : lists.functions) {
    known.emplace(each.id, &each);
    if (!worker.functions && each.worker_name == worker.name) {
      out.push_back({.id = each.id, .description = each.description});
    }
  }
  if (!worker.functions) return out;
  for (const std::string& id : *worker.functions) {
    const auto found = known.find(id);
    out.push_back({.id = id});
    if (found != known.end()) out.back().description = found->second->description;
  }
  return out;
}

}  // namespace iii::directory
