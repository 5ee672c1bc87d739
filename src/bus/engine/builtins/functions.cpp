// engine::functions::list and ::info.
#include <algorithm>
#include <set>

#include "bus/engine/builtins/in_process.h"
#include "bus/engine/builtins/introspection.h"
#include "foundation/base/text.h"

namespace iii::engine {

namespace {

constexpr size_t kMaxBatch = 32;

struct FunctionsListInput {
  std::optional<std::string> search;
  std::optional<std::string> prefix;
  std::optional<std::string> worker;
  std::optional<std::vector<std::string>> workers;
  std::optional<bool> include_internal;
};

struct FunctionsListOutput {
  std::vector<FunctionRow> functions;
};

struct FunctionInfoInput {
  std::optional<std::string> function_id;
  std::optional<std::vector<std::string>> function_ids;
  std::optional<std::string> name_space;
};

auto describe(json::Type<FunctionsListInput>) {
  using T = FunctionsListInput;
  return json::object<T>(
      "FunctionsListInput", "Which functions to list; all filters must match.",
      json::field("search", &T::search, "Text that id or description must contain, ignoring case."),
      json::field("prefix", &T::prefix, "Text that the id must start with, exactly."),
      json::field("worker", &T::worker, "Only functions of this worker, by exact name."),
      json::field("workers", &T::workers, "Only functions of these workers (or of `worker`)."),
      json::field("include_internal", &T::include_internal,
                  "true lists internal functions (`engine::*` and those marked so), too."));
}

auto describe(json::Type<FunctionsListOutput>) {
  return json::object<FunctionsListOutput>(
      "FunctionsListOutput", "",
      json::field("functions", &FunctionsListOutput::functions,
                  "One row per function; with `search`, best matches first."));
}

auto describe(json::Type<FunctionInfoInput>) {
  using T = FunctionInfoInput;
  return json::object<T>("FunctionInfoInput", "`function_id` or `function_ids` is required.",
                         json::field("function_id", &T::function_id, "Id of a function."),
                         json::field("function_ids", &T::function_ids,
                                     "Several ids, at most 32, instead of `function_id`."),
                         json::field("namespace", &T::name_space,
                                     "Namespace to look in. When absent, `default` comes first."));
}

// 0: the id starts with the needle or one of its segments is it; 1: inside the id; 2: only
// described so.
int rank_of(const Function& f, const std::string& needle) {
  const std::string id = fold_case(f.id);
  if (id.starts_with(needle)) return 0;
  size_t start = 0;
  for (;;) {
    const size_t end = id.find("::", start);
    if (id.substr(start, end - start) == needle) return 0;
    if (end == std::string::npos) break;
    start = end + 2;
  }
  if (id.find(needle) != std::string::npos) return 1;
  if (f.description && fold_case(*f.description).find(needle) != std::string::npos) return 2;
  return -1;
}

size_t row_bytes(const ListedFunction& row) {
  const auto size = [](const std::optional<std::string>& text) { return text ? text->size() : 0; };
  const Function& f = *row.function;
  return f.id.size() + f.name_space.size() + row.worker_name.size() + size(f.description) +
         size(f.metadata);
}

// Runs on any thread.
Outcome listing(const FunctionsListInput& in, std::vector<ListedFunction> all, size_t most_bytes) {
  std::set<std::string> workers;
  if (in.workers) workers.insert(in.workers->begin(), in.workers->end());
  if (in.worker) workers.insert(*in.worker);
  const std::string needle = fold_case(in.search.value_or(""));

  std::vector<std::pair<int, const ListedFunction*>> hits;
  size_t bytes = 0;
  for (const ListedFunction& row : all) {
    const Function& f = *row.function;
    if (!in.include_internal.value_or(false) && f.internal()) continue;
    if (in.prefix && !f.id.starts_with(*in.prefix)) continue;
    if (!workers.empty() && !workers.contains(row.worker_name)) continue;
    const int rank = needle.empty() ? 0 : rank_of(f, needle);
    if (rank < 0) continue;
    hits.emplace_back(rank, &row);
    bytes += row_bytes(row);
  }
  if (bytes > most_bytes) {
    return fail("payload_too_large", "The list would have more than " + std::to_string(bytes) +
                                         " bytes; a message may have " +
                                         std::to_string(most_bytes) +
                                         ". Next: narrow it with `prefix`, `search` or `worker`.");
  }
  std::sort(hits.begin(), hits.end());  // `all` is sorted: its addresses are in order
  FunctionsListOutput out;
  for (const auto& [rank, row] : hits) {
    out.functions.push_back(row_of(*row));
  }
  return json::encode(out);
}

Task<Outcome> list(const Catalog& catalog, Turns& turns, FunctionsListInput in) {
  std::vector<ListedFunction> all = co_await catalog.functions(turns);
  const size_t most = catalog.engine().limits().max_message_bytes;
  co_return co_await Catalog::written(turns, rows_of(all),
                                      [&] { return listing(in, std::move(all), most); });
}

// Null when the id is nowhere, or not where it was looked for.
const FunctionPtr* look_up(const Catalog& catalog, const std::string& id,
                           const std::optional<std::string>& name_space) {
  const FunctionTable& table = catalog.engine().functions();
  if (name_space) return table.find(*name_space, id);
  if (const FunctionPtr* f = table.find_default(id)) return f;
  const std::vector<std::string> spaces = table.namespaces_of(id);
  return spaces.size() == 1 ? table.find(spaces.front(), id) : nullptr;
}

Error no_such_function(const Catalog& catalog, const std::string& id) {
  const std::string spaces = catalog.engine().functions().namespaces_for_people(id);
  if (spaces.empty()) return {"NOT_FOUND", "Function '" + id + "' is not registered."};
  return {"NOT_FOUND", "Function '" + id + "' is ambiguous: it is registered in namespace(s): " +
                           spaces + ". Pass `namespace` to select one."};
}

Task<Outcome> info_of_one(const Catalog& catalog, Turns& turns, const FunctionInfoInput& in) {
  const FunctionPtr* f = look_up(catalog, *in.function_id, in.name_space);
  if (f == nullptr) co_return std::unexpected(no_such_function(catalog, *in.function_id));
  const FunctionParts parts = co_await catalog.parts_of(turns, *f);
  co_return co_await catalog.written_whole(
      turns, rows_of(parts), [&]() -> Outcome { return json::encode(detail_of(parts)); });
}

struct Asked {
  std::string id;
  std::optional<FunctionParts> found;
};

// Runs on any thread.
Outcome written(std::vector<Asked> all) {
  std::string out = "{\"functions\":[";
  for (const Asked& asked : all) {
    if (out.back() != '[') out += ',';
    if (asked.found) {
      json::encode_to(out, detail_of(*asked.found));
    } else {
      out += "{\"function_id\":";
      json::append_string(out, asked.id);
      out += ",\"error\":\"not_found\"}";
    }
  }
  return out + "]}";
}

Task<Outcome> info_of_many(const Catalog& catalog, Turns& turns, const FunctionInfoInput& in) {
  std::vector<Asked> all;
  for (const std::string& id : *in.function_ids) {
    if (std::ranges::find(all, id, &Asked::id) == all.end()) all.push_back({id, std::nullopt});
    if (all.size() > kMaxBatch) {
      co_return fail("INVALID_ARGUMENTS", "too many function_ids (max 32)");
    }
  }
  if (all.empty()) {
    co_return fail("INVALID_ARGUMENTS", "`function_ids` must be a non-empty array of function ids");
  }
  size_t rows = all.size();
  for (Asked& asked : all) {
    const FunctionPtr* f = look_up(catalog, asked.id, in.name_space);
    if (f == nullptr) continue;
    asked.found = co_await catalog.parts_of(turns, *f);
    rows += rows_of(*asked.found);
  }
  co_return co_await catalog.written_whole(turns, rows, [&] { return written(std::move(all)); });
}

Task<Outcome> info(const Catalog& catalog, Turns& turns, FunctionInfoInput in) {
  if (in.function_id && in.function_ids) {
    co_return fail("INVALID_ARGUMENTS", "pass either `function_id` or `function_ids`, not both");
  }
  if (in.function_id) co_return co_await info_of_one(catalog, turns, in);
  if (in.function_ids) co_return co_await info_of_many(catalog, turns, in);
  co_return fail("INVALID_ARGUMENTS",
                 "missing field `function_id` (or `function_ids` for a batch)");
}

}  // namespace

std::vector<BuiltinFunction> function_introspection(const Catalog& catalog) {
  std::vector<BuiltinFunction> out;
  out.push_back(task_builtin<FunctionsListInput>(
      catalog.engine(), std::string(kEngineFunctions), "engine::functions::list",
      "Lists the functions on the bus: id, worker, description, metadata. Filters must all match. "
      "For "
      "schemas call engine::functions::info.",
      [&catalog](Turns& turns, FunctionsListInput in) {
        return list(catalog, turns, std::move(in));
      }));
  out.back().response_schema = json::schema<FunctionsListOutput>();
  out.push_back(task_builtin<FunctionInfoInput>(
      catalog.engine(), std::string(kEngineFunctions), "engine::functions::info",
      "Describes one function, or up to 32 with `function_ids`: description, request and response "
      "schema, owner, and the triggers that call it. A miss is the error NOT_FOUND; call "
      "engine::functions::list for the ids.",
      [&catalog](Turns& turns, FunctionInfoInput in) {
        return info(catalog, turns, std::move(in));
      }));
  return out;
}

}  // namespace iii::engine
