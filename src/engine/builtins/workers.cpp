// engine::workers::list and ::info.
#include <algorithm>

#include "base/text.h"
#include "engine/builtins/in_process.h"
#include "engine/builtins/introspection.h"

namespace iii::engine {

namespace {

struct WorkersListInput {
  std::optional<std::string> search;
  std::optional<std::string> runtime;
  std::optional<std::string> status;
};
struct WorkersListOutput {
  std::vector<WorkerRow> workers;
};
struct WorkerInfoInput {
  std::string name;
  std::optional<std::string> name_space;
};

auto describe(json::Type<WorkersListInput>) {
  using T = WorkersListInput;
  return json::object<T>(
      "WorkersListInput", "Which workers to list; all filters must match.",
      json::field("search", &T::search, "Text that the name must contain, ignoring case."),
      json::field("runtime", &T::runtime,
                  "Runtime, exactly, for example `node`, `cpp` or `engine`."),
      json::field("status", &T::status, "`connected`, or `available` for modules of the engine."));
}
auto describe(json::Type<WorkersListOutput>) {
  return json::object<WorkersListOutput>(
      "WorkersListOutput", "",
      json::field("workers", &WorkersListOutput::workers, "One row per worker, by name."));
}
auto describe(json::Type<WorkerInfoInput>) {
  using T = WorkerInfoInput;
  return json::object<T>(
      "WorkerInfoInput", "", json::field("name", &T::name, "Name of a worker. Required."),
      json::field("namespace", &T::name_space, "Namespace to look in. Any when absent."));
}

const std::string& sort_name(const WorkerRow& row) { return row.name ? *row.name : row.id; }

// Runs on any thread.
Outcome listing(const WorkersListInput& in, std::vector<WorkerDetail> all) {
  const std::string needle = fold_case(in.search.value_or(""));
  WorkersListOutput out;
  for (WorkerDetail& w : all) {
    // A worker that did not tell its process id stays out of lists (but has an `info`).
    if (!w.pid && w.row.status == "connected") continue;
    if (!needle.empty() && fold_case(w.row.name.value_or("")).find(needle) == std::string::npos) {
      continue;
    }
    if (in.runtime && w.row.runtime != in.runtime) continue;
    if (in.status && w.row.status != *in.status) continue;
    out.workers.push_back(std::move(w.row));
  }
  std::sort(out.workers.begin(), out.workers.end(), [](const WorkerRow& a, const WorkerRow& b) {
    return std::tie(sort_name(a), a.id) < std::tie(sort_name(b), b.id);
  });
  return json::encode(out);
}

void list(const Catalog& catalog, OwnerId owner, WorkersListInput in, Reply reply) {
  catalog.collect_workers(owner, [&catalog, owner, in = std::move(in),
                                  reply = std::move(reply)](std::vector<WorkerDetail> all) mutable {
    for (WorkerDetail& own : catalog.in_process_workers()) all.push_back(std::move(own));
    const size_t rows = all.size();
    catalog.answer(
        owner, rows,
        [in = std::move(in), all = std::move(all)]() mutable {
          return listing(in, std::move(all));
        },
        std::move(reply));
  });
}

Result<WorkerDetail> find(const Catalog& catalog, const WorkerInfoInput& in) {
  for (WorkerDetail& own : catalog.in_process_workers()) {
    if (own.row.name == in.name) return std::move(own);
  }
  std::vector<WorkerDetail> named = catalog.connected_workers();
  std::erase_if(named, [&](const WorkerDetail& w) { return w.row.name != in.name; });
  if (named.empty()) return fail("NOT_FOUND", "Worker '" + in.name + "' is not connected.");

  std::vector<std::string> spaces;
  for (const WorkerDetail& w : named) spaces.push_back(w.row.name_space);
  std::sort(spaces.begin(), spaces.end());
  std::vector<WorkerDetail> here = named;
  if (in.name_space) {
    std::erase_if(here, [&](const WorkerDetail& w) { return w.row.name_space != *in.name_space; });
    if (here.empty()) {
      return fail("NOT_FOUND",
                  "Worker '" + in.name +
                      "' is not connected in the requested namespace; it is connected in "
                      "namespace(s): " +
                      join(spaces, ", ") + ".");
    }
  }
  if (here.size() > 1) {
    return fail("NOT_FOUND", "Worker '" + in.name +
                                 "' is ambiguous: it is connected in namespace(s): " +
                                 join(spaces, ", ") + ". Pass `namespace` to select one.");
  }
  return here.front();
}

// The row, then what `info` knows beyond it.
void append_worker(std::string& out, const WorkerDetail& w) {
  json::encode_to(out, w.row);
  out.pop_back();
  out += w.internal ? ",\"internal\":true" : ",\"internal\":false";
  if (w.pid) out += ",\"pid\":" + std::to_string(*w.pid);
  out += '}';
}

Outcome info(const Catalog& catalog, const WorkerInfoInput& in) {
  const Result<WorkerDetail> found = find(catalog, in);
  if (!found) return std::unexpected(found.error());
  const WorkerRow& row = found->row;
  const bool own = row.status == "available";

  std::vector<FunctionRow> functions;
  for (const FunctionPtr& f : catalog.all_functions()) {
    const bool is_its = own ? f->builtin != nullptr && f->builtin->owner == *row.name
                            : f->owner != nullptr && f->owner->id_text == row.id;
    if (is_its) functions.push_back(catalog.row(*f));
  }
  std::vector<TriggerTypeRow> types;
  for (const auto& [key, type] : catalog.engine().triggers().types()) {
    const bool is_its = own ? type->builtin != nullptr && type->builtin->owner == *row.name
                            : type->provider != nullptr && type->provider->id_text == row.id;
    if (is_its) types.push_back(catalog.row(*type));
  }
  std::vector<BindingRow> bindings;
  for (const auto& [id, placed] : catalog.engine().triggers().bindings()) {
    if (!placed.live()) continue;
    const Binding& binding = *placed.binding;
    const auto* target = catalog.engine().functions().find(binding.name_space, binding.function_id);
    if (target == nullptr) continue;
    const bool is_its =
        own ? (*target)->builtin != nullptr && (*target)->builtin->owner == *row.name
            : (*target)->owner != nullptr && (*target)->owner->id_text == row.id;
    if (is_its) bindings.push_back(catalog.row(binding));
  }
  std::string out = "{\"worker\":";
  append_worker(out, *found);
  out += ",\"functions\":" + json::encode(functions) + ",\"trigger_types\":" + json::encode(types) +
         ",\"registered_triggers\":" + json::encode(bindings) + "}";
  return out;
}

}  // namespace

std::vector<BuiltinFunction> worker_introspection(const Catalog& catalog) {
  std::vector<BuiltinFunction> out;
  out.push_back(deferred_builtin<WorkersListInput>(
      std::string(kEngineFunctions), "engine::workers::list",
      "Lists the workers that are connected now, and the modules of the engine. Filters must all "
      "match. For the functions of one call engine::workers::info.",
      [&catalog](const CallInfo& info, WorkersListInput in, Reply reply) {
        list(catalog, info.owner, std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<WorkersListOutput>();
  out.push_back(deferred_builtin<WorkerInfoInput>(
      std::string(kEngineFunctions), "engine::workers::info",
      "Describes one worker by its name: its functions, trigger types and bindings. A miss is the "
      "error NOT_FOUND; call engine::workers::list for the names.",
      [&catalog](const CallInfo&, const WorkerInfoInput& in, Reply reply) {
        reply(info(catalog, in));
      }));
  return out;
}

}  // namespace iii::engine
