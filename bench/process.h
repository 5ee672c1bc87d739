// Servers under test: each a process of its own on a core of its own, watched from outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace iii::bench {

// The first and the last core this process may use: one for the server, one for the load. The same
// when there is only one.
struct Cores {
  int server = 0;
  int load = 0;
};
Cores choose_cores();
void pin_to(int core);

int64_t now_ns();  // monotonic
double own_cpu_seconds();
double children_cpu_seconds();  // of those that have ended
double own_rss_mb();
double peak_rss_mb();
// CPU time of everybody since the machine started, other guests of its host included.
double machine_cpu_seconds();

inline constexpr int kAnyCore = -1;

inline constexpr int kOwnErrors = -1;

// Started with its output in a pipe; ended (SIGTERM) and waited for by the destructor.
class Process {
 public:
  // `errors`: the file descriptor that becomes its standard error.
  Process(const std::vector<std::string>& command, int core, int errors = kOwnErrors);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The next line of its standard output, or "" when it ended.
  std::string line();
  double cpu_seconds() const;
  double rss_mb() const;
  double peak_rss_mb() const;
  pid_t pid() const { return pid_; }
  bool running();
  // SIGTERM, and SIGKILL when it has not ended after so many seconds. Returns how long it took.
  double end(double seconds);

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  bool ended_ = false;
  std::string read_;
};

// A program that prints the port it listens on: this program in one of its roles, or
// `iii-directory serve`.
class ServerProcess {
 public:
  ServerProcess(const std::vector<std::string>& command, int core, int errors = kOwnErrors);

  uint16_t port() const { return port_; }            // 0: it did not start
  uint16_t http_port() const { return http_port_; }  // the same, where there is only one
  double cpu_seconds() const { return process_.cpu_seconds(); }
  double rss_mb() const { return process_.rss_mb(); }
  Process& process() { return process_; }

 private:
  Process process_;
  uint16_t port_ = 0;
  uint16_t http_port_ = 0;
};

[[noreturn]] void die(const std::string& why);

}  // namespace iii::bench
