// `backup`: a copy of what the engine has stored, in a folder that `serve --data` can start from.
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "app/daemon/config_keys.h"
#include "app/daemon/configuration.h"
#include "app/daemon/options.h"
#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/shapes.h"
#include "app/daemon/verbs/verbs.h"
#include "bus/engine/store/store.h"
#include "bus/net/loop.h"
#include "directory/sources/lock_file.h"
#include "faces/cli/output.h"

namespace iii::daemon {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase = "state.db";
constexpr std::chrono::minutes kPatience{10};  // for the server's copy

// Made if it is not there; nobody else may read what is stored.
Result<void> prepare(const fs::path& folder) {
  std::error_code error;
  const bool there = fs::exists(folder, error);
  if (fs::exists(folder / kDatabase, error)) {
    return fail("exists", folder.string() + " has a backup already. Next: name another folder.");
  }
  if (!there) {
    fs::create_directories(folder.parent_path().empty() ? "." : folder.parent_path(), error);
    if (::mkdir(folder.c_str(), 0700) != 0) {
      return fail("write", folder.string() + " cannot be made. Next: name another folder.");
    }
  }
  if (!fs::is_directory(folder, error)) {
    return fail("write", folder.string() + " is not a folder. Next: name another one.");
  }
  return {};
}

Result<uint64_t> copied(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::copy_file(from, to, error)) {
    fs::remove(to, error);
    return fail("write", to.string() + " cannot be written. Next: is the disk full?");
  }
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
  return fs::file_size(to, error);
}

// The server writes its copy into its data folder, which has to be on this machine.
Result<uint64_t> copy_from_server(Caller& caller, const fs::path& data, const fs::path& to) {
  caller.set_timeout(kPatience);
  const auto answer = caller.ask("directory::backup");
  if (!answer) return std::unexpected(answer.error());
  const fs::path made = data / "backups" / text_at(*answer, "name");
  std::error_code error;
  if (!fs::exists(made, error)) {
    return fail("no_data_folder", "the server has made the copy backups/" +
                                      text_at(*answer, "name") +
                                      " in its data folder, which is not " + data.string() +
                                      ". Next: pass --data DIR, the data folder of that server.");
  }
  return copied(made, to);
}

// Nobody has the data folder open.
Result<uint64_t> copy_at_rest(const fs::path& data, const fs::path& to) {
  std::error_code error;
  if (!fs::exists(data / kDatabase, error)) {
    return fail("no_data_folder", "there is no data in " + data.string() +
                                      ", and no server is running. Next: pass --data DIR.");
  }
  net::Loop loop;
  auto store = engine::Store::open(
      data, [&loop](std::move_only_function<void()> action) { loop.post(std::move(action)); });
  if (!store) return std::unexpected(with_data_folder(store.error(), data));
  Result<uint64_t> bytes = 0;
  const Result<void> begun = (*store)->backup(to, [&](Result<uint64_t> copied) {
    bytes = std::move(copied);
    loop.stop();
  });
  if (!begun) return std::unexpected(begun.error());
  loop.run();
  (*store)->close();
  return bytes;
}

// From which `restore` brings the skills back.
bool copy_lock(const cli::Args& args, const fs::path& folder) {
  const auto reading = configuration_of(args, serve_defaults());
  if (!reading) return false;
  std::error_code error;
  const fs::path lock =
      expand_path(reading->config.skills_folder, reading->home) / sources::kLockFileName;
  return fs::copy_file(lock, folder / sources::kLockFileName, fs::copy_options::overwrite_existing,
                       error);
}

}  // namespace

int run_backup(const cli::Args& args) {
  const fs::path folder = fs::absolute(args.positionals().front()).lexically_normal();
  const auto data = data_folder(args);
  if (!data) return cli::complain(data.error());
  const auto caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  if (auto ready = prepare(folder); !ready) return cli::complain(ready.error());
  const bool running = (*caller)->is_server();
  const auto bytes = running ? copy_from_server(**caller, *data, folder / kDatabase)
                             : copy_at_rest(*data, folder / kDatabase);
  if (!bytes) return cli::complain(bytes.error());
  const BackupShape shape{.folder = folder.string(),
                          .bytes = *bytes,
                          .lock = copy_lock(args, folder),
                          .from = running ? "server" : "folder"};
  if (args.has("json")) {
    cli::print_json(pretty_json(shape));
    return 0;
  }
  cli::print("{}: {} bytes of state and configuration{}\n", shape.folder, shape.bytes,
             shape.lock ? ", directory.lock" : "");
  cli::note(
      "To restore: `iii-directory serve --data {}`{}.\n", shape.folder,
      shape.lock ? ", and `iii-directory restore` with that directory.lock for the skills" : "");
  return 0;
}

}  // namespace iii::daemon
