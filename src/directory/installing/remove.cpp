#include "directory/installing/remove.h"

#include "directory/installing/downloader.h"
#include "directory/sources/answers.h"
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

}  // namespace

void add_remove(FunctionTable& table, Downloader& downloader) {
  table.add<RemoveInput, sources::RemoveReport>(
      {.id = "directory::skills::remove",
       .title = "Remove downloaded skills",
       .description = about::kRemove,
       .hints = {.destructive = true}},
      [&downloader](const Context& context, const RemoveInput& in) {
        return downloader.remove(
            context, in.name_space,
            {.force = in.force.value_or(false), .dry_run = in.dry_run.value_or(false)});
      });
}

}  // namespace iii::directory
