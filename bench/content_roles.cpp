#include "content_roles.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "bus/net/loop.h"
#include "bus/sdk/worker.h"
#include "content_line.h"
#include "content_tree.h"
#include "directory/reading/browse.h"
#include "directory/reading/builtin_docs.h"
#include "directory/reading/changes.h"
#include "directory/reading/skills.h"
#include "directory/table/bus.h"
#include "directory/table/function_table.h"
#include "foundation/base/discard.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"
#include "foundation/json/value.h"
#include "histogram.h"
#include "process.h"

namespace iii::bench {
namespace {

namespace fs = std::filesystem;

void wrong(const std::string& what) { fmt::print("wrong {}\n", what); }
void expect(bool right, const std::string& what) {
  if (!right) wrong(what);
}

std::unique_ptr<content::Content> open_tree(const ContentWork& work) {
  content::ContentOptions options;
  options.roots.push_back({content::RootKind::kGlobal, work.tree});
  options.builtin = directory::builtin_documents();
  options.max_watches = work.watches;
  return content::Content::open(std::move(options));
}

void check_generation(const content::Generation& generation, const TreePlan& plan) {
  const content::Accounting& found = generation.accounting;
  expect(found.skills == plan.skills, fmt::format("{} skills", found.skills));
  expect(found.prompts == plan.prompts, fmt::format("{} prompts", found.prompts));
  expect(found.supporting == plan.supporting, fmt::format("{} supporting", found.supporting));
  const size_t files = plan.skills + plan.prompts + plan.supporting;
  expect(found.files == files, fmt::format("{} files", found.files));
}

void print_descriptions(const content::Generation& generation) {
  std::vector<size_t> sizes;
  size_t all = 0;
  for (const content::SkillPtr& skill : generation.skills) {
    sizes.push_back(skill->description.size());
    all += sizes.back();
  }
  std::ranges::sort(sizes);
  fmt::print("descriptions {} {} {}\n", all / sizes.size(), sizes[sizes.size() * 99 / 100],
             sizes.back());
}

std::string shown_id(const std::string& path) {
  constexpr std::string_view kOverview = "/SKILL.md";
  if (path.ends_with(kOverview)) return path.substr(0, path.size() - kOverview.size());
  return ascii_lower(path.substr(0, path.size() - 3));  // README.md
}

// Keeps some of the skills and forgets the other files: they would count as memory of the index.
TreePlan without_files(TreePlan plan, size_t count, std::vector<TreeFile>& some) {
  const size_t step = std::max<size_t>(1, plan.files.size() / count);
  for (size_t i = 0; i < plan.files.size(); i += step) {
    if (plan.files[i].kind == TreeFile::Kind::kSkill) some.push_back(plan.files[i]);
  }
  plan.files = {};
  plan.folders = {};
  malloc_trim(0);
  return plan;
}

class Calls {
 public:
  explicit Calls(const ContentWork& work)
      : work_(work),
        plan_(without_files(plan_tree(work.skills, work.seed), work.calls, skills_)),
        worker_({.name = "bench"}, loop_,
                [this](net::Loop& loop) {
                  auto line = std::make_unique<Line>(loop);
                  line_ = line.get();
                  return line;
                }),
        library_(worker_, {.content = open_tree(work), .gate = nullptr}, unfiltered()),
        changes_(worker_, library_),
        content_(library_.latest()->folders->content.get()) {
    directory::add_skill_functions(table_, library_, {});
    directory::add_browse(table_, library_, nullptr);
    directory::serve_on(worker_, table_);
    if (!worker_.start()) die("the worker does not start");
    line_->connect();
    line_->listen_to_changes();
  }

  int run() {
    memory("start");
    no_change();
    get();
    get_missing();
    index();
    list_prefix();
    list_search();
    list_type();
    memory("calls");
    browse();
    memory("browse");
    edits();
    memory("edits");
    idle();
    list_all();
    memory("list-all");
    fmt::print("memory peak {}\n", peak_rss_mb());
    fmt::print("done\n");
    return 0;
  }

