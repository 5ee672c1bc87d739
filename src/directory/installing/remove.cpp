#include "directory/installing/remove.h"

#include <utility>

#include "directory/installing/downloader.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"

namespace iii::directory {

namespace {

struct RemoveInput {
  std::string name_space;
  std::optional<bool> force;
  std::optional<bool> dry_run;
};

auto describe(json::Type<RemoveInput>) {
  using T = RemoveInput;
  return json::object<T>(
      "RemoveInput", "", json::field("namespace", &T::name_space, "Namespace in directory.lock."),
      json::field("force", &T::force,
                  "true also removes files that were edited or added here. Default false.")
          .null_default(),
      json::field("dry_run", &T::dry_run,
                  "true only tells what would be removed and what would stay. Default false.")
          .null_default());
}

task::Task<Result<RemoveOutput>> remove(Downloader& downloader, Context context, RemoveInput in) {
  auto done = co_await downloader.remove(std::move(context), std::move(in.name_space),
                                         in.force.value_or(false), in.dry_run.value_or(false));
  if (!done) co_return std::unexpected(std::move(done.error()));
  co_return RemoveOutput{.name_space = std::move(done->name_space),
                         .removed = std::move(done->removed),
                         .kept = std::move(done->kept)};
}

}  // namespace

void add_remove(FunctionTable& table, Downloader& downloader) {
  table.add<RemoveInput, RemoveOutput>({.id = "directory::skills::remove",
                                        .title = "Remove downloaded skills",
                                        .description = about::kRemove,
                                        .hints = {.destructive = true}},
                                       [&downloader](const Context& context, RemoveInput in) {
                                         return remove(downloader, context, std::move(in));
                                       });
}

}  // namespace iii::directory
