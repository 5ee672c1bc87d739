// `scripts/bench content`: what it costs to know a big tree of skills, beside merely reading it.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <sstream>
#include <thread>

#include "content_program.h"
#include "content_roles.h"
#include "content_tree.h"
#include "foundation/base/files.h"
#include "process.h"
#include "report.h"

namespace iii::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: bench_content [options]\n"
    "  --quick            a smoke test: a small tree, every part once; checks answers only\n"
    "  --skills N         size of the tree (60000)\n"
    "  --rounds N         rounds of which the median is printed (5)\n"
    "  --keep DIR         use the tree in DIR, made there when it is missing, and leave it there\n"
    "  --only PART        read (baselines and starts), calls, stamps, limit, stalls or program\n"
    "  --when             with `program`: also tells when the slowest call was answered\n";

struct Options {
  bool quick = false;
  bool when = false;
  size_t rounds = 5;
  std::string keep;
  std::string only;
  std::string role;
  ContentWork work;
};

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
      options.work.skills = 600;
    } else if (word == "--skills") {
      options.work.skills = std::max(30UL, std::stoul(value()));
    } else if (word == "--rounds") {
      options.rounds = std::max(1UL, std::stoul(value()));
    } else if (word == "--when") {
      options.when = true;
    } else if (word == "--keep") {
      options.keep = fs::absolute(value());
    } else if (word == "--only") {
      options.only = value();
    } else if (word == "--role") {
      options.role = value();
    } else if (word == "--tree") {
      options.work.tree = value();
    } else if (word == "--watches") {
      options.work.watches = std::stoul(value());
    } else if (word == "--calls") {
      options.work.calls = std::stoul(value());
    } else {
      die(fmt::format("unknown option {}\n{}", word, kUsage));
    }
  }
  if (options.quick) options.rounds = 1;
  return options;
}

// Where the tree is. Removed in the end, unless it was named.
class Place {
 public:
  explicit Place(const std::string& keep) : kept_(!keep.empty()) {
    if (kept_) {
      path_ = keep;
      fs::create_directories(path_);
      return;
    }
    std::string name = fs::temp_directory_path() / "iii-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) die("cannot make a temporary folder");
    path_ = name;
  }
  ~Place() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  fs::path tree(size_t skills) const { return path_ / fmt::format("skills-{}", skills); }
  fs::path scratch() const { return path_; }

 private:
  const bool kept_;
  fs::path path_;
};

// A pipeline of the usual programs; `TREE` is the folder.
double shell_seconds(const char* command, const fs::path& tree) {
  const int64_t begin = now_ns();
  const pid_t child = fork();
  if (child < 0) die("no process");
  if (child == 0) {
    setenv("TREE", tree.c_str(), 1);
    execl("/bin/sh", "sh", "-c", command, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) die(fmt::format("`{}` failed", command));
  return double(now_ns() - begin) / 1e9;
}

constexpr const char* kCatOne = "find \"$TREE\" -type f -name '*.md' -exec cat {} + > /dev/null";
constexpr const char* kCatTwo =
    "find \"$TREE\" -type f -name '*.md' -print0 | xargs -0 -P 2 -n 500 cat > /dev/null";

struct Opened {
  double seconds = 0, cpu = 0, rss = 0;
  size_t watches = 0;
  size_t mean_description = 0, long_description = 0, longest_description = 0;  // bytes
};

struct Times {
  double p50 = 0, p99 = 0, cpu = 0;  // us
};

struct Called {
  std::map<std::string, Times> times;
  std::map<std::string, double> memory;
};

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)), place_(options_.keep) {}

  int run();

 private:
  void prepare();
  void read();
  void calls();
  void stamps();
  void limit();
  void stalls();
  void program();
  std::vector<std::string> role(const std::string& name, size_t watches = SIZE_MAX) const;
  Opened open();
  Called call(size_t watches, size_t calls);
  void print_times(const std::string& title, const Called& called,
                   const std::vector<std::pair<std::string, std::string>>& rows);
  template <typename Take>
  void listen(const std::vector<std::string>& command, Take take);
  bool wants(const char* part) const { return options_.only.empty() || options_.only == part; }

  const Options options_;
  Place place_;
  fs::path tree_;
  std::vector<Aim> aims_;
  size_t wrong_ = 0;
};

