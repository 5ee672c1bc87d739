#include "app/daemon/verbs/written.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "app/daemon/verbs/rows.h"
#include "faces/cli/engine_link.h"
#include "faces/cli/output.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAnswer{5'000};
constexpr int64_t kRows = 100;

Result<bool> shows(cli::EngineLink& link, const std::string& skill) {
  const json::Object question{{"prefix", skill}, {"limit", kRows}, {"include_user_only", true}};
  const auto answer = link.call({.function_id = "directory::skills::list",
                                 .payload = json::to_text(question),
                                 .timeout = kAnswer});
  if (!answer) return std::unexpected(answer.error());
  const auto value = json::parse(*answer);
  if (!value) return std::unexpected(value.error());
  return std::ranges::any_of(rows_at(*value, "skills"), [&](const json::Value& row) {
    const std::string id = text_at(row, "id");
    return id == skill || id.starts_with(skill + "/");
  });
}

}  // namespace

void say_written(const cli::Args& args, const std::filesystem::path& folder,
                 const std::vector<std::string>& skills, bool gone) {
  if (args.has("json") || ::isatty(STDOUT_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return;
  const auto address = cli::engine_address(args);
  const auto link =
      address ? cli::EngineLink::open(*address, cli::EngineLink::kLooking) : fail("", "");
  if (!link) {
    cli::note("(folder {}; no server runs)\n", folder.string());
    return;
  }
  for (const std::string& skill : skills) {
    const Result<bool> shown = shows(**link, skill);
    if (!shown) {
      cli::note("(folder {}; the server {} has no directory)\n", folder.string(), address->text());
      return;
    }
    if (*shown != gone) continue;
    cli::note(
        "(folder {})\nNote: the server {} {} {}: it reads other folders, or hides skills of "
        "workers that are not installed. Next: `iii-directory doctor` shows what the server reads "
        "and hides, `iii-directory list --skills {}` what is here.\n",
        folder.string(), address->text(), gone ? "still shows" : "does not show", skill,
        folder.string());
    return;
  }
  cli::note("(folder {}; the server {} follows)\n", folder.string(), address->text());
}

}  // namespace iii::daemon
