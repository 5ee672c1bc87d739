#include "foundation/base/process_usage.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace iii {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

uint64_t count_open_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), &::closedir);
  if (!folder) return 0;
  uint64_t entries = 0;
  while (::readdir(folder.get()) != nullptr) ++entries;
  return entries > 3 ? entries - 3 : 0;  // `.`, `..` and the folder itself
}

double seconds(const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; }

// In seconds since the system started: field 22 of /proc/self/stat, after the name in parentheses.
double start_since_boot() {
  const File file(std::fopen("/proc/self/stat", "r"), &std::fclose);
  char text[1024];
  if (!file) return 0;
  const std::string line(text, std::fread(text, 1, sizeof text, file.get()));
  size_t at = line.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = line.find(' ', at + 1);
  if (at == std::string::npos) return 0;
  return std::strtod(line.c_str() + at, nullptr) / double(::sysconf(_SC_CLK_TCK));
}

double started_at() {
  timespec up{};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const double since_boot = double(up.tv_sec) + double(up.tv_nsec) / 1e9;
  return std::chrono::duration<double>(now).count() - since_boot + start_since_boot();
}

}  // namespace

uint64_t resident_bytes() {
  const File file(std::fopen("/proc/self/statm", "r"), &std::fclose);
  char text[256];
  if (!file || std::fgets(text, sizeof text, file.get()) == nullptr) return 0;
  char* rest = text;
  std::strtoull(text, &rest, 10);  // the whole address space
  return std::strtoull(rest, nullptr, 10) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

ProcessUsage process_usage() {
  static const double started = started_at();
  ProcessUsage out;
  out.resident_bytes = resident_bytes();
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    out.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  out.open_files = count_open_files();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) out.max_open_files = limit.rlim_cur;
  out.started_at = started;
  return out;
}

}  // namespace iii
