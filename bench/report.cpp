#include "report.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace iii::bench {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

Seen median(const std::vector<Seen>& rounds) {
  const auto of = [&rounds](double Seen::* field) {
    std::vector<double> values;
    for (const Seen& seen : rounds) values.push_back(seen.*field);
    return median(std::move(values));
  };
  Seen middle;
  for (double Seen::* field :
       {&Seen::rate, &Seen::p50_us, &Seen::p99_us, &Seen::server_us, &Seen::server_busy,
        &Seen::load_busy, &Seen::rss_mb, &Seen::bystander_p50_us, &Seen::bystander_p99_us,
        &Seen::bystander_worst_us}) {
    middle.*field = of(field);
  }
  for (const Seen& seen : rounds) {
    middle.sent += seen.sent;
    middle.unanswered += seen.unanswered;
    middle.wrong += seen.wrong;
  }
  return middle;
}

void print_machine() {
  std::string model = "unknown processor";
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(':') + 2);
    break;
  }
  utsname system{};
  uname(&system);
  fmt::print("machine: {}, {} cores, Linux {}\n", model, std::thread::hardware_concurrency(),
             system.release);
}

namespace {

std::string number(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

std::string ratio(double value) { return value > 0 ? fmt::format("{:.2f}", value) : "-"; }

}  // namespace

void print_table(const std::string& title, const std::vector<Row>& rows) {
  fmt::print("\n{}\n", title);
  fmt::print("  {:<29}{:>9}{:>9}{:>11}{:>9}{:>8}{:>7}{:>8}{:>9}{:>8}\n", "", "p50 us", "p99 us",
             "per second", "CPU us", "server", "load", "RSS MB", "x trip", "x rate");
  for (const Row& row : rows) {
    const Seen& seen = row.seen;
    fmt::print("  {:<29}{:>9}{:>9}{:>11}{:>9}{:>7}%{:>6}%{:>8}{:>9}{:>8}\n", row.name,
               number(seen.p50_us, 1), number(seen.p99_us, 1), number(seen.rate, 0),
               number(seen.server_us, 2), number(seen.server_busy * 100, 0),
               number(seen.load_busy * 100, 0), number(seen.rss_mb, 1), ratio(row.round_trip),
               ratio(row.rate));
  }
  std::fflush(stdout);
}

void print_aims(const std::vector<Aim>& aims) {
  fmt::print("\naims\n");
  for (const Aim& aim : aims) {
    const bool met = aim.at_most ? aim.reached <= aim.aim : aim.reached >= aim.aim;
    fmt::print("  {:<62}{:>9}{:<4} aim {} {}{:<4} {}\n", aim.what, number(aim.reached, 2), aim.unit,
               aim.at_most ? "<=" : ">=", number(aim.aim, 2), aim.unit, met ? "met" : "MISSED");
  }
  std::fflush(stdout);
}

}  // namespace iii::bench
