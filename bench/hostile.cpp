// `scripts/bench hostile`: how long a well-behaved pair of peers waits while somebody else attacks.
#include "hostile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "folder.h"
#include "hostile_client.h"
#include "hostile_pair.h"
#include "http_peer.h"
#include "process.h"
#include "report.h"

namespace iii::bench {

HostilePeer Arena::worker(const std::string& name) const {
  HostilePeer peer = connect();
  peer.announce(name);
  return peer;
}

void Arena::flood(HostilePeer& peer, std::string_view block, double seconds) const {
  const double length = quick_ ? seconds / 20 : seconds;
  const int64_t end = std::min(deadline_, now_ns() + static_cast<int64_t>(length * 1e9));
  while (now_ns() < end && peer.send_bytes(block, end)) {
  }
}

size_t Arena::descriptors() const {
  std::error_code ignored;
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(place_.server) + "/fd",
                                                  ignored);
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

void write_skill(const std::filesystem::path& folder, const std::string& name,
                 const std::string& text, const std::string& file, std::string_view bytes) {
  std::filesystem::create_directories(folder / name);
  std::ofstream(folder / name / "SKILL.md")
      << fmt::format("---\nname: {}\ndescription: {}\n---\n# {}\n\n{}\n",
                     std::filesystem::path(name).filename().string(), text, name, text);
  if (!file.empty()) std::ofstream(folder / name / file, std::ios::binary) << bytes;
}

namespace {

namespace fs = std::filesystem;

constexpr double kAimMs = 20;        // for a call
constexpr double kHealthAimMs = 50;  // for a call and for GET /healthz
constexpr double kGrowthAimMb = 300;
constexpr double kPatience = 40;  // seconds; for an answer to the pair after the attack

struct Options {
  bool quick = false;
  bool list = false;
  bool when = false;
  double baseline = 0.7;  // seconds
  double settle = 0.5;
  double attack = 25;  // at most
  std::string program;
  std::vector<std::string> rows;
};

constexpr const char* kUsage =
    "usage: bench_hostile [options]\n"
    "  --quick            a smoke test: small attacks; only answers are checked\n"
    "  --row NAME         only this row; may be repeated\n"
    "  --list             the names of all rows and what each does\n"
    "  --when             also tells when the worst delay was, for `perf script --time`\n"
    "  --program PATH     the iii-directory to attack (beside this program's folder)\n"
    "  --seconds S        no attack takes longer (25)\n";

Options parse(int argc, char** argv) {
  Options options;
  options.program =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "iii-directory";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) die(fmt::format("{} needs a value\n{}", word, kUsage));
      return argv[i];
    };
    if (word == "--quick") {
      options.quick = true;
      options.baseline = 0.05;
      options.settle = 0.05;
    } else if (word == "--list") {
      options.list = true;
    } else if (word == "--when") {
      options.when = true;
    } else if (word == "--row") {
      options.rows.push_back(value());
    } else if (word == "--program") {
      options.program = fs::absolute(value());
    } else if (word == "--seconds") {
      options.attack = std::stod(value());
    } else {
      die(fmt::format("unknown option {}\n{}", word, kUsage));
    }
  }
  return options;
}

struct Seen {
  PairDelays before;
  PairDelays during;
  double calm_mb = 0;  // before the attack
  double peak_mb = 0;
  double attack_seconds = 0;
  double end_seconds = 0;
  bool survived = false;
  Pair::Books books;
  std::vector<Arena::Check> checks;

  double grown_mb() const { return std::max(0.0, peak_mb - calm_mb); }
  double worst_ms() const { return std::max(during.worst_ms, during.health.worst_ms); }
  bool right() const {
    return survived && books.lost == 0 && books.wrong == 0 && !books.disconnected &&
           std::ranges::all_of(checks, &Arena::Check::holds);
  }
};

// The server's standard error: a file, a pipe without a reader, or one that nobody empties.
class ErrorSink {
 public:
  ErrorSink(Errors kind, const std::string& path) {
    if (kind == Errors::kFile) {
      write_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      return;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) die("no pipe");
    write_ = ends[1];
    if (kind == Errors::kClosedPipe) {
      close(ends[0]);
    } else {
      read_ = ends[0];
    }
  }
  ~ErrorSink() {
    close(write_);
    if (read_ >= 0) close(read_);
  }
  ErrorSink(const ErrorSink&) = delete;
  ErrorSink& operator=(const ErrorSink&) = delete;