 private:
  // What people ask for that is not there: an id with a letter too many, one of which only a common
  // folder is right, and a name that has nothing in common with any id.
  void get_missing() {
    const auto ask = [&](std::string_view key, const std::function<std::string(size_t)>& id) {
      measure(
          key, rounds(20),
          [&](size_t i) {
            answer_ =
                &line_->call(Line::frame("directory::skills::get", "{\"id\":\"" + id(i) + "\"}"));
          },
          [&](size_t) { return answer_->find("D110") != std::string::npos; });
    };
    const auto some = [&](size_t i) { return shown_id(skills_[i * 7 % skills_.size()].path); };
    ask("miss-typo", [&](size_t i) { return some(i) + "x"; });
    ask("miss-common",
        [&](size_t i) { return fmt::format("acme-{}/skills/wordpress-plugin-{}", i, i * 31); });
    ask("miss-word", [&](size_t i) { return fmt::format("wordpress-{}-gutenberg", i * 31); });
  }

  // CPU time of the whole process, of which a part is not to be counted.
  class Cpu {
   public:
    void pause() { spent_ += own_cpu_seconds() - begin_; }
    void go_on() { begin_ = own_cpu_seconds(); }
    double us(size_t calls) const { return spent_ * 1e6 / double(calls); }

   private:
    double spent_ = 0;
    double begin_ = 0;
  };

  // `work` is timed, `check` is not. What other threads do meanwhile counts as CPU time.
  void measure(std::string_view key, size_t rounds, const std::function<void(size_t)>& work,
               const std::function<bool(size_t)>& check) {
    Histogram times;
    Cpu cpu;
    size_t failures = 0;
    for (size_t i = 0; i <= rounds; ++i) {  // the first time does not count
      if (i > 0) cpu.go_on();
      const int64_t begin = now_ns();
      work(i);
      const int64_t end = now_ns();
      if (i > 0) cpu.pause();
      if (i > 0) times.add(static_cast<uint64_t>(end - begin));
      failures += check(i) ? 0 : 1;
    }
    print_times(key, times, cpu.us(rounds), failures);
  }
  static void print_times(std::string_view key, const Histogram& times, double cpu_us,
                          size_t failures) {
    if (failures > 0) wrong(fmt::format("{}: {} answers", key, failures));
    fmt::print("time {} {} {} {}\n", key, times.quantile(0.5), times.quantile(0.99), cpu_us);
  }
  void memory(std::string_view key) { fmt::print("memory {} {}\n", key, own_rss_mb()); }
  size_t rounds(size_t divisor) const { return std::max<size_t>(2, work_.calls / divisor); }

  std::optional<json::Value> result() const {
    auto frame = json::parse(*answer_);
    const json::Value* found = frame ? frame->find("result") : nullptr;
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }
  // Counted in the text: taking tens of megabytes apart would count as memory of the index.
  size_t rows() const {
    constexpr std::string_view kRow = "\"modified_at\":";
    size_t count = 0;
    for (size_t at = answer_->find(kRow); at != std::string::npos;
         at = answer_->find(kRow, at + 1)) {
      ++count;
    }
    return count;
  }
  void list(std::string_view key, size_t count, const std::string& filter, size_t wanted) {
    const std::string frame = Line::frame("directory::skills::list", filter);
    measure(
        key, count, [&](size_t) { answer_ = &line_->call(frame); },
        [&](size_t i) { return i > 2 || rows() == wanted; });
  }

  // CPU time of a second in which nobody calls.
  void idle() {
    constexpr int kSeconds = 20;
    Cpu cpu;
    cpu.go_on();
    loop_.after(std::chrono::seconds(kSeconds), [this] { loop_.stop(); });
    loop_.run();
    cpu.pause();
    fmt::print("time idle 0 0 {}\n", cpu.us(kSeconds));
  }

  void no_change() {
    const content::GenerationPtr before = content_->fresh();
    check_generation(*before, plan_);
    content::GenerationPtr now;
    measure(
        "no-change", work_.calls, [&](size_t) { now = content_->fresh(); },
        [&](size_t) { return now == before; });
  }

