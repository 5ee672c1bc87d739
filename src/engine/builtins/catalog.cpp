#include "engine/builtins/catalog.h"

#include <algorithm>

#include "base/text.h"
#include "engine/builtins/in_process.h"
#include "json/write.h"

namespace iii::engine {

namespace {

std::optional<json::Raw> raw(const std::optional<std::string>& text) {
  return text ? std::optional(json::Raw{*text}) : std::nullopt;
}

constexpr size_t kSummaryCharacters = 80;

// Sorted keys, no white space, cut to 80 characters.
std::string summary_of(const std::string& config) {
  const auto value = json::parse(config);
  const std::string text = value ? json::to_text(*value) : config;
  const std::string_view head = utf8_prefix(text, kSummaryCharacters);
  return head.size() == text.size() ? text : std::string(head) + "…";
}

WorkerDetail detail_of(const Worker& w) {
  return {.row = {.name = w.name,
                  .description = w.description,
                  .version = w.version,
                  .id = w.id_text,
                  .name_space = w.name_space,
                  .runtime = w.runtime,
                  .os = w.os,
                  .status = "connected",
                  .function_count = w.functions.size(),
                  .connected_at_ms = w.connected_at_ms,
                  .active_invocations = w.active_invocations(),
                  .isolation = w.isolation,
                  .ip_address = w.ip},
          .internal = false,
          .pid = w.pid};
}

}  // namespace

FunctionRow Catalog::row(const Function& f, std::string worker_name) {
  return {.function_id = f.id,
          .name_space = f.name_space,
          .worker_name = std::move(worker_name),
          .description = f.description,
          .metadata = raw(f.metadata)};
}

FunctionDetail Catalog::detail(const Function& f) const {
  FunctionDetail out{.function_id = f.id,
                     .name_space = f.name_space,
                     .worker_name = f.worker_name(),
                     .description = f.description,
                     .request_schema = raw(f.request_format),
                     .response_schema = raw(f.response_format),
                     .metadata = raw(f.metadata),
                     .registered_triggers = {}};
  for (const std::string_view id : engine_.triggers().calling(f.name_space, f.id)) {
    if (const PlacedBinding* placed = engine_.triggers().live_binding(id)) {
      const Binding& binding = *placed->binding;
      out.registered_triggers.push_back({binding.id, binding.trigger_type, {binding.config}});
    }
  }
  return out;
}

TriggerTypeRow Catalog::row(const TriggerType& type) const {
  return {.id = type.key.id,
          .name_space = type.key.name_space,
          .worker_name = type.worker_name(),
          .description = type.description};
}

TriggerTypeDetail Catalog::detail(const TriggerType& type) const {
  TriggerTypeDetail out{.id = type.key.id,
                        .name_space = type.key.name_space,
                        .worker_name = type.worker_name(),
                        .description = type.description,
                        .configuration_schema = raw(type.trigger_request_format),
                        .request_schema = raw(type.call_request_format)};
  for (const std::string_view id : engine_.triggers().of_type(type.key.id)) {
    if (engine_.triggers().live_binding(id) != nullptr) ++out.instance_count;
  }
  return out;
}

std::string Catalog::target_worker(const Binding& binding) const {
  const FunctionPtr* target = engine_.functions().find(binding.name_space, binding.function_id);
  return target != nullptr ? (*target)->worker_name() : first_segment(binding.function_id);
}

BindingRow Catalog::row(const Binding& binding, std::string worker_name) {
  return {.id = binding.id,
          .trigger_type = binding.trigger_type,
          .function_id = binding.function_id,
          .worker_name = std::move(worker_name),
          .config = {binding.config},
          .config_summary = summary_of(binding.config),
          .status = {},
          .owner = {}};
}

BindingDetail Catalog::detail(const PlacedBinding& placed) const {
  const Binding& binding = *placed.binding;
  BindingDetail out{.id = binding.id,
                    .trigger_type = binding.trigger_type,
                    .function_id = binding.function_id,
                    .worker_name = target_worker(binding),
                    .config = {binding.config},
                    .metadata = raw(binding.metadata),
                    .trigger = {},
                    .function = {}};
  if (const TriggerTypePtr type = placed.type.lock()) out.trigger = detail(*type);
  if (const auto* target = engine_.functions().find(binding.name_space, binding.function_id)) {
    out.function = detail(**target);
  }
  return out;
}

std::vector<WorkerDetail> Catalog::connected_workers() const {
  std::vector<WorkerDetail> out;
  for (const auto& [id, worker] : engine_.workers()) out.push_back(detail_of(*worker));
  return out;
}

void Catalog::in_slices(OwnerId owner, std::move_only_function<bool()> step) const {
  if (step()) engine_.slices().add(owner, std::move(step));
}

void Catalog::collect_functions(
    OwnerId owner, std::move_only_function<void(std::vector<ListedFunction>)> then) const {
  in_slices(owner, [this, then = std::move(then), found = std::vector<ListedFunction>(),
                    last = std::string()]() mutable {
    std::optional<std::string> next =
        engine_.functions().each_after(last, kRowsAtOnce, [&found](const FunctionPtr& f) {
          if (f->listed()) found.push_back({f, f->worker_name()});
        });
    if (next) {
      last = std::move(*next);
      return true;
    }
    then(std::move(found));
    return false;
  });
}

void Catalog::collect_workers(OwnerId owner,
                              std::move_only_function<void(std::vector<WorkerDetail>)> then) const {
  in_slices(owner, [this, then = std::move(then), found = std::vector<WorkerDetail>(),
                    last = std::optional<Uuid>()]() mutable {
    const auto& workers = engine_.workers();
    auto it = last ? workers.upper_bound(*last) : workers.begin();
    for (size_t left = kRowsAtOnce; left > 0 && it != workers.end(); --left, ++it) {
      found.push_back(detail_of(*it->second));
      last = it->first;
    }
    if (it != workers.end()) return true;
    then(std::move(found));
    return false;
  });
}

void Catalog::answer(OwnerId owner, size_t rows, std::move_only_function<Outcome()> make,
                     Reply reply) const {
  if (rows <= kRowsAtOnce) return reply(make());
  engine_.background().compute(
      owner, std::move(make),
      [reply = std::move(reply)](Outcome outcome) mutable { reply(std::move(outcome)); });
}

std::vector<WorkerDetail> Catalog::in_process_workers() const {
  std::map<std::string, uint64_t, std::less<>> counts;
  engine_.functions().each([&](const FunctionPtr& f) {
    if (f->builtin != nullptr && f->listed()) ++counts[f->builtin->owner];
  });
  std::vector<WorkerDetail> out;
  for (const InProcessWorker& w : kInProcessWorkers) {
    const auto count = counts.find(w.name);
    out.push_back({.row = {.name = std::string(w.name),
                           .description = std::string(w.description),
                           .version = version_,
                           .id = std::string(w.name),
                           .name_space = "default",
                           .runtime = "engine",
                           .os = {},
                           .status = "available",
                           .function_count = count == counts.end() ? 0 : count->second,
                           .connected_at_ms = started_ms_,
                           .active_invocations = 0,
                           .isolation = "in-process",
                           .ip_address = {}},
                   .internal = w.mandatory,
                   .pid = {}});
  }
  return out;
}

std::vector<FunctionPtr> Catalog::all_functions() const {
  std::vector<FunctionPtr> out;
  engine_.functions().each([&](const FunctionPtr& f) {
    if (f->listed()) out.push_back(f);
  });
  std::sort(out.begin(), out.end(), [](const FunctionPtr& a, const FunctionPtr& b) {
    return std::tie(a->id, a->name_space) < std::tie(b->id, b->name_space);
  });
  return out;
}

}  // namespace iii::engine
