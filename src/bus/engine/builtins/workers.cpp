// engine::workers::list and ::info.
#include <algorithm>

#include "bus/engine/builtins/in_process.h"
#include "bus/engine/builtins/introspection.h"
#include "foundation/base/text.h"

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

Task<Outcome> list(const Catalog& catalog, Turns& turns, WorkersListInput in) {
  std::vector<WorkerDetail> all = co_await catalog.workers(turns);
  for (WorkerDetail& own : catalog.in_process_workers()) all.push_back(std::move(own));
  co_return co_await Catalog::written(turns, all.size(),
                                      [&] { return listing(in, std::move(all)); });
}

// The one that is meant, of the workers with the name.
Result<WorkerDetail> choose(const WorkerInfoInput& in, std::vector<WorkerDetail> named) {
  if (named.empty()) return fail("NOT_FOUND", "Worker '" + in.name + "' is not connected.");
  std::vector<std::string> spaces;
  for (const WorkerDetail& w : named) spaces.push_back(w.row.name_space);
  std::sort(spaces.begin(), spaces.end());
  const std::string known = join(spaces, ", ");
  if (in.name_space) {
    std::erase_if(named, [&](const WorkerDetail& w) { return w.row.name_space != *in.name_space; });
    if (named.empty()) {
      return fail("NOT_FOUND",
                  "Worker '" + in.name +
                      "' is not connected in the requested namespace; it is connected in "
                      "namespace(s): " +
                      known + ".");
    }
  }
  if (named.size() > 1) {
    return fail("NOT_FOUND", "Worker '" + in.name +
                                 "' is ambiguous: it is connected in namespace(s): " + known +
                                 ". Pass `namespace` to select one.");
  }
  return std::move(named.front());
}

// The row, then what `info` knows beyond it.
void append_worker(std::string& out, const WorkerDetail& w) {
  json::encode_to(out, w.row);
  out.pop_back();
  out += w.internal ? ",\"internal\":true" : ",\"internal\":false";
  if (w.pid) out += ",\"pid\":" + std::to_string(*w.pid);
  out += '}';
}

struct WorkerParts {
  WorkerDetail worker;
  std::vector<ListedFunction> functions;
  std::vector<ListedType> types;
  std::vector<ListedBinding> bindings;
};

// Runs on any thread.
Outcome written(WorkerParts parts) {
  std::string out = "{\"worker\":";
  append_worker(out, parts.worker);
  const auto append_list = [&out](std::string_view key, const auto& list) {
    out += ",\"" + std::string(key) + "\":[";
    for (const auto& listed : list) {
      if (out.back() != '[') out += ',';
      json::encode_to(out, row_of(listed));
    }
    out += ']';
  };
  append_list("functions", parts.functions);
  append_list("trigger_types", parts.types);
  append_list("registered_triggers", parts.bindings);
  return out + "}";
}

// Whether a function or a trigger type is this worker's: one that is connected, or one that the
// engine plays itself.
class Whose {
 public:
  explicit Whose(const WorkerRow& row) : id_(row.id), own_(row.status == "available") {}

  bool is_its(const Function& f) const { return matches(f.builtin, f.owner); }
  bool is_its(const TriggerType& type) const { return matches(type.builtin, type.provider); }

 private:
  template <typename Builtin>
  bool matches(const Builtin* builtin, const Worker* worker) const {
    return own_ ? builtin != nullptr && builtin->owner == id_
                : worker != nullptr && worker->id_text == id_;
  }

  std::string id_;
  bool own_;
};

Task<Outcome> describe_worker(const Catalog& catalog, Turns& turns, WorkerDetail worker) {
  WorkerParts parts{.worker = std::move(worker), .functions = {}, .types = {}, .bindings = {}};
  const Whose whose(parts.worker.row);
  parts.functions =
      co_await catalog.functions(turns, [&](const Function& f) { return whose.is_its(f); });
  parts.types = co_await catalog.types(turns, [&](const auto& type) { return whose.is_its(type); });
  parts.bindings = co_await catalog.bindings(turns, [&](const PlacedBinding& placed) {
    const Binding& binding = *placed.binding;
    const auto* target = catalog.engine().functions().find(binding.name_space, binding.function_id);
    return placed.live() && target != nullptr && whose.is_its(**target);
  });
  const size_t rows = rows_of(parts.functions) + rows_of(parts.types) + rows_of(parts.bindings);
  co_return co_await catalog.written_whole(turns, rows, [&] { return written(std::move(parts)); });
}

Task<Outcome> info(const Catalog& catalog, Turns& turns, WorkerInfoInput in) {
  for (WorkerDetail& own : catalog.in_process_workers()) {
    if (own.row.name == in.name) {
      co_return co_await describe_worker(catalog, turns, std::move(own));
    }
  }
  std::vector<WorkerDetail> named =
      co_await catalog.workers(turns, [&](const Worker& w) { return w.name == in.name; });
  Result<WorkerDetail> one = choose(in, std::move(named));
  if (!one) co_return std::unexpected(std::move(one.error()));
  co_return co_await describe_worker(catalog, turns, std::move(*one));
}

}  // namespace

std::vector<BuiltinFunction> worker_introspection(const Catalog& catalog) {
  std::vector<BuiltinFunction> out;
  out.push_back(task_builtin<WorkersListInput>(
      catalog.engine(), std::string(kEngineFunctions), "engine::workers::list",
      "Lists the workers that are connected now, and the modules of the engine. Filters must all "
      "match. For the functions of one call engine::workers::info.",
      [&catalog](Turns& turns, WorkersListInput in) {
        return list(catalog, turns, std::move(in));
      }));
  out.back().response_schema = json::schema<WorkersListOutput>();
  out.push_back(task_builtin<WorkerInfoInput>(
      catalog.engine(), std::string(kEngineFunctions), "engine::workers::info",
      "Describes one worker by its name: its functions, trigger types and bindings. A miss is the "
      "error NOT_FOUND; call engine::workers::list for the names.",
      [&catalog](Turns& turns, WorkerInfoInput in) {
        return info(catalog, turns, std::move(in));
      }));
  return out;
}

}  // namespace iii::engine
