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

// Where to go on in a table after a turn; ids of bindings are views that may not outlive it.
template <typename Key, typename Value>
Key key_of(const std::pair<const Key, Value>& entry) {
  return entry.first;
}
std::string key_of(std::string_view entry) { return std::string(entry); }

// Calls `visit` for each entry of a sorted table that may change meanwhile; `table` returns it.
template <typename Table, typename Visit>
Task<void> walk(Turns& turns, Table table, Visit visit) {
  std::optional<decltype(key_of(*table().begin()))> last;
  for (;;) {
    const auto& entries = table();
    auto it = last ? entries.upper_bound(*last) : entries.begin();
    for (size_t left = Catalog::kRowsAtOnce; left > 0 && it != entries.end(); --left, ++it) {
      visit(*it);
      if (left == 1) last = key_of(*it);
    }
    if (it == entries.end()) co_return;
    co_await turns.yield();
  }
}

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

Task<std::vector<ListedFunction>> Catalog::functions(Turns& turns, Filter<Function> filter) const {
  std::vector<ListedFunction> found;
  std::optional<std::string> last = "";
  for (;;) {
    last = engine_.functions().each_after(*last, kRowsAtOnce, [&](const FunctionPtr& f) {
      if (f->listed() && (!filter || filter(*f))) found.push_back({f, f->worker_name()});
    });
    if (!last) co_return found;
    co_await turns.yield();
  }
}

Task<std::vector<ListedType>> Catalog::types(Turns& turns, Filter<TriggerType> filter) const {
  std::vector<ListedType> found;
  co_await walk(
      turns, [this]() -> const auto& { return engine_.triggers().types(); },
      [&](const auto& entry) {
        const TriggerType& type = *entry.second;
        if (!filter || filter(type)) found.push_back({type.key, type.texts, type.worker_name()});
      });
  co_return found;
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

Task<std::vector<ListedBinding>> Catalog::bindings(Turns& turns,
                                                   Filter<PlacedBinding> filter) const {
  std::vector<ListedBinding> found;
  co_await walk(
      turns, [this]() -> const auto& { return engine_.triggers().bindings(); },
      [&](const auto& entry) {
        const PlacedBinding& placed = entry.second;
        if (!placed.gone() && filter(placed)) found.push_back(listed(placed));
      });
  co_return found;
}

Task<std::vector<WorkerDetail>> Catalog::workers(Turns& turns, Filter<Worker> filter) const {
  std::vector<WorkerDetail> found;
  co_await walk(
      turns, [this]() -> const auto& { return engine_.workers(); },
      [&](const auto& entry) {
        const Worker& worker = *entry.second;
        if (!filter || filter(worker)) found.push_back(detail_of(worker));
      });
  co_return found;
}

Task<FunctionParts> Catalog::parts_of(Turns& turns, FunctionPtr function) const {
  FunctionParts found{{function, function->worker_name()}, {}};
  const auto calling = [&]() -> const auto& {
    return engine_.triggers().calling(function->name_space, function->id);
  };
  co_await walk(turns, calling, [&](std::string_view id) {
    const PlacedBinding* placed = engine_.triggers().live_binding(id);
    if (placed != nullptr) found.bindings.push_back(placed->binding);
  });
  co_return found;
}

Task<TypeParts> Catalog::parts_of(Turns& turns, TriggerTypePtr type) const {
  TypeParts found{{type->key, type->texts, type->worker_name()}, 0};
  const auto of_type = [this, id = type->key.id]() -> const auto& {
    return engine_.triggers().of_type(id);
  };
  type.reset();
  co_await walk(turns, of_type, [&](std::string_view id) {
    if (engine_.triggers().live_binding(id) != nullptr) ++found.instances;
  });
  co_return found;
}

Task<Outcome> Catalog::written(Turns& turns, size_t rows, Make make) {
  if (rows <= kRowsAtOnce) co_return make();
  co_return co_await turns.elsewhere(std::move(make));
}

Task<Outcome> Catalog::written_whole(Turns& turns, size_t rows, Make make) const {
  const size_t most = engine_.limits().max_message_bytes;
  // Rows are rounded up, so only what is larger by far is refused here.
  if (rows / 2 > most / kRowBytes) {
    co_return fail("payload_too_large", "The answer would have more than " + std::to_string(most) +
                                            " bytes. Next: ask about less at a time.");
  }
  co_return co_await written(turns, rows, std::move(make));
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
