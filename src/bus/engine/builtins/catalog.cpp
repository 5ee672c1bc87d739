#include "bus/engine/builtins/catalog.h"

#include <algorithm>

#include "bus/engine/builtins/in_process.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

constexpr size_t kSummaryCharacters = 80;

std::optional<json::Raw> raw(const std::optional<std::string>& text) {
  return text ? std::optional(json::Raw{*text}) : std::nullopt;
}

size_t size_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

// Sorted keys, no white space, cut to 80 characters. A large one as it is: its value would take
// many times its memory.
std::string summary_of(const std::string& config) {
  constexpr size_t kMostSorted = 64 * 1024;
  std::string sorted;
  if (config.size() <= kMostSorted) {
    if (const auto value = json::parse(config)) sorted = json::to_text(*value);
  }
  const std::string_view text = sorted.empty() ? config : sorted;
  const std::string_view head = utf8_prefix(text, kSummaryCharacters);
  return std::string(head) + (head.size() == text.size() ? "" : "…");
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

// Where to go on in a table after a slice; ids of bindings are views that may not outlive it.
template <typename Key, typename Value>
Key key_of(const std::pair<const Key, Value>& entry) {
  return entry.first;
}
std::string key_of(std::string_view entry) { return std::string(entry); }

}  // namespace

FunctionRow row_of(const ListedFunction& listed) {
  const Function& f = *listed.function;
  return {.function_id = f.id,
          .name_space = f.name_space,
          .worker_name = listed.worker_name,
          .description = f.description,
          .metadata = raw(f.metadata)};
}

TriggerTypeRow row_of(const ListedType& listed) {
  return {.id = listed.key.id,
          .name_space = listed.key.name_space,
          .worker_name = listed.worker_name,
          .description = listed.texts->description};
}

BindingRow row_of(const ListedBinding& listed) {
  const Binding& binding = *listed.binding;
  return {.id = binding.id,
          .trigger_type = binding.trigger_type,
          .function_id = binding.function_id,
          .worker_name = listed.worker_name,
          .config = {binding.config},
          .config_summary = summary_of(binding.config),
          .status = {},
          .owner = {}};
}

FunctionDetail detail_of(const FunctionParts& parts) {
  const Function& f = *parts.listed.function;
  FunctionDetail out{.function_id = f.id,
                     .name_space = f.name_space,
                     .worker_name = parts.listed.worker_name,
                     .description = f.description,
                     .request_schema = raw(f.request_format),
                     .response_schema = raw(f.response_format),
                     .metadata = raw(f.metadata),
                     .registered_triggers = {}};
  for (const BindingPtr& binding : parts.bindings) {
    out.registered_triggers.push_back({binding->id, binding->trigger_type, {binding->config}});
  }
  return out;
}

TriggerTypeDetail detail_of(const TypeParts& parts) {
  const TypeTexts& texts = *parts.listed.texts;
  return {.id = parts.listed.key.id,
          .name_space = parts.listed.key.name_space,
          .worker_name = parts.listed.worker_name,
          .description = texts.description,
          .instance_count = parts.instances,
          .configuration_schema = raw(texts.trigger_request_format),
          .request_schema = raw(texts.call_request_format)};
}

size_t rows_of(const ListedFunction& listed) {
  const Function& f = *listed.function;
  return 1 + (f.id.size() + f.name_space.size() + size_of(f.description) + size_of(f.metadata)) /
                 kRowBytes;
}

size_t rows_of(const ListedType& listed) {
  return 1 +
         (listed.key.id.size() + listed.key.name_space.size() + listed.texts->size()) / kRowBytes;
}

size_t rows_of(const Binding& binding) {
  return 1 + (binding.id.size() + binding.function_id.size() + binding.config.size()) / kRowBytes;
}

size_t rows_of(const FunctionParts& parts) {
  const Function& f = *parts.listed.function;
  return rows_of(parts.listed) + rows_of(parts.bindings) +
         (size_of(f.request_format) + size_of(f.response_format)) / kRowBytes;
}

void Catalog::in_slices(OwnerId owner, std::move_only_function<bool()> step) const {
  if (step()) engine_.slices().add(owner, std::move(step));
}

template <typename Found, typename Table, typename Visit>
void Catalog::walk(OwnerId owner, Table table, Visit visit, Then<Found> then, Found found) const {
  using Key = decltype(key_of(*table().begin()));
  in_slices(owner, [table = std::move(table), visit = std::move(visit), then = std::move(then),
                    found = std::move(found), last = std::optional<Key>()]() mutable {
    const auto& entries = table();
    auto it = last ? entries.upper_bound(*last) : entries.begin();
    for (size_t left = kRowsAtOnce; left > 0 && it != entries.end(); --left, ++it) {
      visit(found, *it);
      if (left == 1) last = key_of(*it);
    }
    if (it != entries.end()) return true;
    then(std::move(found));
    return false;
  });
}

