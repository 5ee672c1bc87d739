#include "functions/registry.h"

#include <utility>
#include <variant>

#include "base/text.h"
#include "functions/descriptions.h"
#include "functions/downloader.h"
#include "functions/errors.h"
#include "functions/limits.h"
#include "functions/registry_types.h"
#include "json/write.h"

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
  std::string text = json::to_text(answer->value);
  if (text.size() > kMaxAnswerBytes) {
    return std::unexpected(answer_too_large(text.size(), kMaxAnswerBytes, smaller));
  }
  return json::Raw{std::move(text)};
}

sdk::Task<Result<json::Raw>> list(sdk::Call call, std::shared_ptr<sources::Downloads> downloads,
                                  std::string search, std::string cursor) {
  auto work = [downloads, search = std::move(search), cursor = std::move(cursor)] {
    return answer_of(downloads->registry().list(search, cursor, downloads->job()),
                     "directory::registry::workers::list with a narrower `search`");
  };
  co_return co_await call.pool().run(std::move(work));
}

sdk::Task<Result<json::Raw>> info(sdk::Call call, std::shared_ptr<sources::Downloads> downloads,
                                  WorkerInfoInput in) {
  const Result<sources::RegistrySource> source = registry_source(in);
  if (!source) co_return std::unexpected(source.error());
  auto work = [downloads, source = *source] {
    return answer_of(downloads->registry().info(source, downloads->job()),
                     "directory::skills::download to have its documents");
  };
  co_return co_await call.pool().run(std::move(work));
}

}  // namespace

Result<sources::RegistrySource> registry_source(const WorkerInfoInput& in) {
  const std::string name(trim(in.name));
  if (name.empty()) {
    return fail("invocation_failed",
                "D311 invalid_input: name must be non-empty. Next: call "
                "directory::registry::workers::list for the names there are.");
  }
  // The name first, whatever else is wrong.
  if (auto legal = sources::check_worker_name(name); !legal) return failed(legal.error());
  sources::SourceFields fields;
  fields.worker = name;
  fields.version = in.version;
  fields.tag = in.tag;
  const Result<sources::Source> source = sources::classify(fields);
  if (!source) return failed(source.error());
  return std::get<sources::RegistrySource>(*source);
}

void add_registry_functions(sdk::Worker& worker, CurrentDownloads current) {
  const auto list_workers = [current](const sdk::Call& call, const WorkerListInput& in) {
    return list(call, current(), trimmed(in.search), trimmed(in.cursor));
  };
  const auto show_worker = [current](const sdk::Call& call, WorkerInfoInput in) {
    return info(call, current(), std::move(in));
  };
  static_cast<void>(worker.function_returning<WorkerListOutput>(
      {.id = "directory::registry::workers::list", .description = about::kRegistryList},
      list_workers));
  static_cast<void>(worker.function_returning<WorkerInfoOutput>(
      {.id = "directory::registry::workers::info", .description = about::kRegistryInfo},
      show_worker));
}

}  // namespace iii::directory
