#include "process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>

namespace iii::bench {
namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double resident_mb(const std::string& process) {
  std::ifstream statm("/proc/" + process + "/statm");
  double all = 0;
  double resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

}  // namespace

void die(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

Cores choose_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  Cores cores{-1, -1};
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    if (cores.server < 0) cores.server = core;
    cores.load = core;
  }
  return cores;
}

void pin_to(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

double own_cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double children_cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

double own_rss_mb() { return resident_mb("self"); }

double peak_rss_mb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

double machine_cpu_seconds() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0;
  stat >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq >> stolen;
  const double busy = user + nice + system + irq + softirq + stolen;
  return busy / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Process::Process(const std::vector<std::string>& command, int core, int errors) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) die("no pipe: " + std::string(std::strerror(errno)));
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) die("no process: " + std::string(std::strerror(errno)));
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives the benchmark
    if (core != kAnyCore) pin_to(core);
    dup2(ends[1], STDOUT_FILENO);
    if (errors != kOwnErrors) dup2(errors, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
}

Process::~Process() {
  if (!ended_) {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  close(output_);
}

bool Process::running() {
  if (!ended_) ended_ = waitpid(pid_, nullptr, WNOHANG) == pid_;
  return !ended_;
}

double Process::end(double seconds) {
  const int64_t began = now_ns();
  const auto passed = [began] { return static_cast<double>(now_ns() - began) / 1e9; };
  if (running()) kill(pid_, SIGTERM);
  while (running() && passed() < seconds) usleep(1000);
  if (running()) kill(pid_, SIGKILL);
  while (running()) usleep(1000);
  return passed();
}

std::string Process::line() {
  while (read_.find('\n') == std::string::npos) {
    char piece[512];
    const ssize_t count = read(output_, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    read_.append(piece, static_cast<size_t>(count));
  }
  const size_t end = read_.find('\n');
  std::string found = read_.substr(0, end);
  read_.erase(0, end + 1);
  return found;
}

double Process::cpu_seconds() const {
  clockid_t clock{};
  if (clock_getcpuclockid(pid_, &clock) != 0) return 0;
  return seconds_of(clock);
}

double Process::rss_mb() const { return resident_mb(std::to_string(pid_)); }

double Process::peak_rss_mb() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

ServerProcess::ServerProcess(const std::vector<std::string>& command, int core, int errors)
    : process_(command, core, errors) {
  // `port 1234`, or `ready ws=ws://127.0.0.1:1234 http=http://127.0.0.1:1235`.
  const std::string said = process_.line();
  if (said.empty()) return;  // it ended at once: there is no port
  const size_t address = said.find("ws://");
  size_t digits = said.find("port ");
  if (digits != std::string::npos) {
    digits += 5;
  } else if (address != std::string::npos) {
    digits = said.find(':', address + 5) + 1;
  } else {
    die(command[0] + " did not say which port it listens on");
  }
  const auto number_at = [&said](size_t at) {
    return static_cast<uint16_t>(std::strtoul(said.c_str() + at, nullptr, 10));
  };
  port_ = number_at(digits);
  const size_t http = said.find("http=http://");
  http_port_ = http == std::string::npos ? port_ : number_at(said.rfind(':') + 1);
}

}  // namespace iii::bench
