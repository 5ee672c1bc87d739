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

void list(const Catalog& catalog, OwnerId owner, FunctionsListInput in, Reply reply) {
  catalog.collect_functions(owner, nullptr,
                            [&catalog, owner, in = std::move(in),
                             reply = std::move(reply)](std::vector<ListedFunction> all) mutable {
                              const size_t most = catalog.engine().limits().max_message_bytes;
                              const size_t rows = rows_of(all);
                              catalog.answer(
                                  owner, rows,
                                  [in = std::move(in), all = std::move(all), most]() mutable {
                                    return listing(in, std::move(all), most);
                                  },
                                  std::move(reply));
                            });
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

void info_of_one(const Catalog& catalog, OwnerId owner, const FunctionInfoInput& in, Reply reply) {
  const FunctionPtr* f = look_up(catalog, *in.function_id, in.name_space);
  if (f == nullptr) return reply(std::unexpected(no_such_function(catalog, *in.function_id)));
  catalog.collect(
      owner, *f, [&catalog, owner, reply = std::move(reply)](FunctionParts parts) mutable {
        const size_t rows = rows_of(parts);
        catalog.answer_whole(
            owner, rows,
            [parts = std::move(parts)]() -> Outcome { return json::encode(detail_of(parts)); },
            std::move(reply));
      });
}

struct Asked {
  std::string id;
  std::optional<FunctionParts> found;
};

// Runs on any thread.
Outcome written(const std::vector<Asked>& all) {
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

// One after the other; `next` is the first that has not been looked up.
void look_up_rest(const Catalog& catalog, OwnerId owner, std::shared_ptr<std::vector<Asked>> all,
                  size_t next, std::optional<std::string> name_space, Reply reply) {
  for (; next < all->size(); ++next) {
    const FunctionPtr* f = look_up(catalog, (*all)[next].id, name_space);
    if (f == nullptr) continue;
    return catalog.collect(owner, *f,
                           [&catalog, owner, all, next, name_space = std::move(name_space),
                            reply = std::move(reply)](FunctionParts parts) mutable {
                             (*all)[next].found = std::move(parts);
                             look_up_rest(catalog, owner, all, next + 1, std::move(name_space),
                                          std::move(reply));
                           });
  }
  size_t rows = all->size();
  for (const Asked& asked : *all) rows += asked.found ? rows_of(*asked.found) : 0;
  catalog.answer_whole(owner, rows, [all] { return written(*all); }, std::move(reply));
}

void info_of_many(const Catalog& catalog, OwnerId owner, const FunctionInfoInput& in, Reply reply) {
  std::vector<std::string> ids;
  for (const std::string& id : *in.function_ids) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    if (ids.size() > kMaxBatch) {
      return reply(fail("INVALID_ARGUMENTS", "too many function_ids (max 32)"));
    }
  }
  if (ids.empty()) {
    return reply(
        fail("INVALID_ARGUMENTS", "`function_ids` must be a non-empty array of function ids"));
  }
  auto all = std::make_shared<std::vector<Asked>>();
  for (std::string& id : ids) all->push_back({std::move(id), std::nullopt});
  look_up_rest(catalog, owner, std::move(all), 0, in.name_space, std::move(reply));
}

void info(const Catalog& catalog, OwnerId owner, const FunctionInfoInput& in, Reply reply) {
  if (in.function_id && in.function_ids) {
    return reply(
        fail("INVALID_ARGUMENTS", "pass either `function_id` or `function_ids`, not both"));
  }
  if (in.function_id) return info_of_one(catalog, owner, in, std::move(reply));
  if (in.function_ids) return info_of_many(catalog, owner, in, std::move(reply));
  reply(fail("INVALID_ARGUMENTS", "missing field `function_id` (or `function_ids` for a batch)"));
}

}  // namespace

std::vector<BuiltinFunction> function_introspection(const Catalog& catalog) {
  std::vector<BuiltinFunction> out;
  out.push_back(deferred_builtin<FunctionsListInput>(
      std::string(kEngineFunctions), "engine::functions::list",
      "Lists the functions on the bus: id, worker, description, metadata. Filters must all match. "
      "For "
      "schemas call engine::functions::info.",
      [&catalog](const CallInfo& info, FunctionsListInput in, Reply reply) {
        list(catalog, info.owner, std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<FunctionsListOutput>();
  out.push_back(deferred_builtin<FunctionInfoInput>(
      std::string(kEngineFunctions), "engine::functions::info",
      "Describes one function, or up to 32 with `function_ids`: description, request and response "
      "schema, owner, and the triggers that call it. A miss is the error NOT_FOUND; call "
      "engine::functions::list for the ids.",
      [&catalog](const CallInfo& call, const FunctionInfoInput& in, Reply reply) {
        info(catalog, call.owner, in, std::move(reply));
      }));
  return out;
}

}  // namespace iii::engine