  // Every answer is taken apart once; then the calls are made again, one after the other.
  void get() {
    size_t failures = 0;
    std::vector<std::string> frames;
    for (const TreeFile& file : skills_) {
      const std::string id = shown_id(file.path);
      frames.push_back(Line::frame("directory::skills::get", "{\"id\":\"" + id + "\"}"));
      answer_ = &line_->call(frames.back());
      const auto found = result();
      const json::Value* body = found ? found->find("body") : nullptr;
      const bool right = body != nullptr && body->as_string() != nullptr &&
                         found->find("id") != nullptr && *found->find("id") == json::Value(id) &&
                         !body->as_string()->empty() && text_of(file).ends_with(*body->as_string());
      failures += right ? 0 : 1;
    }
    if (failures > 0) wrong(fmt::format("get: {} of {} answers", failures, frames.size()));
    measure(
        "get", work_.calls, [&](size_t i) { answer_ = &line_->call(frames[i % frames.size()]); },
        [&](size_t) { return answer_->find("\"result\"") != std::string::npos; });
  }

  void index() {
    const std::string frame = Line::frame("directory::skills::index", "{}");
    measure(
        "index", rounds(10), [&](size_t) { answer_ = &line_->call(frame); },
        [&](size_t i) {
          if (i > 2) return true;
          const auto found = result();
          const json::Value* count = found ? found->find("workers_count") : nullptr;
          // The two compiled-in documents are overviews, too.
          return count != nullptr && *count == json::Value(int64_t(plan_.overviews + 2));
        });
  }

  void list_prefix() {
    list("list-prefix", rounds(2), "{\"prefix\":\"" + plan_.one_space + "/\"}", plan_.in_one_space);
  }
  static std::string rare_search() { return fmt::format(R"({{"search":"{}"}})", kRareWord); }
  void list_search() {
    list("list-search", rounds(5), rare_search(), plan_.rare);
    list("list-short", rounds(20), R"({"search":"zq","limit":100})", 0);
  }
  void list_type() {
    list("list-type", rounds(20), fmt::format("{{\"type\":\"{}\"}}", kRareType), plan_.rare);
  }
  // What a person types, key by key; then pages of one query. The first call makes the columns.
  void browse() {
    const auto call = [&](const std::string& data) {
      answer_ = &line_->call(Line::frame("directory::skills::browse", data));
    };
    const auto answered = [&](size_t) { return answer_->find("\"total\":") != std::string::npos; };
    measure("browse-first", 3, [&](size_t) { call("{}"); }, answered);
    static constexpr std::string_view kTyped = "review the code of a pull request";
    const size_t keys = kTyped.size();
    measure(
        "browse-key", keys * 3,
        [&](size_t i) {
          // The last words make each query one that is not remembered.
          call(fmt::format(R"({{"q":"{}","type":["x{}","none"]}})", kTyped.substr(0, 1 + i % keys),
                           i));
        },
        answered);
    measure(
        "browse-all", rounds(20),
        [&](size_t i) { call(fmt::format(R"({{"type":["x{}","none"]}})", i)); }, answered);
    measure(
        "browse-page", rounds(5),
        [&](size_t i) { call(fmt::format(R"({{"q":"a","offset":{}}})", i * 64)); }, answered);
  }
  void list_all() { list("list-all", rounds(100), "{}", plan_.skills + 2); }

  void edits();
  void settle();
  void write(const std::string& path, std::string_view text) const {
    const std::string whole = work_.tree + "/" + path;
    const int file = ::open(whole.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ::write(file, text.data(), text.size()) != ssize_t(text.size())) {
      die("cannot write " + whole);
    }
    ::close(file);
  }

