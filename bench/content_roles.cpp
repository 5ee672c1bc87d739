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

#include "base/log.h"
#include "content_line.h"
#include "content_tree.h"
#include "functions/builtin_docs.h"
#include "functions/bus.h"
#include "functions/skills.h"
#include "histogram.h"
#include "json/value.h"
#include "net/loop.h"
#include "process.h"
#include "sdk/worker.h"

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
  if (!work.cache.empty()) options.cache_file = work.cache;
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

std::string shown_id(const std::string& path) {
  constexpr std::string_view kOverview = "/SKILL.md";
  if (path.ends_with(kOverview)) return path.substr(0, path.size() - kOverview.size());
  return path.substr(0, path.size() - 3);
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
        content_(library_.latest()->folders->content.get()) {
    directory::add_skill_functions(table_, library_, {});
    directory::serve_on(worker_, table_);
    if (!worker_.start()) die("the worker does not start");
    line_->connect();
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
    edits();
    memory("edits");
    list_all();
    memory("list-all");
    fmt::print("memory peak {}\n", peak_rss_mb());
    fmt::print("done\n");
    return 0;
  }

 private:
  void get_missing() {
    const std::string frame =
        Line::frame("directory::skills::get", "{\"id\":\"" + shown_id(skills_[0].path) + "x\"}");
    measure(
        "miss", rounds(50), [&](size_t) { answer_ = &line_->call(frame); },
        [&](size_t) { return answer_->find("D110") != std::string::npos; });
  }

  // `work` is timed, `check` is not.
  void measure(std::string_view key, size_t rounds, const std::function<void(size_t)>& work,
               const std::function<bool(size_t)>& check) {
    Histogram times;
    size_t failures = 0;
    for (size_t i = 0; i < rounds; ++i) {
      const int64_t begin = now_ns();
      work(i);
      const int64_t end = now_ns();
      if (i > 0 || rounds == 1) times.add(static_cast<uint64_t>(end - begin));
      failures += check(i) ? 0 : 1;
    }
    if (failures > 0) wrong(fmt::format("{}: {} of {} answers", key, failures, rounds));
    fmt::print("time {} {} {}\n", key, times.quantile(0.5), times.quantile(0.99));
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
  void list_search() {
    list("list-search", rounds(5), fmt::format("{{\"search\":\"{}\"}}", kRareWord), plan_.rare);
  }
  void list_type() {
    list("list-type", rounds(20), fmt::format("{{\"type\":\"{}\"}}", kRareType), plan_.rare);
  }
  void list_all() { list("list-all", rounds(100), "{}", plan_.skills + 2); }

  void edits();
  void write(const std::string& path, std::string_view text) const {
    const std::string whole = work_.tree + "/" + path;
    const int file = ::open(whole.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ::write(file, text.data(), text.size()) != ssize_t(text.size())) {
      die("cannot write " + whole);
    }
    ::close(file);
  }
  std::string title_of(const std::string& id) {
    answer_ = &line_->call(Line::frame("directory::skills::get", "{\"id\":\"" + id + "\"}"));
    const auto found = result();
    const json::Value* title = found ? found->find("title") : nullptr;
    return title != nullptr && title->as_string() != nullptr ? *title->as_string() : "";
  }

  const ContentWork work_;
  std::vector<TreeFile> skills_;  // some of them
  const TreePlan plan_;
  net::Loop loop_;
  Line* line_ = nullptr;
  sdk::Worker worker_;
  directory::FunctionTable table_;
  directory::Library library_;
  content::Content* const content_;
  const std::string* answer_ = nullptr;
};

// The clock runs from the end of a write to the generation that has it.
void Calls::edits() {
  const size_t count = std::min<size_t>(rounds(20), skills_.size());
  const auto file = [&](size_t i) { return &skills_[(i * 7 + 3) % skills_.size()]; };
  content::GenerationPtr before;
  content::GenerationPtr now;
  const auto edit = [&](std::string_view key, const std::function<void(size_t)>& change,
                        const std::function<bool(size_t)>& check) {
    Histogram times;
    size_t failures = 0;
    for (size_t i = 0; i < count; ++i) {
      before = content_->fresh();
      change(i);
      const int64_t begin = now_ns();
      now = content_->fresh();
      times.add(static_cast<uint64_t>(now_ns() - begin));
      failures += now != before && check(i) ? 0 : 1;
    }
    if (failures > 0) wrong(fmt::format("{}: {} of {} edits", key, failures, count));
    fmt::print("time {} {} {}\n", key, times.quantile(0.5), times.quantile(0.99));
  };
  const auto title = [](size_t i) { return fmt::format("Edited {}", i); };
  edit(
      "edit",
      [&](size_t i) {
        write(file(i)->path,
              "---\ntitle: " + title(i) + "\ndescription: As edited.\n---\n\nText.\n");
      },
      [&](size_t i) { return title_of(shown_id(file(i)->path)) == title(i); });
  const auto folder = [&](size_t i) { return fmt::format("{}/new-{}", plan_.one_space, i); };
  edit(
      "new",
      [&](size_t i) {
        fs::create_directory(work_.tree + "/" + folder(i));
        write(folder(i) + "/SKILL.md", "# " + title(i) + "\n\nText.\n");
      },
      [&](size_t i) { return title_of(folder(i)) == title(i); });
  edit(
      "removed", [&](size_t i) { fs::remove_all(work_.tree + "/" + folder(i)); },
      [&](size_t i) { return now->skill(folder(i) + "/index") == nullptr; });
  for (size_t i = 0; i < count; ++i) write(file(i)->path, text_of(*file(i)));
  check_generation(*content_->fresh(), plan_);
}

}  // namespace

int open_content(const ContentWork& work) {
  set_log_level(LogLevel::kError);
  const int64_t begin = now_ns();
  const std::unique_ptr<content::Content> content = open_tree(work);
  const int64_t end = now_ns();
  const content::ContentStatus status = content->status();
  fmt::print("open {} {} {} {} {}\n", double(end - begin) / 1e9, own_cpu_seconds(), own_rss_mb(),
             status.parsed_at_start, status.watches);
  check_generation(*content->fresh(), plan_tree(work.skills, work.seed));
  fmt::print("done\n");
  return 0;
}

int call_content(const ContentWork& work) {
  set_log_level(LogLevel::kError);
  return Calls(work).run();
}

}  // namespace iii::bench
