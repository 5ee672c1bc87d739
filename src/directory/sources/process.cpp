#include "directory/sources/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "foundation/base/beneath.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTick{50};             // how soon a cancellation is seen
constexpr milliseconds kReapPatience{2'000};  // for killed processes that the kernel still holds

// Never one of the three standard ones: the child puts others there.
UniqueFd above_standard(int fd) {
  UniqueFd given(fd);
  if (fd < 0 || fd > STDERR_FILENO) return given;
  return UniqueFd(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

struct Pipe {
  UniqueFd from;
  UniqueFd to;

  bool make() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    from = above_standard(ends[0]);
    to = above_standard(ends[1]);
    return from && to;
  }
};

// A file in memory: the child reads at its own pace, without a thread that writes.
UniqueFd input_of(const std::string& bytes) {
  if (bytes.empty()) return above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  UniqueFd file = above_standard(memfd_create("input", MFD_CLOEXEC));
  size_t written = 0;
  while (file && written < bytes.size()) {
    const ssize_t count = write(file.get(), bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    written += static_cast<size_t>(count);
  }
  if (file && lseek(file.get(), 0, SEEK_SET) != 0) return {};
  return file;
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    if (!folder.starts_with('/')) continue;  // nothing from wherever we happen to work
    std::string candidate = std::string(folder) + '/' + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// All that the child needs between fork and exec, where nothing may be allocated or locked: other
// threads of this process may hold any lock at that moment.
struct Launch {
  const Command& command;
  const char* program;
  char* const* argv;
  char* const* environment;
  int input;
  int output;
  int errors;
  int report;
  pid_t parent;
};

void keep_only_standard_descriptors() {
  if (syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) == 0) return;
  for (int fd = 3; fd < 65'536; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void limit(int resource, rlim_t most) {
  if (most == 0) return;
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

[[noreturn]] void become(const Launch& launch) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);  // it died before the line above
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const bool ready = dup2(launch.input, STDIN_FILENO) >= 0 &&
                     dup2(launch.output, STDOUT_FILENO) >= 0 &&
                     dup2(launch.errors, STDERR_FILENO) >= 0 &&
                     (launch.command.folder.empty() || chdir(launch.command.folder.c_str()) == 0);
  if (ready) {
    keep_only_standard_descriptors();
    limit(RLIMIT_CORE, 1);
    limit(RLIMIT_FSIZE, launch.command.max_file_bytes);
    // An error that the program can tell about, instead of being killed silently.
    if (launch.command.max_file_bytes != 0) ::signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_AS, launch.command.max_memory_bytes);
    execve(launch.program, launch.argv, launch.environment);
  }
  const int why = errno;
  [[maybe_unused]] const ssize_t told = write(launch.report, &why, sizeof why);
  _exit(127);
}

// Handlers of this process must not run in the child before it has dropped them.
pid_t fork_quietly(const Launch& launch) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid == 0) become(launch);
  const int why = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  return pid;
}

class Child {
 public:
  Child(const Command& command, const Job& job) : command_(command), job_(job) {}

  Ran run() {
    if (!start()) return std::move(ran_);
    ran_.ending = follow();
    if (!exited()) ask_to_end();
    // The leader may be a zombie by now, which keeps the group's number ours.
    kill(-pid_, SIGKILL);
    reap();
    while (read_some(output_, ran_.output, command_.max_output)) {
    }
    while (read_some(errors_, ran_.errors, command_.max_errors)) {
    }
    trim_output();
    return std::move(ran_);
  }

 private:
  bool start() {
    ran_.start_error = ENOENT;
    const auto program = command_.argv.empty() ? std::nullopt : find_program(command_.argv[0]);
    if (!program) return false;
    static const int reaper = prctl(PR_SET_CHILD_SUBREAPER, 1);
    static_cast<void>(reaper);
    Pipe output;
    Pipe errors;
    Pipe report;
    const UniqueFd input = input_of(command_.input);
    if (!input || !output.make() || !errors.make() || !report.make()) {
      ran_.start_error = errno;
      return false;
    }
    const std::vector<char*> argv = pointers(command_.argv);
    const std::vector<char*> environment = pointers(command_.environment);
    pid_ = fork_quietly({.command = command_,
                         .program = program->c_str(),
                         .argv = argv.data(),
                         .environment = environment.data(),
                         .input = input.get(),
                         .output = output.to.get(),
                         .errors = errors.to.get(),
                         .report = report.to.get(),
                         .parent = getpid()});
    if (pid_ < 0) {
      ran_.start_error = errno;
      return false;
    }
    setpgid(pid_, pid_);  // also here: whoever comes first
    report.to.reset();
    int why = 0;
    ssize_t count = 0;
    do {
      count = read(report.from.get(), &why, sizeof why);
    } while (count < 0 && errno == EINTR);
    if (count == sizeof why) {
      ran_.start_error = why;
      reap();
      ran_.ending = Ending::kNotStarted;
      return false;
    }
    ran_.start_error = 0;
    output_ = std::move(output.from);
    errors_ = std::move(errors.from);
    fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    fcntl(errors_.get(), F_SETFL, O_NONBLOCK);
    watch_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    return true;
  }

