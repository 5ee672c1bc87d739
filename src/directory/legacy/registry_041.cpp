#include "directory/legacy/registry_041.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "directory/discovery/registry.h"
#include "directory/discovery/registry_types.h"
#include "directory/installing/downloader.h"
#include "directory/legacy/descriptions.h"
#include "directory/legacy/directory_041.h"
#include "directory/library/engine_rows.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "directory/table/limits.h"
#include "foundation/base/text.h"
#include "foundation/json/describe.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr uint32_t kDefaultLimit = 20;
constexpr uint32_t kMaxLimit = 100;
// The registry gives pages of a size of its own choice.
constexpr size_t kMaxPages = 10;

struct ListInput {
  std::optional<std::string> search;
  std::optional<uint32_t> limit;
};
struct Author {
  std::optional<std::string> name;
  std::optional<std::string> profile_picture;
  bool is_verified = false;
};
struct WorkerRow {
  std::string name;
  std::optional<std::string> description;
  std::optional<std::string> version;
  std::optional<std::string> repo;
  std::optional<Author> author;
};
struct ListOutput {
  std::vector<WorkerRow> workers;
  std::optional<bool> stale;
};
struct InfoOutput {
  WorkerRow worker;
  std::optional<std::string> readme;
  ApiReference api_reference;
  SkillsTree skills_tree;
  std::optional<bool> stale;
};

auto describe(json::Type<ListInput>) {
  using T = ListInput;
  return json::object<T>(
      "WorkerListInput", "",
      json::field("search", &T::search, "Free text that the registry searches for. Required.")
          .null_default()
          .length(json::kAnyLength),  // D311
      json::field("limit", &T::limit, "Most rows to return. Default 20, at most 100.")
          .null_default());
}
auto describe(json::Type<Author>) {
  using T = Author;
  return json::object<T>(
      "RegistryAuthor", "", json::field("name", &T::name, "Name of the author."),
      json::field("profile_picture", &T::profile_picture,
                  "URL of the profile picture; null without one."),
      json::field("is_verified", &T::is_verified, "The registry has verified the author.")
          .optional());
}
auto describe(json::Type<WorkerRow>) {
  using T = WorkerRow;
  return json::object<T>(
      "Worker", "", json::field("name", &T::name, "Name; pass it to registry::worker-info."),
      json::field("description", &T::description, "What the worker does."),
      json::field("version", &T::version,
                  "Latest published version; in details, the one that `version` "
                  "or `tag` resolved to."),
      json::field("repo", &T::repo, "URL of the source repository."),
      json::field("author", &T::author, "Who published it; null if not known.").null_default());
}
auto describe(json::Type<ListOutput>) {
  using T = ListOutput;
  return json::object<T>("WorkerListOutput", "",
                         json::field("workers", &T::workers, "Workers that match, best first."),
                         json::field("stale", &T::stale, kStaleText));
}
auto describe(json::Type<InfoOutput>) {
  using T = InfoOutput;
  return json::object<T>(
      "WorkerInfoOutput", "",
      json::field("worker", &T::worker, "The row that registry::worker-list shows."),
      json::field("readme", &T::readme, "Readme as markdown; null without one."),
      json::field("api_reference", &T::api_reference, ""),
      json::field("skills_tree", &T::skills_tree, ""), json::field("stale", &T::stale, kStaleText));
}

// Page after page, until there are enough.
Result<json::Raw> search(sources::Downloads& downloads, const std::string& words, size_t limit) {
  Array rows;
  bool stale = false;
  std::string cursor;
  for (size_t page = 0; page < kMaxPages; ++page) {
    Result<sources::Registry::Answer> answer =
        downloads.registry().list(words, cursor, downloads.job());
    if (!answer) return std::unexpected(on_the_bus(answer.error()));
    stale = stale || answer->stale;
    for (const Value& row : rows_of(answer->value, "workers")) {
      if (rows.size() < limit) rows.push_back(row_041(row));
    }
    const auto next = text_in(member_of(answer->value, "pagination"), "next_cursor");
    if (rows.size() >= limit || !next || *next == cursor) break;
    cursor = *next;
  }
  Object out{{"workers", std::move(rows)}};
  if (stale) out.emplace("stale", true);
  return bounded(json::to_text(out), "skills::download to have its documents");
}

Result<json::Raw> details(sources::Downloads& downloads, const sources::RegistrySource& source) {
  const Result<sources::Registry::Answer> answer =
      downloads.registry().info(source, downloads.job());
  if (!answer) return std::unexpected(with_status_041(on_the_bus(answer.error())));
  Object out{{"worker", row_041(member_of(answer->value, "worker"))},
             {"readme", member_of(answer->value, "readme")},
             {"api_reference", member_of(answer->value, "api_reference")},
             {"skills_tree", member_of(answer->value, "skills_tree")}};
  if (answer->stale) out.emplace("stale", true);
  return bounded(json::to_text(out), "skills::download to have its documents");
}

task::Task<Result<json::Raw>> list(task::Pool& pool, std::shared_ptr<sources::Downloads> downloads,
                                   ListInput in) {
  std::string words(trim(in.search.value_or("")));
  if (words.empty()) {
    co_return fail("invocation_failed",
                   "D311 invalid_input: search must be non-empty. Next: call registry::worker-list "
                   "with words to look for, or directory::registry::workers::list to browse.");
  }
  const size_t limit = std::clamp<uint32_t>(in.limit.value_or(kDefaultLimit), 1, kMaxLimit);
  auto work = [downloads, words = std::move(words), limit] {
    return search(*downloads, words, limit);
  };
  co_return co_await pool.run(std::move(work));
}

task::Task<Result<json::Raw>> info(task::Pool& pool, std::shared_ptr<sources::Downloads> downloads,
                                   WorkerInfoInput in) {
  const Result<sources::RegistrySource> source = registry_source(in);
  if (!source) co_return std::unexpected(source.error());
  auto work = [downloads, source = *source] { return details(*downloads, source); };
  co_return co_await pool.run(std::move(work));
}

}  // namespace

Value row_041(const Value& row) {
  const Value& author = member_of(row, "author");
  Value named;
  if (author.as_object() != nullptr) {
    named = Object{{"name", member_of(author, "name")},
                   {"profile_picture", member_of(author, "pfp")},
                   {"is_verified", member_of(author, "verified") == Value(true)}};
  }
  return Object{{"name", member_of(row, "name")},
                {"description", member_of(row, "description")},
                {"version", member_of(row, "version")},
                {"repo", member_of(row, "repo")},
                {"author", std::move(named)}};
}

void add_registry_041(FunctionTable& table, task::Pool& pool, CurrentDownloads current) {
  const Hints reads{.read_only = true, .idempotent = true, .network = true};
  table.add<ListInput, ListOutput>(
      {.id = "registry::worker-list",
       .title = "Search workers of the registry",
       .description = about::kRegistryList041,
       .hints = reads,
       .published = true},
      [&pool, current](ListInput in) { return list(pool, current(), std::move(in)); });
  table.add<WorkerInfoInput, InfoOutput>(
      {.id = "registry::worker-info",
       .title = "Show a worker of the registry",
       .description = about::kRegistryInfo041,
       .hints = reads,
       .published = true},
      [&pool, current](WorkerInfoInput in) { return info(pool, current(), std::move(in)); });
}

}  // namespace iii::directory