  const ContentWork work_;
  std::vector<TreeFile> skills_;  // some of them
  const TreePlan plan_;
  net::Loop loop_;
  Line* line_ = nullptr;
  sdk::Worker worker_;
  directory::FunctionTable table_;
  directory::Library library_;
  directory::Changes changes_;
  content::Content* const content_;
  const std::string* answer_ = nullptr;
};

// The clock runs from the end of a write to the answer that shows it; so does the CPU time, of all
// threads and until the change has been told to whoever listens.
void Calls::edits() {
  const size_t count = std::min<size_t>(rounds(20), skills_.size());
  const auto file = [&](size_t i) { return &skills_[(i * 7 + 3) % skills_.size()]; };
  const auto edit = [&](std::string_view key, const std::function<void(size_t)>& change,
                        const std::function<std::string(size_t)>& id, const char* wanted) {
    Histogram times;
    Cpu cpu;
    size_t failures = 0;
    for (size_t i = 0; i < count; ++i) {
      const std::string frame = Line::frame("directory::skills::get", "{\"id\":\"" + id(i) + "\"}");
      change(i);
      cpu.go_on();
      const int64_t begin = now_ns();
      answer_ = &line_->call(frame);
      times.add(static_cast<uint64_t>(now_ns() - begin));
      failures += answer_->find(wanted) != std::string::npos ? 0 : 1;
      settle();
      cpu.pause();
    }
    print_times(key, times, cpu.us(count), failures);
  };
  const auto rewrite = [&](size_t i) {
    write(file(i)->path, fmt::format("---\ntitle: Edited {}\ndescription: {}\n---\n\nText.\n", i,
                                     std::string(250, 'd')));
  };
  const auto edited = [&](size_t i) { return shown_id(file(i)->path); };
  edit("edit", rewrite, edited, R"("title":"Edited )");
  const auto folder = [&](size_t i) { return fmt::format("{}/new-{}", plan_.one_space, i); };
  const auto make = [&](size_t i) {
    fs::create_directory(work_.tree + "/" + folder(i));
    write(folder(i) + "/SKILL.md", "# Made here\n\nText.\n");
  };
  edit("new", make, folder, R"("title":"Made here")");
  const auto remove = [&](size_t i) { fs::remove_all(work_.tree + "/" + folder(i)); };
  edit("removed", remove, folder, "D110");
  // What has to be brought up to date by the first call of its kind.
  const auto after_an_edit = [&](std::string_view key, std::string_view function,
                                 const std::string& data) {
    const std::string frame = Line::frame(function, data);
    Histogram times;
    Cpu cpu;
    for (size_t i = 0; i < count; ++i) {
      rewrite(i);
      line_->call(Line::frame("directory::skills::get", "{\"id\":\"" + edited(i) + "\"}"));
      settle();
      cpu.go_on();
      const int64_t begin = now_ns();
      answer_ = &line_->call(frame);
      times.add(static_cast<uint64_t>(now_ns() - begin));
      cpu.pause();
    }
    print_times(key, times, cpu.us(count), 0);
  };
  after_an_edit("index-after-edit", "directory::skills::index", "{}");
  after_an_edit("search-after-edit", "directory::skills::list", rare_search());
  after_an_edit("browse-after-edit", "directory::skills::browse", R"({"q":"review"})");
  for (size_t i = 0; i < count; ++i) write(file(i)->path, text_of(*file(i)));
  check_generation(*content_->fresh(), plan_);
}

// Runs the loop until the change has been told.
void Calls::settle() {
  worker_.spawn([](Calls& calls) -> iii::task::Task<void> {
    co_await calls.library_.catch_up();
    calls.loop_.stop();
  }(*this));
  loop_.run();
}

}  // namespace

int open_content(const ContentWork& work) {
  set_log_level(LogLevel::kError);
  const int64_t begin = now_ns();
  const std::unique_ptr<content::Content> content = open_tree(work);
  const int64_t end = now_ns();
  const content::ContentStatus status = content->status();
  fmt::print("open {} {} {} {}\n", double(end - begin) / 1e9, own_cpu_seconds(), own_rss_mb(),
             status.watches);
  const content::GenerationPtr generation = content->fresh();
  check_generation(*generation, plan_tree(work.skills, work.seed));
  print_descriptions(*generation);
  fmt::print("done\n");
  return 0;
}

int call_content(const ContentWork& work) {
  set_log_level(LogLevel::kError);
  set_up_malloc();
  return Calls(work).run();
}

}  // namespace iii::bench