  Ending follow() {
    auto next_look = steady_clock::now();
    while (true) {
      if (job_.is_cancelled()) return Ending::kCancelled;
      if (steady_clock::now() >= job_.deadline) return Ending::kTimedOut;
      if (command_.go_on && steady_clock::now() >= next_look) {
        if (!command_.go_on()) return Ending::kStopped;
        next_look = steady_clock::now() + kTick;
      }
      wait(std::min(kTick, job_.left() + milliseconds(1)));
      if (ran_.output.size() > command_.max_output) return Ending::kTooMuch;
      if (exited()) return Ending::kExited;
    }
  }

  // Until something happens, and takes in what was said.
  void wait(milliseconds most) {
    // Without a descriptor for the process (old kernels) its end is seen by looking often.
    if (!watch_) most = std::min(most, milliseconds(10));
    std::array<pollfd, 3> ready{{{.fd = output_.get(), .events = POLLIN, .revents = 0},
                                 {.fd = errors_.get(), .events = POLLIN, .revents = 0},
                                 {.fd = watch_.get(), .events = POLLIN, .revents = 0}}};
    if (poll(ready.data(), ready.size(), static_cast<int>(most.count())) <= 0) return;
    if (ready[0].revents != 0) read_some(output_, ran_.output, command_.max_output);
    if (ready[1].revents != 0) read_some(errors_, ran_.errors, command_.max_errors);
  }

  // False when there is nothing to read now. Keeps one byte more than `most`, to tell.
  static bool read_some(UniqueFd& from, std::string& into, uint64_t most) {
    if (!from) return false;
    std::array<char, 65'536> piece;
    const ssize_t count = read(from.get(), piece.data(), piece.size());
    if (count < 0) return errno == EINTR;
    if (count == 0) {
      from.reset();
      return false;
    }
    const uint64_t room = most + 1 - std::min<uint64_t>(into.size(), most + 1);
    into.append(piece.data(), static_cast<size_t>(std::min(static_cast<uint64_t>(count), room)));
    return true;
  }

  bool exited() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  void ask_to_end() {
    kill(-pid_, SIGTERM);
    const auto end = steady_clock::now() + command_.grace;
    while (!exited() && steady_clock::now() < end) wait(milliseconds(10));
  }

  void reap() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (ran_.ending == Ending::kExited) {
      if (WIFSIGNALED(status)) {
        ran_.ending = Ending::kSignalled;
        ran_.signal = WTERMSIG(status);
      } else {
        ran_.exit_code = WEXITSTATUS(status);
      }
    }
    // Whoever else was in the group became our child when its own parent died.
    const auto end = steady_clock::now() + kReapPatience;
    while (steady_clock::now() < end) {
      const pid_t one = waitpid(-pid_, nullptr, WNOHANG);
      if (one < 0 && errno != EINTR) return;
      if (one == 0) std::this_thread::sleep_for(milliseconds(1));
    }
  }

  // The last bytes may have come together with the end.
  void trim_output() {
    if (ran_.output.size() > command_.max_output) {
      ran_.output.resize(static_cast<size_t>(command_.max_output));
      if (ran_.ending == Ending::kExited) ran_.ending = Ending::kTooMuch;
    }
    if (ran_.errors.size() > command_.max_errors) {
      ran_.errors.resize(static_cast<size_t>(command_.max_errors));
    }
  }

  const Command& command_;
  const Job& job_;
  Ran ran_;
  pid_t pid_ = -1;
  UniqueFd output_;
  UniqueFd errors_;
  UniqueFd watch_;
};

}  // namespace

Ran run(const Command& command, const Job& job) {
  if (job.is_cancelled()) return {.ending = Ending::kCancelled};
  if (steady_clock::now() >= job.deadline) return {.ending = Ending::kTimedOut};
  return Child(command, job).run();
}

}  // namespace iii::sources
