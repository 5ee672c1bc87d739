// `scripts/bench bus`: what a call through the engine costs, beside a bare WebSocket echo.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>

#include "folder.h"
#include "load.h"
#include "report.h"
#include "roles.h"
#include "wire.h"

namespace iii::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool quick = false;
  uint64_t sequential = 0;
  size_t rounds = 3;
  double seconds = 1.0;
  std::string only;     // calls, observers, disk, idle
  std::string shape;    // one of the four, for profiling
  std::string program;  // an `iii-directory` to measure instead of the engine linked in here
  std::string role;
  DiskWork disk;
};

constexpr const char* kUsage =
    "usage: bench_bus [options]\n"
    "  --quick            a smoke test: every part, a fraction of a second each\n"
    "  --only PART        calls, observers, disk or idle\n"
    "  --shape CxF        one shape only: C callers with F calls in flight each\n"
    "  --rounds N         rounds of which the median is printed (3)\n"
    "  --seconds S        length of each measurement (1)\n"
    "  --program PATH     measure this iii-directory instead of the engine linked in here\n"
    "  --sequential N     N calls, one after the other; counts the answers\n";

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) die(fmt::format("{} wants a value\n{}", word, kUsage));
      return argv[i];
    };
    if (word == "--quick") {
      options.quick = true;
    } else if (word == "--only") {
      options.only = value();
    } else if (word == "--shape") {
      options.shape = value();
    } else if (word == "--rounds") {
      options.rounds = std::max(1UL, std::stoul(value()));
    } else if (word == "--seconds") {
      options.seconds = std::stod(value());
    } else if (word == "--program") {
      options.program = fs::absolute(value());
    } else if (word == "--sequential") {
      options.sequential = std::stoull(value());
    } else if (word == "--role") {
      options.role = value();
    } else if (word == "--data") {
      options.disk.folder = value();
    } else if (word == "--writers") {
      options.disk.writers = std::stoul(value());
    } else {
      die(fmt::format("unknown option {}\n{}", word, kUsage));
    }
  }
  if (options.quick) {
    options.rounds = 1;
    options.seconds = 0.1;
  }
  options.disk.seconds = options.seconds;
  return options;
}

int play(const Options& options) {
  if (options.role == "raw") return serve_raw();
  if (options.role == "echo") return serve_echo();
  if (options.role == "beast") return serve_beast_echo();
  if (options.role == "bus") return serve_bus(options.disk.folder);
  if (options.role == "floor") return measure_floor(options.disk);
  if (options.role == "store") return measure_store(options.disk);
  die("unknown role " + options.role);
}

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)), cores_(choose_cores()) {
    times_ = {options_.quick ? 0.02 : 0.15, options_.seconds};
    pin_to(cores_.load);
  }

  int run();
  int sequential();

 private:
  std::vector<std::string> role(const std::string& name, size_t writers = 0);
  std::vector<std::string> bus();
  Seen once(const ServerProcess& server, Talk talk, Shape shape);
  Seen disk(const std::string& name, size_t writers);
  void calls();
  void shape(Shape shape, double rate_aim);
  void durable();
  void observers();
  void bystander();
  void idle();

  const Options options_;
  const Cores cores_;
  Times times_;
  Folder folder_;
  std::vector<Aim> aims_;
  std::vector<double> others_;
  std::optional<ServerProcess> raw_, echo_, beast_, bus_;
  uint64_t lost_ = 0;
  uint64_t sent_ = 0;
};

std::vector<std::string> Bench::role(const std::string& name, size_t writers) {
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe"), "--role", name};
  command.insert(command.end(), {"--data", folder_.fresh()});
  if (writers > 0) command.insert(command.end(), {"--writers", std::to_string(writers)});
  command.insert(command.end(), {"--seconds", fmt::format("{}", options_.seconds)});
  return command;
}

std::vector<std::string> Bench::bus() {
  if (options_.program.empty()) return role("bus");
  return {options_.program, "serve", "--engine-only", "--port", "0", "--data", folder_.fresh()};
}

Seen Bench::once(const ServerProcess& server, Talk talk, Shape shape) {
  Load load(server, talk, shape);
  const Seen seen = load.run(times_);
  others_.push_back(seen.others_busy);
  sent_ += seen.sent;
  lost_ += seen.unanswered + seen.wrong;
  if (seen.unanswered + seen.wrong > 0) {
    fmt::print("  {} of {} messages were not answered, {} wrongly\n", seen.unanswered, seen.sent,
               seen.wrong);
  }
  return seen;
}

