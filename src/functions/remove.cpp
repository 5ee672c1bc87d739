#include "functions/remove.h"

#include <utility>

#include "functions/descriptions.h"
#include "json/describe.h"

namespace iii::directory {

namespace {

struct RemoveInput {
  std::string name_space;
  std::optional<bool> force;
};
struct RemoveOutput {
  std::string name_space;
  std::vector<std::string> removed;
  std::vector<std::string> kept;
};

auto describe(json::Type<RemoveInput>) {
  using T = RemoveInput;
  return json::object<T>(
      "RemoveInput", "", json::field("namespace", &T::name_space, "Namespace in directory.lock."),
      json::field("force", &T::force,
                  "true also removes files that were edited or added here. Default false.")
          .null_default());
}
auto describe(json::Type<RemoveOutput>) {
  using T = RemoveOutput;
  return json::object<T>(
      "RemoveOutput", "", json::field("namespace", &T::name_space, "Folder in skills_folder."),
      json::field("removed", &T::removed, "Files that were removed, as paths below the namespace."),
      json::field("kept", &T::kept, "Files that stay, because they were edited or added here."));
}

sdk::Task<Result<RemoveOutput>> remove(Downloader& downloader, Context context, RemoveInput in) {
  auto done = co_await downloader.remove(std::move(context), std::move(in.name_space),
                                         in.force.value_or(false));
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
