// The worst delay of an unrelated call while somebody lists every skill, while folders are renamed,
// while other folders are opened, and while a download is installed. Calls come in every half
// millisecond on the loop that serves documents as well; one that comes late waited for something.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include "content_line.h"
#include "content_roles.h"
#include "directory/reading/changes.h"
#include "directory/reading/skills.h"
#include "directory/sources/installer.h"
#include "directory/table/bus.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"

namespace iii::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::microseconds kInterval{500};
constexpr size_t kInFolder = 6;
constexpr size_t kManyTimes = 10;  // as many folders for the list of everything
constexpr size_t kLists = 5;       // lists of everything, one after the other

// As the daemon has it.
class FolderGate final : public directory::Gate {
 public:
  explicit FolderGate(const fs::path& folder) : gate_(folder) {}
  bool enter() override { return gate_.enter(); }
  bool leave() override { return gate_.leave(); }

 private:
  sources::ReadGate gate_;
};

std::string text_of(size_t i) {
  return fmt::format("---\ntitle: Document {}\ndescription: What it is for. {}\n---\n\n{}\n", i,
                     std::string(600, 'd'), std::string(2'000, 'x'));
}

void fill(const fs::path& root, std::string_view prefix, size_t folders) {
  for (size_t i = 0; i < folders * kInFolder; ++i) {
    const fs::path folder = root / fmt::format("{}-{:05}", prefix, i / kInFolder);
    fs::create_directories(folder);
    std::ofstream(folder / (i % kInFolder == 0 ? "SKILL.md" : fmt::format("doc-{}.md", i)))
        << text_of(i);
  }
}

content::ContentOptions folder_options(const fs::path& root) {
  content::ContentOptions options;
  options.roots.push_back({content::RootKind::kGlobal, root});
  return options;
}

// CPU time of this thread.
double own_thread_ms() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return double(spent.tv_sec) * 1e3 + double(spent.tv_nsec) / 1e6;
}

class Stalls {
 public:
  Stalls(fs::path place, size_t folders)
      : place_(std::move(place)),
        folders_(folders),
        worker_({.name = "bench"}, loop_,
                [this](net::Loop& loop) {
                  auto line = std::make_unique<Line>(loop);
                  line_ = line.get();
                  return line;
                }),
        library_(worker_,
                 {.content = content::Content::open(
                      folder_options(made("many", "many", kManyTimes * folders))),
                  .gate = std::make_unique<FolderGate>(place_ / "many")},
                 unfiltered()),
        changes_(worker_, library_) {
    directory::add_skill_functions(table_, library_, {});
    directory::serve_on(worker_, table_);
    made("one", "old", folders);
    made("two", "old", folders);
    if (!worker_.start()) die("the worker does not start");
    line_->connect();
    line_->listen_to_changes();
  }

  int run() {
    // How late calls are on this machine anyway.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    measure(
        "nothing", [] {},
        [end](const content::Generation&) { return std::chrono::steady_clock::now() >= end; });
    size_t lists = 0;
    line_->on_answer = [this, &lists] {
      if (++lists < kLists) loop_.post([this] { list_all(); });
    };
    loop_.post([this] { list_all(); });
    measure("list", [] {}, [&lists](const content::Generation&) { return lists >= kLists; });
    line_->on_answer = nullptr;
    open_one();
    measure(
        "rename", [this] { rename_folders(); },
        [this](const content::Generation& now) { return renamed(now) == folders_; });
    library_.replace(folder_options(place_ / "two"), std::make_unique<FolderGate>(place_ / "two"));
    measure(
        "reload", [] {},
        [](const content::Generation& now) { return now.skill("old-00000/index") != nullptr; });
    measure(
        "download", [this] { download(); },
        [this](const content::Generation& now) {
          const auto [first, last] = now.prefix_range("big/");
          return last - first == folders_ * kInFolder;
        });
    fmt::print("done\n");
    return 0;
  }

 private:
  fs::path made(const std::string& name, std::string_view prefix, size_t folders) const {
    fill(place_ / name, prefix, folders);
    return place_ / name;
  }
  void open_one() {
    library_.replace(folder_options(place_ / "one"), std::make_unique<FolderGate>(place_ / "one"));
    std::function<void()> look = [&] {
      if (library_.latest()->generation->skill("old-00000/index") != nullptr) return loop_.stop();
      loop_.after(kInterval, look);
    };
    look();
    loop_.run();
  }
  void list_all() { line_->deliver(Line::frame("directory::skills::list", "{}")); }
  void rename_folders() const {
    for (size_t i = 0; i < folders_; ++i) {
      fs::rename(place_ / "one" / fmt::format("old-{:05}", i),
                 place_ / "one" / fmt::format("new-{:05}", i));
    }
  }
  static size_t renamed(const content::Generation& now) {
    const auto [first, last] = now.prefix_range("new-");
    return (last - first) / kInFolder;
  }
  void download() const {
    sources::Bundle bundle;
    bundle.source = sources::RegistrySource{.worker = "big"};
    bundle.resolved = "1.0.0";
    for (size_t i = 0; i < folders_ * kInFolder; ++i) {
      bundle.files.push_back({.path = fmt::format("doc-{}.md", i),
                              .bytes = text_of(i),
                              .role = sources::FileRole::kSkill});
    }
    sources::hash_files(bundle);
    const auto report = sources::Installer(place_ / "two").install(bundle, {}, {});
    if (!report) die(report.error().message);
  }

  // `work` runs on a thread of its own; it is over when the published generation shows it.
  void measure(std::string_view key, const std::function<void()>& work,
               const std::function<bool(const content::Generation&)>& is_done) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    Clock::duration worst{};
    double busy = own_thread_ms();
    double most_busy = 0;  // between two calls
    Clock::time_point due;
    std::function<void()> tick;
    tick = [&] {
      const Clock::time_point now = Clock::now();
      worst = std::max(worst, now - due);
      const double spent = own_thread_ms();
      most_busy = std::max(most_busy, spent - std::exchange(busy, spent));
      if (is_done(*library_.latest()->generation)) return loop_.stop();
      if (now - begin > std::chrono::minutes(2)) die(fmt::format("{} does not end", key));
      due = Clock::now() + kInterval;
      loop_.after(kInterval, tick);
    };
    due = begin + kInterval;
    loop_.after(kInterval, tick);
    std::thread thread(work);
    loop_.run();
    thread.join();
    const std::chrono::duration<double> took = Clock::now() - begin;
    fmt::print("stall {} {} {} {}\n", key, std::chrono::duration<double, std::milli>(worst).count(),
               most_busy, took.count());
  }

  const fs::path place_;
  const size_t folders_;
  net::Loop loop_;
  Line* line_ = nullptr;
  sdk::Worker worker_;
  directory::FunctionTable table_;
  directory::Library library_;
  directory::Changes changes_;
};

}  // namespace

int stall_content(const ContentWork& work) {
  set_log_level(LogLevel::kError);
  const fs::path place = fs::path(work.tree) / "stalls";
  fs::remove_all(place);
  const int outcome = Stalls(place, work.calls).run();
  fs::remove_all(place);
  return outcome;
}

}  // namespace iii::bench