std::vector<std::string> Bench::role(const std::string& name, size_t watches) const {
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe"), "--role", name};
  command.insert(command.end(),
                 {"--tree", tree_, "--skills", std::to_string(options_.work.skills)});
  if (watches != SIZE_MAX) command.insert(command.end(), {"--watches", std::to_string(watches)});
  return command;
}

// Runs a role and hands every line's first word and the rest to `take`, until it says that it is
// done.
template <typename Take>
void Bench::listen(const std::vector<std::string>& command, Take take) {
  Process process(command, kAnyCore);
  for (;;) {
    const std::string line = process.line();
    if (line.empty()) die(fmt::format("the part `{}` ended early", command[2]));
    if (line == "done") return;
    std::istringstream rest(line);
    std::string word;
    rest >> word;
    if (word == "wrong") {
      ++wrong_;
      fmt::print("  {}\n", line);
    } else {
      take(word, rest);
    }
  }
}

Opened Bench::open() {
  Opened opened;
  listen(role("open"), [&](const std::string& word, std::istream& rest) {
    if (word == "descriptions") {
      rest >> opened.mean_description >> opened.long_description >> opened.longest_description;
    } else {
      rest >> opened.seconds >> opened.cpu >> opened.rss >> opened.watches;
    }
  });
  return opened;
}

Called Bench::call(size_t watches, size_t calls) {
  std::vector<std::string> command = role("calls", watches);
  command.insert(command.end(), {"--calls", std::to_string(calls)});
  Called called;
  listen(command, [&](const std::string& word, std::istream& rest) {
    std::string key;
    rest >> key;
    if (word == "time") {
      Times& times = called.times[key];
      rest >> times.p50 >> times.p99 >> times.cpu;
    }
    if (word == "memory") rest >> called.memory[key];
  });
  return called;
}