void Catalog::collect_functions(OwnerId owner, Filter<Function> filter,
                                Then<std::vector<ListedFunction>> then) const {
  in_slices(owner, [this, filter = std::move(filter), then = std::move(then),
                    found = std::vector<ListedFunction>(), last = std::string()]() mutable {
    std::optional<std::string> next =
        engine_.functions().each_after(last, kRowsAtOnce, [&](const FunctionPtr& f) {
          if (f->listed() && (!filter || filter(*f))) found.push_back({f, f->worker_name()});
        });
    if (next) {
      last = std::move(*next);
      return true;
    }
    then(std::move(found));
    return false;
  });
}

void Catalog::collect_types(OwnerId owner, Filter<TriggerType> filter,
                            Then<std::vector<ListedType>> then) const {
  walk<std::vector<ListedType>>(
      owner, [this]() -> const auto& { return engine_.triggers().types(); },
      [filter = std::move(filter)](auto& found, const auto& entry) {
        const TriggerType& type = *entry.second;
        if (!filter || filter(type)) found.push_back({type.key, type.texts, type.worker_name()});
      },
      std::move(then));
}

ListedBinding Catalog::listed(const PlacedBinding& placed) const {
  const BindingPtr& binding = placed.binding;
  const FunctionPtr* target = engine_.functions().find(binding->name_space, binding->function_id);
  return {.binding = binding,
          .worker_name =
              target != nullptr ? (*target)->worker_name() : first_segment(binding->function_id),
          .live = placed.live(),
          .owner = placed.maker != nullptr ? "worker " + placed.maker->label()
                                           : "namespace " + binding->account};
}

void Catalog::collect_bindings(OwnerId owner, Filter<PlacedBinding> filter,
                               Then<std::vector<ListedBinding>> then) const {
  walk<std::vector<ListedBinding>>(
      owner, [this]() -> const auto& { return engine_.triggers().bindings(); },
      [this, filter = std::move(filter)](auto& found, const auto& entry) {
        const PlacedBinding& placed = entry.second;
        if (!placed.gone() && (!filter || filter(placed))) found.push_back(listed(placed));
      },
      std::move(then));
}

void Catalog::collect_workers(OwnerId owner, Filter<Worker> filter,
                              Then<std::vector<WorkerDetail>> then) const {
  walk<std::vector<WorkerDetail>>(
      owner, [this]() -> const auto& { return engine_.workers(); },
      [filter = std::move(filter)](auto& found, const auto& entry) {
        const Worker& worker = *entry.second;
        if (!filter || filter(worker)) found.push_back(detail_of(worker));
      },
      std::move(then));
}

void Catalog::collect(OwnerId owner, FunctionPtr function, Then<FunctionParts> then) const {
  FunctionParts parts{{function, function->worker_name()}, {}};
  walk<FunctionParts>(
      owner,
      [this, function]() -> const auto& {
        return engine_.triggers().calling(function->name_space, function->id);
      },
      [this](FunctionParts& found, std::string_view id) {
        const PlacedBinding* placed = engine_.triggers().live_binding(id);
        if (placed != nullptr) found.bindings.push_back(placed->binding);
      },
      std::move(then), std::move(parts));
}

void Catalog::collect(OwnerId owner, TriggerTypePtr type, Then<TypeParts> then) const {
  TypeParts parts{{type->key, type->texts, type->worker_name()}, 0};
  walk<TypeParts>(
      owner, [this, id = type->key.id]() -> const auto& { return engine_.triggers().of_type(id); },
      [this](TypeParts& found, std::string_view id) {
        if (engine_.triggers().live_binding(id) != nullptr) ++found.instances;
      },
      std::move(then), std::move(parts));
}

void Catalog::answer(OwnerId owner, size_t rows, std::move_only_function<Outcome()> make,
                     Reply reply) const {
  if (rows <= kRowsAtOnce) return reply(make());
  engine_.background().compute(
      owner, std::move(make),
      [reply = std::move(reply)](Outcome outcome) mutable { reply(std::move(outcome)); });
}

void Catalog::answer_whole(OwnerId owner, size_t rows, std::move_only_function<Outcome()> make,
                           Reply reply) const {
  const size_t most = engine_.limits().max_message_bytes;
  // Rows are rounded up, so only what is larger by far is refused here.
  if (rows / 2 > most / kRowBytes) {
    return reply(fail("payload_too_large", "The answer would have more than " +
                                               std::to_string(most) +
                                               " bytes. Next: ask about less at a time."));
  }
  answer(owner, rows, std::move(make), std::move(reply));
}

std::vector<WorkerDetail> Catalog::in_process_workers() const {
  std::map<std::string_view, uint64_t> counts;
  for (const BuiltinFunction& f : engine_.builtin_functions()) counts[f.owner] += f.listed ? 1 : 0;
  std::vector<WorkerDetail> out;
  for (const InProcessWorker& w : kInProcessWorkers) {
    out.push_back({.row = {.name = std::string(w.name),
                           .description = std::string(w.description),
                           .version = version_,
                           .id = std::string(w.name),
                           .name_space = "default",
                           .runtime = "engine",
                           .os = {},
                           .status = "available",
                           .function_count = counts[w.name],
                           .connected_at_ms = started_ms_,
                           .active_invocations = 0,
                           .isolation = "in-process",
                           .ip_address = {}},
                   .internal = w.mandatory,
                   .pid = {}});
  }
  return out;
}

}  // namespace iii::engine
