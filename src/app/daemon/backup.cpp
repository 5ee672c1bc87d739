#include "app/daemon/backup.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bus/engine/embedded.h"
#include "directory/library/latch.h"
#include "directory/library/library.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"
#include "foundation/json/describe.h"

namespace iii::daemon {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAboutBackup =
    "Copies everything that the engine in this process has stored (state and configuration) into "
    "one file, while calls go on. The file is `backups/NAME` in the data folder; the newest seven "
    "are kept. To restore one, stop the server, and copy the file to `state.db` in an empty data "
    "folder. Skills are files and are not part of it. For operators: `iii-directory backup`.";

struct BackupInput {};
struct BackupOutput {
  std::string name;
  uint64_t bytes = 0;
};

auto describe(json::Type<BackupInput>) {
  return json::object<BackupInput>("DirectoryBackupInput", "");
}
auto describe(json::Type<BackupOutput>) {
  using T = BackupOutput;
  return json::object<T>("DirectoryBackupOutput", "The copy that was made.",
                         json::field("name", &T::name,
                                     "Name of the file in the folder `backups` of the data "
                                     "folder."),
                         json::field("bytes", &T::bytes, "Its size."));
}

// Sorted by name, they are sorted by time.
std::string name_now() {
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("state-{:%Y%m%dT%H%M%S}.{:03}Z.db",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms);
}

void remove_old(const fs::path& folder) {
  std::vector<fs::path> copies;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("state-") && name.ends_with(".db")) copies.push_back(entry.path());
  }
  std::ranges::sort(copies);
  for (size_t i = 0; i + kKeptBackups < copies.size(); ++i) {
    if (!fs::remove(copies[i], error))
      log_warn("cannot remove the old backup {}", copies[i].string());
  }
}

task::Task<Result<BackupOutput>> make_backup(engine::Embedded& embedded,
                                             directory::Library& library,
                                             std::optional<fs::path> data) {
  if (!data) {
    co_return fail("no_data_folder",
                   "state is kept in memory only, so there is nothing to copy. Next: start the "
                   "server with --data FOLDER.");
  }
  const std::string name = name_now();
  const fs::path folder = *data / "backups";
  struct Copy {
    directory::Latch over;
    Result<uint64_t> bytes = 0;
  };
  // The caller may be gone when the copy is over.
  const auto copy = std::make_shared<Copy>();
  const Result<void> begun = embedded.backup(folder / name, [copy](Result<uint64_t> bytes) {
    copy->bytes = std::move(bytes);
    copy->over.open();
  });
  if (!begun) co_return std::unexpected(begun.error());
  co_await copy->over;
  if (!copy->bytes) co_return std::unexpected(copy->bytes.error());
  co_await library.on_answer_thread([folder] { remove_old(folder); });
  log_info("state was copied to backups/{} in the data folder", name);
  co_return BackupOutput{.name = name, .bytes = *copy->bytes};
}

}  // namespace

void add_backup(directory::FunctionTable& table, engine::Embedded& embedded,
                directory::Library& library, std::optional<fs::path> data) {
  table.add<BackupInput, BackupOutput>(
      {.id = "directory::backup",
       .title = "Back up state",
       .description = kAboutBackup,
       .hints = {.operators_only = true}},
      [&embedded, &library, data = std::move(data)](const BackupInput&) {
        return make_backup(embedded, library, data);
      });
}

}  // namespace iii::daemon
