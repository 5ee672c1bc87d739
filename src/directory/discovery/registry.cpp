#include "directory/discovery/registry.h"

#include <utility>
#include <variant>

#include "directory/discovery/registry_types.h"
#include "directory/installing/downloader.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "directory/table/limits.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

using sources::Registry;

// On the bus every error has one code; the D-code is the first word of the text.
std::unexpected<Error> failed(const Error& error) { return std::unexpected(on_the_bus(error)); }

std::string trimmed(const std::optional<std::string>& field) {
  return std::string(trim(field.value_or("")));
}

Result<json::Raw> answer_of(Result<Registry::Answer> answer, std::string_view smaller) {
  if (!answer) return failed(answer.error());
  if (answer->stale) answer->value.as_object()->insert_or_assign("stale", true);
  return bounded(json::to_text(answer->value), smaller);
}

task::Task<Result<json::Raw>> list(task::Pool& pool, std::shared_ptr<sources::Downloads> downloads,
                                   std::string search, std::string cursor) {
  auto work = [downloads, search = std::move(search), cursor = std::move(cursor)] {
    return answer_of(downloads->registry().list(search, cursor, downloads->job()),
                     "directory::registry::workers::list with a narrower `search`");
  };
  co_return co_await pool.run(std::move(work));
}

task::Task<Result<json::Raw>> info(task::Pool& pool, std::shared_ptr<sources::Downloads> downloads,
                                   WorkerInfoInput in) {
  const Result<sources::RegistrySource> source = registry_source(in);
  if (!source) co_return std::unexpected(source.error());
  auto work = [downloads, source = *source] {
    return answer_of(downloads->registry().info(source, downloads->job()),
                     "directory::skills::download to have its documents");
  };
  co_return co_await pool.run(std::move(work));
}

}  // namespace

Result<sources::RegistrySource> registry_source(const WorkerInfoInput& in) {
  const std::string name(trim(in.name));
  if (name.empty()) {
    return fail("invocation_failed",
                "D311 invalid_input: name must be non-empty. Next: call "
                "directory::registry::workers::list for the names there are.");
  }
  // The name is checked first.
  if (auto legal = sources::check_worker_name(name); !legal) return failed(legal.error());
  sources::SourceFields fields;
  fields.worker = name;
  fields.version = in.version;
  fields.tag = in.tag;
  const Result<sources::Source> source = sources::classify(fields);
  if (!source) return failed(source.error());
  return std::get<sources::RegistrySource>(*source);
}

void add_registry_functions(FunctionTable& table, task::Pool& pool, CurrentDownloads current) {
  const Hints reads{.read_only = true, .idempotent = true, .network = true};
  table.add<WorkerListInput, WorkerListOutput>({.id = "directory::registry::workers::list",
                                                .title = "List workers of the registry",
                                                .description = about::kRegistryList,
                                                .hints = reads,
                                                .published = true},
                                               [&pool, current](const WorkerListInput& in) {
                                                 return list(pool, current(), trimmed(in.search),
                                                             trimmed(in.cursor));
                                               });
  table.add<WorkerInfoInput, WorkerInfoOutput>(
      {.id = "directory::registry::workers::info",
       .title = "Show a worker of the registry",
       .description = about::kRegistryInfo,
       .hints = reads,
       .published = true},
      [&pool, current](WorkerInfoInput in) { return info(pool, current(), std::move(in)); });
}

}  // namespace iii::directory