  int fd() const { return write_; }

 private:
  int write_ = -1;
  int read_ = -1;
};

void nap(double seconds) { usleep(static_cast<useconds_t>(seconds * 1e6)); }

std::vector<std::string> command_of(const Attack& attack, const Options& options,
                                    const std::string& data, const std::string& skills) {
  std::vector<std::string> command{options.program, "serve", "--port", "0",
                                   "--http-port",   "0",     "--data", data};
  const std::vector<std::string> served =
      attack.files == nullptr ? std::vector<std::string>{"--engine-only"}
                              : std::vector<std::string>{"--skills", skills, "--log-level", "warn"};
  command.insert(command.end(), served.begin(), served.end());
  command.insert(command.end(), attack.options.begin(), attack.options.end());
  return command;
}

void wait_until_ready(const ServerProcess& server) {
  const HttpQuestion ready{"GET /healthz/ready HTTP/1.1\r\n", "", ""};
  for (int tenths = 0; tenths < 600; ++tenths) {
    const auto reply = ask_once(server.http_port(), ready);
    if (reply && reply->status == 200) return;
    nap(0.1);
  }
}

// Beside the pair that has been measured alone.
void run_attack(const Attack& attack, const Options& options, ServerProcess& server, Pair& pair,
                Seen& seen, const fs::path& skills) {
  const int64_t began = now_ns();
  const Arena::Place place{server.port(), server.http_port(), server.process().pid(), skills};
  const auto until = [](int64_t from, double seconds) {
    return from + static_cast<int64_t>(seconds * 1e9);
  };
  Arena arena(place, options.quick, until(began, options.attack));
  std::atomic<bool> over = false;
  std::thread attacker([&] {
    setpriority(PRIO_PROCESS, 0, 10);  // this thread only
    attack.run(arena);
    over = true;
  });
  while (!over) {
    seen.peak_mb = std::max(seen.peak_mb, server.process().peak_rss_mb());
    nap(0.02);
  }
  attacker.join();
  seen.attack_seconds = static_cast<double>(now_ns() - began) / 1e9;
  seen.checks = arena.checks();
  nap(options.settle);
  if (attack.files != nullptr) {
    Arena afterwards(place, options.quick, until(now_ns(), 10));
    check_served(afterwards);
    seen.checks.push_back(afterwards.checks().front());
  }
  seen.during = pair.look(kPatience);
}

Seen run_row(const Attack& attack, const Options& options, Folder& folder) {
  const std::string data = folder.fresh();
  const std::string skills = folder.fresh();
  fs::create_directories(data);
  fs::permissions(data, fs::perms::owner_all);
  if (attack.files != nullptr) {
    write_skill(skills, "known", "What is known.");
    attack.files(skills, options.quick);
  }
  const ErrorSink errors(attack.errors, data + ".log");
  ServerProcess server(command_of(attack, options, data, skills), kAnyCore, errors.fd());
  Seen seen;
  if (server.port() == 0) return seen;
  if (attack.files != nullptr) wait_until_ready(server);
  {
    Pair pair(server.port(), server.http_port());
    nap(options.baseline / 4);  // warm-up
    pair.look(kPatience);
    nap(options.baseline);
    seen.before = pair.look(kPatience);
    seen.calm_mb = server.rss_mb();
    run_attack(attack, options, server, pair, seen, skills);
    // A pair that has waited in vain once need not wait as long again.
    const bool stuck = seen.worst_ms() >= kPatience * 1000;
    seen.books = pair.finish(stuck ? 0.1 : kPatience);
  }
  seen.peak_mb = std::max(seen.peak_mb, server.process().peak_rss_mb());
  seen.survived = server.process().running();
  seen.end_seconds = server.process().end(20);
  std::error_code ignored;
  fs::remove_all(data, ignored);
  fs::remove_all(skills, ignored);
  return seen;
}

std::string remarks(const Seen& seen) {
  std::string text;
  const auto add = [&text](const std::string& remark) {
    text += (text.empty() ? "" : "; ") + remark;
  };
  std::set<std::string> said;
  for (const Arena::Check& check : seen.checks) {
    const std::string remark = (check.holds ? "" : "NOT: ") + check.what;
    if (said.insert(remark).second) add(remark);
  }
  if (seen.books.disconnected && seen.survived) add("NOT: the pair stays connected");
  if (seen.survived && seen.end_seconds > 3) {
    add(fmt::format("SIGTERM took {:.0f} s", seen.end_seconds));
  }
  return text;
}

