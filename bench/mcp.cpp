// `scripts/bench mcp`: what an MCP request costs at 60 000 skills, beside bare HTTP servers that
// answer with as many bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "content_tree.h"
#include "folder.h"
#include "http_peer.h"
#include "load.h"
#include "report.h"
#include "roles.h"

namespace iii::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool quick = false;
  size_t skills = 60'000;
  size_t rounds = 3;
  double seconds = 1.0;
  std::string role;
};

constexpr const char* kUsage =
    "usage: bench_mcp [options]\n"
    "  --quick            a smoke test with 600 skills, a fraction of a second each\n"
    "  --skills N         size of the tree (60000)\n"
    "  --rounds N         rounds of which the median is printed (3)\n"
    "  --seconds S        length of each measurement (1)\n";

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
      options.skills = 600;
      options.rounds = 1;
      options.seconds = 0.1;
    } else if (word == "--skills") {
      options.skills = std::max(1UL, std::stoul(value()));
    } else if (word == "--rounds") {
      options.rounds = std::max(1UL, std::stoul(value()));
    } else if (word == "--seconds") {
      options.seconds = std::stod(value());
    } else if (word == "--role") {
      options.role = value();
    } else {
      die(fmt::format("unknown option {}\n{}", word, kUsage));
    }
  }
  return options;
}

struct Kind {
  const char* name;
  HttpQuestion asked;
  double rate_aim;  // of the rate of our bare HTTP server; 0: none
};

std::vector<Kind> kinds(const std::string& skill) {
  const std::string uri = "iii://" + skill;
  return {
      {"resources/read",
       mcp_question("resources/read", uri, fmt::format(R"("uri":"{}",)", uri), "\"contents\""),
       0.6},
      {"tools/call",
       mcp_question("tools/call", "read",
                    fmt::format(R"("name":"read","arguments":{{"id":"{}"}},)", skill),
                    "\"content\""),
       0},
      {"skills/list", mcp_question("skills/list", "", "", "\"skills\""), 0},
  };
}

// As many bytes as another server has answered with.
HttpQuestion bytes_question(size_t bytes, const std::string& body) {
  return {fmt::format("POST /bytes?{} HTTP/1.1\r\nContent-Type: application/json\r\n", bytes), body,
          "x"};
}

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)), cores_(choose_cores()) {
    times_ = {options_.quick ? 0.02 : 0.15, options_.seconds};
    pin_to(cores_.load);
  }
  int run();

 private:
  std::vector<std::string> role(const std::string& name) const {
    return {fs::read_symlink("/proc/self/exe"), "--role", name};
  }
  static std::string program() {
    return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "iii-directory";
  }
  void make_tree();
  Seen once(const ServerProcess& server, const HttpQuestion& asked, size_t connections);
  void compare(const Kind& kind, size_t connections);
  void first_answer();

  const Options options_;
  const Cores cores_;
  Times times_;
  Folder folder_;
  std::string home_;
  std::string tree_;
  std::string skill_;  // the id of one
  std::vector<Aim> aims_;
  std::optional<ServerProcess> echo_, beast_, serve_;
  uint64_t lost_ = 0;
};

void Bench::make_tree() {
  home_ = folder_.fresh();
  tree_ = folder_.fresh();
  fs::create_directories(home_);
  const TreePlan plan = plan_tree(options_.skills, 1);
  write_tree(plan, tree_, TreeText::kPortable);
  for (const TreeFile& file : plan.files) {
    if (file.kind != TreeFile::Kind::kSkill || file.bytes < 4'000 || file.bytes > 6'000) continue;
    skill_ = file.path.ends_with("/SKILL.md") ? file.path.substr(0, file.path.size() - 9)
                                              : file.path.substr(0, file.path.rfind('.'));
    break;
  }
}

Seen Bench::once(const ServerProcess& server, const HttpQuestion& asked, size_t connections) {
  Load load(
      server, [&](Tally& tally) { return http_client(server.http_port(), asked, tally); },
      connections);
  const Seen seen = load.run(times_);
  lost_ += seen.unanswered + seen.wrong;
  if (seen.unanswered + seen.wrong > 0) {
    fmt::print("  {} of {} requests were not answered, {} wrongly\n", seen.unanswered, seen.sent,
               seen.wrong);
  }
  return seen;
}