void Bench::shape(Shape shape, double rate_aim) {
  const bool single = shape.connections == 1 && shape.in_flight == 1;
  std::vector<Seen> raw, echo, beast, call;
  std::vector<double> trips, rates;
  for (size_t i = 0; i < options_.rounds; ++i) {
    if (single) raw.push_back(once(*raw_, Talk::kRaw, shape));
    beast.push_back(once(*beast_, Talk::kEcho, shape));
    echo.push_back(once(*echo_, Talk::kEcho, shape));
    call.push_back(once(*bus_, Talk::kCall, shape));
    trips.push_back(call.back().p50_us / echo.back().p50_us);
    rates.push_back(call.back().rate / echo.back().rate);
  }
  const Seen base = median(echo);
  const auto row = [&base](const std::string& name, const std::vector<Seen>& rounds) {
    const Seen seen = median(rounds);
    return Row{name, seen, seen.p50_us / base.p50_us, seen.rate / base.rate};
  };
  std::vector<Row> rows;
  if (single) rows.push_back(row("raw TCP ping-pong", raw));
  rows.push_back(row("WebSocket echo, our codec", echo));
  rows.push_back(row("WebSocket echo, Boost.Beast", beast));
  rows.push_back(row("call through the engine", call));
  rows.back().round_trip = median(trips);
  rows.back().rate = median(rates);
  const std::string title = fmt::format("{} x {} in flight", shape.connections, shape.in_flight);
  print_table(title, rows);
  if (single) {
    aims_.push_back({"one call at a time, round trips of the echo", median(trips), true, 2.3, "x"});
  } else {
    aims_.push_back(
        {title + ": calls/s, of the echo's messages/s", median(rates), false, rate_aim, ""});
  }
}

void Bench::calls() {
  raw_.emplace(role("raw"), cores_.server);
  echo_.emplace(role("echo"), cores_.server);
  beast_.emplace(role("beast"), cores_.server);
  bus_.emplace(bus(), cores_.server);
  const std::pair<Shape, double> shapes[] = {
      {{1, 1}, 0}, {{32, 1}, 0.50}, {{32, 16}, 0.17}, {{500, 4}, 0.33}};
  for (const auto& [wanted, aim] : shapes) {
    const std::string name = fmt::format("{}x{}", wanted.connections, wanted.in_flight);
    if (options_.shape.empty() || options_.shape == name) shape(wanted, aim);
  }
  raw_.reset();
  echo_.reset();
  beast_.reset();
  bus_.reset();
}

// The same load on a function that 0, 1, 10 and 100 observers look at, all in turn.
void Bench::observers() {
  const ServerProcess server(bus(), cores_.server);
  const size_t counts[] = {0, 1, 10, 100};
  std::vector<std::vector<Seen>> seen(std::size(counts));
  for (size_t i = 0; i < options_.rounds; ++i) {
    for (size_t kind = 0; kind < std::size(counts); ++kind) {
      seen[kind].push_back(once(server, Talk::kCall, {32, 1, counts[kind]}));
    }
  }
  const Seen base = median(seen[0]);
  std::vector<Row> rows;
  for (size_t kind = 0; kind < std::size(counts); ++kind) {
    const Seen all = median(seen[kind]);
    rows.push_back({fmt::format("calls, {} observers", counts[kind]), all, all.p50_us / base.p50_us,
                    all.rate / base.rate});
  }
  print_table("32 x 1 in flight, observed (ratios to the unobserved function)", rows);
}

// What somebody notices who has nothing to do with it: calls of another function of another worker,
// one at a time, while the observed one is called without pause.
void Bench::bystander() {
  const ServerProcess server(bus(), cores_.server);
  const size_t counts[] = {0, 1, 10, 100};
  std::vector<std::vector<Seen>> seen(std::size(counts));
  for (size_t i = 0; i < options_.rounds; ++i) {
    for (size_t kind = 0; kind < std::size(counts); ++kind) {
      seen[kind].push_back(once(server, Talk::kCall, {1, 1, counts[kind], true}));
    }
  }
  fmt::print("\nunrelated calls while a function with observers is called without pause\n");
  fmt::print("  {:<28} {:>9} {:>9} {:>9} {:>18}\n", "", "p50 us", "p99 us", "worst us",
             "observed calls/s");
  for (size_t kind = 0; kind < std::size(counts); ++kind) {
    const Seen all = median(seen[kind]);
    double worst = 0;
    for (const Seen& round : seen[kind]) worst = std::max(worst, round.bystander_worst_us);
    fmt::print("  {:<28} {:>9.1f} {:>9.1f} {:>9.1f} {:>18.0f}\n",
               fmt::format("{} observers", counts[kind]), all.bystander_p50_us,
               all.bystander_p99_us, worst, all.rate);
  }
}