void Bench::prepare() {
  const TreePlan plan = plan_tree(options_.work.skills, options_.work.seed);
  tree_ = place_.tree(plan.skills);
  if (!fs::exists(tree_)) {
    // Under another name until it is whole: an interrupted run leaves no half tree behind.
    const fs::path unfinished = tree_.string() + ".unfinished";
    fs::remove_all(unfinished);
    write_tree(plan, unfinished);
    fs::rename(unfinished, tree_);
  }
  // A stamp that is too young is not believed, and files are parsed again.
  const auto young = [&] {
    const auto status = path_status(tree_ / plan.files.back().path);
    return status && !status->stamp.settled(file_clock_ns());
  };
  while (young()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::vector<uintmax_t> sizes;
  for (const TreeFile& file : plan.files) {
    if (file.kind != TreeFile::Kind::kSupporting) sizes.push_back(fs::file_size(tree_ / file.path));
  }
  std::sort(sizes.begin(), sizes.end());
  const auto kilobytes = [&](size_t percent) {
    return double(sizes[sizes.size() * percent / 100]) / 1000;
  };
  const uintmax_t all = std::accumulate(sizes.begin(), sizes.end(), uintmax_t{0});
  print_machine();
  fmt::print(
      "{} skills, {} prompts and {} other files in {} folders; {:.0f} MB of markdown, median "
      "{:.1f} "
      "KB, 99th percentile {:.1f} KB\nmedians of {} rounds; everything read before, so the disk "
      "takes no part\n",
      plan.skills, plan.prompts, plan.supporting, plan.folders.size(), double(all) / 1e6,
      kilobytes(50), kilobytes(99), options_.rounds);
  std::fflush(stdout);
}

void Bench::read() {
  shell_seconds(kCatOne, tree_);  // into the page cache
  std::vector<double> cat_one, cat_two, cold, cold_cpu, cold_rss;
  std::vector<double> cold_ratio, one_ratio;
  for (size_t i = 0; i < options_.rounds; ++i) {
    cat_one.push_back(shell_seconds(kCatOne, tree_));
    cat_two.push_back(shell_seconds(kCatTwo, tree_));
    const Opened first = open();
    if (i == 0) {
      fmt::print("descriptions have {} bytes on average, 99th percentile {}, at most {}\n",
                 first.mean_description, first.long_description, first.longest_description);
    }
    cold.push_back(first.seconds);
    cold_cpu.push_back(first.cpu);
    cold_rss.push_back(first.rss);
    cold_ratio.push_back(first.seconds / cat_two.back());
    one_ratio.push_back(cat_one.back() / cat_two.back());
  }
  fmt::print("\nreading everything {:>37}{:>9}{:>9}{:>9}\n", "seconds", "x cat", "CPU s", "RSS MB");
  fmt::print("  {:<45}{:>9.3f}{:>9.2f}\n", "find + cat, one process", median(cat_one),
             median(one_ratio));
  fmt::print("  {:<45}{:>9.3f}{:>9.2f}\n", "find | xargs -P 2 cat: the yardstick", median(cat_two),
             1.0);
  fmt::print("  {:<45}{:>9.3f}{:>9.2f}{:>9.2f}{:>9.1f}\n", "start: everything read and parsed",
             median(cold), median(cold_ratio), median(cold_cpu), median(cold_rss));
  std::fflush(stdout);
  aims_.push_back({"start, times of cat on two cores", median(cold_ratio), true, 1.3, "x"});
  aims_.push_back({"RSS after the start", median(cold_rss), true, 120, " MB"});
}

void Bench::print_times(const std::string& title, const Called& called,
                        const std::vector<std::pair<std::string, std::string>>& rows) {
  fmt::print("\n{:<58}{:>11}{:>11}{:>11}\n", title, "p50 us", "p99 us", "CPU us");
  for (const auto& [key, name] : rows) {
    const Times& times = called.times.at(key);
    fmt::print("  {:<56}{:>11.1f}{:>11.1f}{:>11.1f}\n", name, times.p50, times.p99, times.cpu);
  }
  std::fflush(stdout);
}

void Bench::calls() {
  shell_seconds(kCatOne, tree_);  // whatever the system has dropped meanwhile
  const Called called = call(SIZE_MAX, options_.quick ? 20 : 2'000);
  print_times("calls in the process, folders watched", called,
              {{"no-change", "fresh(), nothing changed"},
               {"get", "directory::skills::get, any skill"},
               {"miss-typo", "directory::skills::get, a misspelt id"},
               {"miss-common", "directory::skills::get, only a common folder is right"},
               {"miss-word", "directory::skills::get, a name like nothing else"},
               {"list-prefix", "directory::skills::list, one namespace"},
               {"list-search", "directory::skills::list, search for a rare word"},
               {"list-short", "directory::skills::list, search for two letters"},
               {"list-type", "directory::skills::list, a rare type"},
               {"list-all", "directory::skills::list, everything"},
               {"index", "directory::skills::index"},
               {"browse-first", "directory::skills::browse, everything"},
               {"browse-key", "directory::skills::browse, a key is typed"},
               {"browse-all", "directory::skills::browse, a filter alone"},
               {"browse-page", "directory::skills::browse, another page"},
               {"browse-after-edit", "directory::skills::browse, the first after an edit"},
               {"edit", "a file rewritten, then visible"},
               {"new", "a folder with a skill made, then visible"},
               {"removed", "that folder removed, then gone"},
               {"index-after-edit", "directory::skills::index, the first after an edit"},
               {"search-after-edit", "directory::skills::list with search, the same"}});
  const auto p50 = [&](const char* key) { return called.times.at(key).p50; };
  const auto cpu = [&](const char* key) { return called.times.at(key).cpu; };
  fmt::print("\nRSS of a process that serves\n");
  const std::pair<const char*, const char*> memories[] = {
      {"start", "after the start"},
      {"calls", "after get, index and filtered lists"},
      {"browse", "after browse"},
      {"edits", "after edits"},
      {"list-all", "after lists of everything"},
      {"peak", "at most"}};
  for (const auto& [key, name] : memories) {
    fmt::print("  {:<54}{:>9.1f} MB\n", name, called.memory.at(key));
  }
  std::fflush(stdout);
  aims_.push_back({"CPU of an edit", cpu("edit") / 1000, true, 2, " ms"});
  aims_.push_back({"CPU of a miss, the slowest kind",
                   std::max({cpu("miss-typo"), cpu("miss-common"), cpu("miss-word")}) / 1000, true,
                   2, " ms"});
  aims_.push_back({"get", p50("get"), true, 20, " us"});
  aims_.push_back({"filtered list, the slowest kind",
                   std::max({p50("list-prefix"), p50("list-search"), p50("list-type")}) / 1000,
                   true, 2, " ms"});
  aims_.push_back({"CPU of a key typed in browse",
                   std::max(cpu("browse-key"), cpu("browse-all")) / 1000, true, 5, " ms"});
  aims_.push_back({"RSS after get, index, filtered lists and edits", called.memory.at("edits"),
                   true, 120, " MB"});
}

// Without notifications every call compares all stamps.
void Bench::stamps() {
  const Called called = call(0, options_.quick ? 4 : 20);
  print_times("the same without notifications: every call compares stamps", called,
              {{"no-change", "fresh(), nothing changed"},
               {"get", "directory::skills::get, any skill"},
               {"list-search", "directory::skills::list, search for a rare word"},
               {"edit", "a file rewritten, then visible"}});
}

// Most folders are beyond the limit of watches: the folder asked for is compared by the call, the
// others in the background.
void Bench::limit() {
  const Called called = call(8'192, options_.quick ? 20 : 2'000);
  print_times("the same with 8 192 watches", called,
              {{"no-change", "fresh(), nothing changed"},
               {"get", "directory::skills::get, any skill"},
               {"miss-word", "directory::skills::get, a name like nothing else"},
               {"list-search", "directory::skills::list, search for a rare word"},
               {"edit", "a file rewritten, then visible"},
               {"new", "a folder with a skill made, then visible"},
               {"removed", "that folder removed, then gone"},
               {"idle", "a second in which nobody calls"}});
  aims_.push_back({"get with 8 192 watches", called.times.at("get").p99 / 1000, true, 1, " ms"});
  aims_.push_back(
      {"idle CPU with 8 192 watches", called.times.at("idle").cpu / 10'000, true, 2, " %"});
}

// 1 000 folders with 6 000 files.
void Bench::stalls() {
  const size_t folders = options_.quick ? 10 : 1'000;
  std::map<std::string, std::vector<double>> worst;
  std::map<std::string, std::vector<double>> busy;  // CPU time of the loop between two calls
  std::map<std::string, std::vector<double>> seconds;
  for (size_t i = 0; i < options_.rounds; ++i) {
    std::vector<std::string> command = role("stalls");
    command.insert(command.end(), {"--tree", place_.scratch(), "--calls", std::to_string(folders)});
    listen(command, [&](const std::string&, std::istream& rest) {
      std::string key;
      double ms = 0, cpu = 0, took = 0;
      rest >> key >> ms >> cpu >> took;
      worst[key].push_back(ms);
      busy[key].push_back(cpu);
      seconds[key].push_back(took);
    });
  }
  fmt::print("\n{:<50}{:>10}{:>10}{:>10}\n", "an unrelated call waits at worst", "ms", "CPU ms",
             "takes s");
  const std::pair<const char*, std::string> rows[] = {
      {"nothing", "while nothing happens: the machine itself"},
      {"list", "while somebody lists every skill"},
      {"rename", fmt::format("while {} folders are renamed", folders)},
      {"reload", fmt::format("while other folders with {} files are opened", 6 * folders)},
      {"download", fmt::format("while {} files are downloaded", 6 * folders)}};
  for (const auto& [key, name] : rows) {
    fmt::print("  {:<48}{:>10.1f}{:>10.1f}{:>10.2f}\n", name, median(worst.at(key)),
               median(busy.at(key)), median(seconds.at(key)));
    if (key == rows[0].first) continue;
    aims_.push_back({"worst delay " + name, median(worst.at(key)), true, 10, " ms"});
  }
  std::fflush(stdout);
}

// The program itself, with sockets and other clients.
void Bench::program() {
  const std::string path = fs::read_symlink("/proc/self/exe").parent_path() / "../iii-directory";
  std::vector<double> call_alone, call_listing, get_alone, get_listing, list, megabytes;
  for (size_t i = 0; i < options_.rounds; ++i) {
    const ProgramWaits seen =
        wait_beside_lists(path, tree_, place_.scratch() / "program", options_.quick ? 2 : 10);
    if (!seen.right) {
      ++wrong_;
      fmt::print("  wrong: not every call was answered\n");
    }
    call_alone.push_back(seen.call_alone_ms);
    call_listing.push_back(seen.call_listing_ms);
    get_alone.push_back(seen.get_alone_ms);
    get_listing.push_back(seen.get_listing_ms);
    list.push_back(seen.list_ms);
    megabytes.push_back(seen.list_mb);
    if (options_.when)
      fmt::print("  the slowest get was answered at {:.6f}\n", double(seen.slowest_get_ns) / 1e9);
  }
  fmt::print("\n{:<50}{:>10}{:>10}\n", "the program, over sockets: the slowest call of others",
             "alone ms", "beside ms");
  fmt::print("  {:<52}{:>10.1f}{:>10.1f}\n", "directory::skills::get", median(get_alone),
             median(get_listing));
  fmt::print("  {:<52}{:>10.1f}{:>10.1f}\n", "a call between two other workers", median(call_alone),
             median(call_listing));
  fmt::print(
      "  beside a client that lists every skill, one list after the other: {:.0f} MB in {:.0f} ms "
      "each\n",
      median(megabytes), median(list));
  std::fflush(stdout);
  aims_.push_back({"slowest call of others beside lists of every skill",
                   std::max(median(get_listing), median(call_listing)), true, 10, " ms"});
}

int Bench::run() {
  prepare();
  const int64_t begin = now_ns();
  const double busy_before = machine_cpu_seconds();
  const double ours_before = children_cpu_seconds();
  if (wants("read")) read();
  if (wants("calls")) calls();
  if (wants("stamps")) stamps();
  if (wants("limit")) limit();
  if (wants("stalls")) stalls();
  if (wants("program")) program();
  if (!options_.quick) print_aims(aims_);
  const double others =
      (machine_cpu_seconds() - busy_before - (children_cpu_seconds() - ours_before)) /
      (double(now_ns() - begin) / 1e9) * 100;
  fmt::print("\nother programs used {:.0f}% of a core meanwhile{}\n", std::max(0.0, others),
             others > 15 ? ": the figures are disturbed, run it again on an idle machine" : "");
  fmt::print("{} wrong answers\n", wrong_);
  return wrong_ == 0 ? 0 : 1;
}

}  // namespace
}  // namespace iii::bench

int main(int argc, char** argv) {
  using namespace iii::bench;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Options options = parse(argc, argv);
  if (options.role == "open") return open_content(options.work);
  if (options.role == "calls") return call_content(options.work);
  if (options.role == "stalls") return stall_content(options.work);
  return Bench(options).run();
}