void Bench::compare(const Kind& kind, size_t connections) {
  const auto sample = ask_once(serve_->http_port(), kind.asked);
  if (!sample || sample->status != 200 ||
      sample->body.find(kind.asked.expect) == std::string::npos) {
    fmt::print("\n{}: not measured, the answer was {} {}\n", kind.name, sample ? sample->status : 0,
               sample ? sample->body.substr(0, 300) : "");
    ++lost_;
    return;
  }
  const HttpQuestion bare = bytes_question(sample->body.size(), kind.asked.body);
  std::vector<Seen> echo, beast, served;
  std::vector<double> rates;
  for (size_t i = 0; i < options_.rounds; ++i) {
    beast.push_back(once(*beast_, bare, connections));
    echo.push_back(once(*echo_, bare, connections));
    served.push_back(once(*serve_, kind.asked, connections));
    rates.push_back(served.back().rate / echo.back().rate);
  }
  const Seen base = median(echo);
  const auto row = [&base](const std::string& name, const std::vector<Seen>& rounds) {
    const Seen seen = median(rounds);
    return Row{name, seen, seen.p50_us / base.p50_us, seen.rate / base.rate};
  };
  const std::string title = fmt::format("{}, {} client{}, {} bytes", kind.name, connections,
                                        connections == 1 ? "" : "s", sample->body.size());
  print_table(title, {row("bare HTTP, our server", echo), row("bare HTTP, Boost.Beast", beast),
                      row(kind.name, served)});
  if (kind.rate_aim > 0) {
    aims_.push_back(
        {title + ": of the bare server's rate", median(rates), false, kind.rate_aim, ""});
  }
}

// From the start of the process to its first answer. The index of the tree is warm: the first round
// lists resources, whose answer comes after the index was written.
void Bench::first_answer() {
  constexpr const char* kInitialize =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
  constexpr const char* kList = R"({"jsonrpc":"2.0","method":"notifications/initialized"}\n)"
                                R"({"jsonrpc":"2.0","id":2,"method":"resources/list","params":{}})";
  const auto command = [this](const std::string& messages) {
    return fmt::format("{{ printf '{}\\n'; sleep 15; }} | HOME='{}' exec '{}' mcp --skills '{}'",
                       messages, home_, program(), tree_);
  };
  const std::string first = kInitialize;
  std::vector<double> times;
  for (size_t i = 0; i < options_.rounds + 1; ++i) {
    const int64_t began = now_ns();
    const bool warm_up = i == 0;
    Process process({"/bin/sh", "-c", command(warm_up ? first + "\\n" + kList : first)},
                    cores_.server);
    const std::string line = process.line();
    if (warm_up && process.line().find("\"resources\"") == std::string::npos) {
      die("stdio: resources/list was not answered");
    }
    if (line.find("\"protocolVersion\"") == std::string::npos) {
      fmt::print("\nstdio: not measured, the first line was: {}\n", line.substr(0, 200));
      ++lost_;
      return;
    }
    if (i > 0) times.push_back(static_cast<double>(now_ns() - began) / 1e6);
  }
  fmt::print("\nstdio: first answer after {:.1f} ms\n", median(times));
  aims_.push_back({"stdio: first answer", median(times), true, 50, "ms"});
}

int Bench::run() {
  print_machine();
  make_tree();
  echo_.emplace(role("http-echo"), cores_.server);
  beast_.emplace(role("beast-http"), cores_.server);
  const std::string data = folder_.fresh();
  setenv("HOME", home_.c_str(), 1);
  serve_.emplace(
      std::vector<std::string>{program(), "serve", "--port", "0", "--http-port", "0", "--data",
                               data, "--skills", tree_, "--log-level", "error"},
      cores_.server);
  const std::vector<Kind> all = kinds(skill_);
  const auto there = ask_once(serve_->http_port(), all.front().asked);
  if (there && there->status == 404 && there->body.find("\"not_found\"") != std::string::npos) {
    fmt::print("nothing is at /mcp: only the bare servers are measured\n");
    for (const size_t connections : {size_t{1}, size_t{32}}) {
      const HttpQuestion bare = bytes_question(5'000, "{}");
      const Seen ours = once(*echo_, bare, connections);
      const Seen theirs = once(*beast_, bare, connections);
      print_table(fmt::format("5000 bytes, {} clients", connections),
                  {{"bare HTTP, our server", ours, 1, 1},
                   {"bare HTTP, Boost.Beast", theirs, theirs.p50_us / ours.p50_us,
                    theirs.rate / ours.rate}});
    }
    return lost_ == 0 ? 0 : 1;
  }
  for (const Kind& kind : all) {
    for (const size_t connections : {size_t{1}, size_t{32}}) compare(kind, connections);
  }
  serve_.reset();
  first_answer();
  print_aims(aims_);
  if (lost_ > 0) fmt::print("\n{} requests were not answered rightly\n", lost_);
  return lost_ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace iii::bench

int main(int argc, char** argv) {
  using namespace iii::bench;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Options options = parse(argc, argv);
  if (options.role == "http-echo") return serve_http_echo();
  if (options.role == "beast-http") return serve_beast_http();
  return Bench(options).run();
}