void print_head() {
  fmt::print("\n  {:<22}{:>18}{:>20}{:>20}{:>14}{:>8}{:>8}{:>6}{:>7}  {}\n", "", "alone p99  worst",
             "attacked p99  worst", "/healthz p99  worst", "RSS MB", "attack", "server", "lost",
             "wrong", "");
  fmt::print("  {:<22}{:>18}{:>20}{:>20}{:>14}{:>8}{:>8}{:>6}{:>7}  {}\n", "", "ms     ms",
             "ms       ms", "ms       ms", "peak  grown", "s", "", "", "", "must hold");
}

void print_row(const Attack& attack, const Seen& seen) {
  fmt::print(
      "  "
      "{:<22}{:>11.2f}{:>7.1f}{:>11.2f}{:>9.1f}{:>11.2f}{:>9.1f}{:>7.0f}{:>7.0f}{:>8.1f}{:>8}{:>6}"
      "{:>7}  {}\n",
      attack.name, seen.before.p99_ms, seen.before.worst_ms, seen.during.p99_ms,
      seen.during.worst_ms, seen.during.health.p99_ms, seen.during.health.worst_ms, seen.peak_mb,
      seen.grown_mb(), seen.attack_seconds, seen.survived ? "lives" : "DIED", seen.books.lost,
      seen.books.wrong, remarks(seen));
  std::fflush(stdout);
}

// The rows that miss an aim.
class Missed {
 public:
  Missed(std::string aim) : aim_(std::move(aim)) {}
  void add(const Attack& attack) {
    ++count_;
    names_ += fmt::format(" {}", attack.name);
  }
  void print() const {
    fmt::print("{} rows above {}:{}\n", count_, aim_, names_.empty() ? " none" : names_);
  }

 private:
  std::string aim_;
  size_t count_ = 0;
  std::string names_;
};

std::vector<Attack> chosen(const Options& options) {
  std::vector<Attack> all;
  for (auto& part : {trigger_attacks(), state_attacks(), call_attacks(), connection_attacks(),
                     input_attacks(), mcp_attacks(), session_attacks()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  if (options.rows.empty()) return all;
  std::vector<Attack> some;
  for (const std::string& name : options.rows) {
    const auto found =
        std::ranges::find_if(all, [&](const Attack& attack) { return name == attack.name; });
    if (found == all.end()) die("there is no row " + name + "; see --list");
    some.push_back(*found);
  }
  return some;
}

int run(const Options& options) {
  const std::vector<Attack> attacks = chosen(options);
  if (options.list) {
    for (const Attack& attack : attacks) fmt::print("{:<22}{}\n", attack.name, attack.what);
    return 0;
  }
  Folder folder;
  setenv("HOME", folder.fresh().c_str(), 1);  // its own folders of skills are not served
  print_machine();
  fmt::print(
      "calls of a well-behaved pair, one after the other, alone and beside a hostile peer\n");
  print_head();
  Missed slow(fmt::format("{:.0f} ms for a call", kAimMs));
  Missed slowest(fmt::format("{:.0f} ms for a call or GET /healthz", kHealthAimMs));
  Missed grown(fmt::format("{:.0f} MB of growth", kGrowthAimMb));
  size_t failed = 0;
  double worst_alone = 0;
  for (const Attack& attack : attacks) {
    const Seen seen = run_row(attack, options, folder);
    print_row(attack, seen);
    if (options.when) {
      const double end = static_cast<double>(seen.during.worst_end_ns) / 1e9;
      fmt::print("    worst: {:.6f},{:.6f} of CLOCK_MONOTONIC\n", end - seen.during.worst_ms / 1e3,
                 end);
    }
    worst_alone = std::max(worst_alone, seen.before.worst_ms);
    if (!seen.right()) ++failed;
    if (seen.during.worst_ms > kAimMs) slow.add(attack);
    if (seen.worst_ms() > kHealthAimMs) slowest.add(attack);
    if (seen.grown_mb() > kGrowthAimMb) grown.add(attack);
  }
  fmt::print("\n{} rows; worst delay without a hostile peer {:.1f} ms\n", attacks.size(),
             worst_alone);
  for (const Missed& missed : {slow, slowest, grown}) missed.print();
  fmt::print("{} rows with something lost, wrong or dead\n", failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace iii::bench

int main(int argc, char** argv) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  return iii::bench::run(iii::bench::parse(argc, argv));
}