void Bench::idle() {
  constexpr size_t kWorkers = 1000;
  const ServerProcess server(bus(), cores_.server);
  const double empty = server.rss_mb();
  std::vector<std::unique_ptr<Peer>> workers;
  for (size_t i = 0; i < kWorkers; ++i) workers.push_back(idle_worker(server.port(), i));
  const double full = server.rss_mb();
  fmt::print("\nRSS of the engine: {:.1f} MB empty, {:.1f} MB with {} idle workers\n", empty, full,
             kWorkers);
  aims_.push_back({"RSS with 1000 idle workers", full, true, 40, " MB"});
}

Seen Bench::disk(const std::string& name, size_t writers) {
  Process process(role(name, writers), cores_.server);
  const std::string line = process.line();
  Seen seen;
  if (std::sscanf(line.c_str(), "%lf %lf %lf", &seen.rate, &seen.p50_us, &seen.p99_us) != 3) {
    die("a disk measurement ended without a result");
  }
  return seen;
}

void Bench::durable() {
  if (folder_.in_memory()) fmt::print("\n(this folder is in memory: a sync costs nothing here)\n");
  const ServerProcess server(bus(), cores_.server);
  once(server, Talk::kSet, {1, 1});  // makes room for the log
  double alone = 0;
  std::vector<double> grouped, grouped_store;
  for (const size_t writers : {size_t{1}, size_t{32}}) {
    std::vector<Seen> floor, store, set;
    std::vector<double> trips, store_trips;
    for (size_t i = 0; i < options_.rounds; ++i) {
      floor.push_back(disk("floor", writers));
      store.push_back(disk("store", writers));
      set.push_back(once(server, Talk::kSet, {writers, 1}));
      trips.push_back(set.back().p50_us / floor.back().p50_us);
      store_trips.push_back(store.back().p50_us / floor.back().p50_us);
    }
    const Seen base = median(floor);
    const auto row = [&base](const std::string& name, const std::vector<Seen>& rounds) {
      const Seen seen = median(rounds);
      return Row{name, seen, seen.p50_us / base.p50_us, seen.rate / base.rate};
    };
    print_table(fmt::format("durable, {} writer{} (ratios to append + fdatasync)", writers,
                            writers == 1 ? "" : "s"),
                {row("append + fdatasync", floor), row("the engine's store", store),
                 row("state::set through the bus", set)});
    const double rate = median(set).rate;
    if (writers == 1) {
      alone = rate;
      aims_.push_back(
          {"durable set alone, times of append + fdatasync", median(trips), true, 1.3, "x"});
    } else {
      aims_.push_back(
          {"durable sets/s with 32 writers, of one writer's", rate / alone, false, 10, "x"});
    }
  }
}

int Bench::run() {
  print_machine();
  fmt::print(
      "{}-byte payloads; medians of {} rounds of {} s, all kinds in turn; server on core {}, load "
      "on "
      "core {}\n",
      kPayload, options_.rounds, options_.seconds, cores_.server, cores_.load);
  if (cores_.server == cores_.load) fmt::print("(one core only: server and load share it)\n");
  if (options_.only.empty() || options_.only == "calls") calls();
  if (options_.only.empty() || options_.only == "observers") {
    observers();
    bystander();
  }
  if (options_.only.empty() || options_.only == "idle") idle();
  if (options_.only.empty() || options_.only == "disk") durable();
  print_aims(aims_);
  const double others = median(others_) * 100;
  fmt::print("\nother programs used {:.0f}% of a core meanwhile{}\n", others,
             others > 15 ? ": the figures are disturbed, run it again on an idle machine" : "");
  fmt::print("{} messages sent, {} without the right answer\n", sent_, lost_);
  return lost_ == 0 ? 0 : 1;
}

int Bench::sequential() {
  const ServerProcess server(bus(), cores_.server);
  Load load(server, Talk::kCall, {1, 1});
  const Seen seen = load.run_count(options_.sequential);
  fmt::print(
      "{} calls one after the other: {} answers, {} wrong, {} missing; {:.0f}/s, p50 {:.1f} us, "
      "p99 {:.1f} us, RSS {:.1f} MB\n",
      options_.sequential, options_.sequential - seen.unanswered, seen.wrong, seen.unanswered,
      seen.rate, seen.p50_us, seen.p99_us, seen.rss_mb);
  return seen.unanswered == 0 && seen.wrong == 0 ? 0 : 1;
}

// Five hundred callers need more descriptors than some systems give at first.
void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace iii::bench

int main(int argc, char** argv) {
  using namespace iii::bench;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  const Options options = parse(argc, argv);
  if (!options.role.empty()) return play(options);
  Bench bench(options);
  return options.sequential > 0 ? bench.sequential() : bench.run();
}
