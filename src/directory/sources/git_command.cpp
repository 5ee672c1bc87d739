#include "directory/sources/git_command.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <system_error>
#include <utility>

#include "directory/sources/git_errors.h"

namespace iii::sources {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "iii-git-";
constexpr std::string_view kLockName = "in-use";
// A folder without a lock file is one that is being made right now, unless it is old.
constexpr time_t kTooYoungToTell = 3'600;

int open_locked(const fs::path& folder, int flags) {
  const int fd = open((folder / kLockName).c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(fd);
  return -1;
}

// Ours and a folder, not a link that somebody else put into a shared place.
bool is_own_folder(const fs::path& path, struct stat& about) {
  return lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

void sweep_one(const fs::path& folder) {
  struct stat about{};
  if (!is_own_folder(folder, about)) return;
  const int lock = open_locked(folder, 0);
  const bool old = time(nullptr) - about.st_mtime > kTooYoungToTell;
  std::error_code ignored;
  const bool unlocked = lock < 0 && old && !fs::exists(folder / kLockName, ignored);
  if (lock >= 0 || unlocked) fs::remove_all(folder, ignored);
  if (lock >= 0) close(lock);
}

fs::path place_or_default(const fs::path& place) {
  std::error_code bad;
  if (!place.empty()) return place;
  fs::path common = fs::temp_directory_path(bad);
  return bad ? fs::path("/tmp") : common;
}

constexpr uint64_t kMemoryBytes = 4ULL * 1024 * 1024 * 1024;

void hand_on(std::vector<std::string>& environment, const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) environment.push_back(std::string(name) + '=' + value);
}

// Only ever asked for a password: what a server does not take must not be erased from the user's
// store. The helper finds the user's home; git itself does not.
std::string credential_helper(const std::string& helper) {
  std::string command = helper;
  if (helper.starts_with('!')) {
    command = helper.substr(1);
  } else if (!helper.starts_with('/')) {
    command = "git credential-" + helper;
  }
  const char* home = std::getenv("HOME");
  const std::string place =
      home == nullptr ? std::string() : "HOME=" + shell_quoted(home) + "; export HOME; ";
  return R"(!iii_credential() { test "$1" = get || exit 0; )" + place + command +
         R"( "$@"; }; iii_credential)";
}

}  // namespace

void sweep_scratch(const fs::path& place) {
  std::error_code bad;
  for (fs::directory_iterator entry(place_or_default(place), bad), end; !bad && entry != end;
       entry.increment(bad)) {
    if (entry->path().filename().native().starts_with(kPrefix)) sweep_one(entry->path());
  }
}

Result<Scratch> Scratch::make(const fs::path& place) {
  const fs::path folder = place_or_default(place);
  std::error_code bad;
  fs::create_directories(folder, bad);
  sweep_scratch(folder);
  std::string name = (folder / (std::string(kPrefix) + "XXXXXX")).native();
  if (mkdtemp(name.data()) == nullptr) {
    return fail("D321",
                "D321 git_error: cannot create a temporary folder. Next: check that the system's "
                "temporary folder is writable and has free space");
  }
  const int lock = open_locked(name, O_CREAT | O_EXCL);
  if (lock < 0) {
    fs::remove_all(name, bad);
    return fail("D321",
                "D321 git_error: cannot write to the temporary folder. Next: check that the "
                "system's temporary folder has free space");
  }
  return Scratch(std::move(name), lock);
}

Scratch::Scratch(Scratch&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

Scratch::~Scratch() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

uint64_t Scratch::bytes() const {
  uint64_t sum = 0;
  std::error_code bad;
  for (fs::recursive_directory_iterator entry(path_, bad), end; !bad && entry != end;
       entry.increment(bad)) {
    struct stat about{};
    if (lstat(entry->path().c_str(), &about) == 0 && S_ISREG(about.st_mode)) {
      sum += static_cast<uint64_t>(about.st_size);
    }
  }
  return sum;
}

bool uses_ssh(std::string_view url) { return url.starts_with("ssh://") || url.starts_with("git@"); }

Git::Git(const RepoSource& source, const GitOptions& options, const Job& job,
         const Scratch& scratch, Route route)
    : options_(options),
      job_(job),
      scratch_(scratch),
      route_(std::move(route)),
      url_(source.repo),
      allowed_(job.allowed.count() > 0 ? job.allowed : job.left()) {
  set_store("store");
}

std::vector<std::string> Git::environment() const {
  std::vector<std::string> all = {
      "LC_ALL=C",                                        // its messages are looked at
      "HOME=" + (scratch_.path() / "no-home").native(),  // no .gitconfig, no .netrc
      "TMPDIR=" + scratch_.path().native(),
      "GIT_DIR=" + store_,
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_SYSTEM=/dev/null",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_ATTR_NOSYSTEM=1",
      "GIT_NO_REPLACE_OBJECTS=1",
      "GIT_OPTIONAL_LOCKS=0",
      "GIT_TERMINAL_PROMPT=0",
      "GIT_LFS_SKIP_SMUDGE=1",
      std::string("GIT_ALLOW_PROTOCOL=https:ssh") + (options_.allow_local ? ":file" : ""),
  };
  hand_on(all, "PATH");
  if (uses_ssh(url_)) {
    all.push_back("GIT_SSH_COMMAND=" + ssh_command(route_.ssh_options));
    all.push_back("GIT_SSH_VARIANT=ssh");  // said, because it cannot be read off the command
    hand_on(all, "SSH_AUTH_SOCK");
  } else {
    // The decision about a proxy, not what it was made of.
    if (!route_.proxy.empty()) all.push_back("HTTPS_PROXY=" + route_.proxy);
    hand_on(all, "SSL_CERT_FILE");
    hand_on(all, "SSL_CERT_DIR");
    if (!options_.credential_helper.empty()) {
      hand_on(all, "DBUS_SESSION_BUS_ADDRESS");  // where desktops keep passwords
      hand_on(all, "XDG_RUNTIME_DIR");
      all.emplace_back("GCM_INTERACTIVE=never");
    }
  }
  return all;
}

std::vector<std::string> Git::arguments(const std::vector<std::string>& args) const {
  std::vector<std::string> all = {options_.program};
  const auto set = [&all](std::string setting) {
    all.emplace_back("-c");
    all.push_back(std::move(setting));
  };
  // The URL is a setting and never an argument, so nothing in it can be an option.
  set("remote.origin.url=" + url_);
  set("protocol.version=2");
  set("http.followRedirects=false");
  set("http.sslVerify=true");
  set("http.lowSpeedLimit=1");  // ends helpers that a killed process of ours left behind
  set("http.lowSpeedTime=60");
  set("credential.helper=");  // whatever else is configured
  if (!options_.credential_helper.empty()) {
    set("credential.helper=" + credential_helper(options_.credential_helper));
  }
  if (!route_.resolve.empty()) set("http.curloptResolve=" + route_.resolve);
  set("core.askPass=");
  set("core.hooksPath=/dev/null");
  set("core.fsmonitor=false");
  set("core.bigFileThreshold=16m");  // larger objects are streamed, not held in memory
  set("pack.threads=1");
  set("gc.auto=0");
  set("maintenance.auto=false");
  set("fetch.unpackLimit=1");
  set("fetch.recurseSubmodules=no");
  set("fetch.writeCommitGraph=false");
  set("transfer.bundleURI=false");
  if (!options_.ca_file.empty()) set("http.sslCAInfo=" + options_.ca_file);
  all.insert(all.end(), args.begin(), args.end());
  return all;
}

Ran Git::run(const std::vector<std::string>& args, const Call& call) const {
  job_.tell({.step = call.step});
  Command command{.argv = arguments(args),
                  .environment = environment(),
                  .folder = scratch_.path().native(),
                  .input = call.input,
                  .max_output = call.max_output,
                  .max_file_bytes = options_.limits.max_clone_bytes,
                  .max_memory_bytes = kMemoryBytes};
  command.go_on = [this, &call] {
    const uint64_t bytes = scratch_.bytes();
    job_.tell({.step = call.step, .done = bytes});
    return bytes <= options_.limits.max_clone_bytes;
  };
  return sources::run(command, job_);
}

Result<std::string> Git::output(const std::vector<std::string>& args, const Call& call) const {
  Ran ran = run(args, call);
  if (!ran.ok()) return std::unexpected(explain(ran));
  return std::move(ran.output);
}

Error Git::explain(const Ran& ran) const {
  return explain_git(ran, {.url = url_,
                           .scratch = scratch_.path().native(),
                           .allowed = allowed_,
                           .max_clone_bytes = options_.limits.max_clone_bytes});
}

}  // namespace iii::sources
