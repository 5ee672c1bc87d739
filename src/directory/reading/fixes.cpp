#include "directory/reading/fixes.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "directory/content/parse.h"
#include "directory/library/library.h"
#include "directory/reading/finding_details.h"
#include "directory/reading/installed.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"
#include "foundation/base/sha256.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

constexpr size_t kMaxChosen = 1'000;

struct ApplyInput {
  std::optional<std::vector<ChosenFix>> fixes;
  std::optional<std::string> code;
  std::optional<bool> all;
};
struct ApplyOutput {
  uint64_t applied = 0;
  uint64_t files = 0;
  std::vector<RefusedFix> refused;
  uint64_t generation = 0;
};

constexpr std::string_view kRoot = "Folder, as directory::doctor names it.";
constexpr std::string_view kFindingPath = "Path below the root.";

}  // namespace

inline auto describe(json::Type<ChosenFix>) {
  using T = ChosenFix;
  return json::object<T>(
      "ChosenFix", "", json::field("root", &T::root, kRoot),
      json::field("path", &T::path, kFindingPath).length(kMaxPathLength),
      json::field("digest", &T::digest, "`digest` of the finding: the file it was made for."),
      json::field("key", &T::key, "`key` of the finding.").length(json::kAnyLength));
}
inline auto describe(json::Type<RefusedFix>) {
  using T = RefusedFix;
  return json::object<T>("RefusedFix", "", json::field("root", &T::root, kRoot),
                         json::field("path", &T::path, kFindingPath),
                         json::field("reason", &T::reason, "Why the file is as it was."));
}

namespace {

auto describe(json::Type<ApplyInput>) {
  using T = ApplyInput;
  return json::object<T>(
      "DoctorApplyInput", "One of the three is required.",
      json::field("fixes", &T::fixes,
                  "Patches to apply, as directory::doctor with `details` showed them: at most "
                  "1000.")
          .null_default(),
      json::field("code", &T::code, "Every patch of this kind of finding.").null_default(),
      json::field("all", &T::all, "true: every patch there is.").null_default());
}
auto describe(json::Type<ApplyOutput>) {
  using T = ApplyOutput;
  return json::object<T>(
      "DoctorApplyOutput", "", json::field("applied", &T::applied, "Patches that were applied."),
      json::field("files", &T::files, "Files that were written."),
      json::field("refused", &T::refused, "Files that were left alone, with the reason."),
      json::field("generation", &T::generation, "State that contains the changes."));
}

// Two calls must not both read a file before one of them writes it.
std::mutex& writing() {
  static std::mutex mutex;
  return mutex;
}

// What is wanted of one file.
struct FileTask {
  content::FileRef file = {};
  std::string root = {};
  std::string digest = {};          // empty: whatever the file is
  std::set<std::string> keys = {};  // empty: all, or all of `code`
  std::optional<std::string> code = {};
};

RefusedFix refuse(const FileTask& task, std::string reason) {
  return {.root = task.root, .path = task.file.path, .reason = std::move(reason)};
}

bool is_wanted(const FileTask& task, const content::Finding& finding) {
  if (!task.keys.empty()) {
    return task.keys.contains(finding_key(finding.code, task.root, task.file.path, finding.line));
  }
  return !task.code || finding.code == *task.code;
}

void fix_file(content::Content& content, const content::Generation& generation,
              const FileTask& task, FixOutcome& out) {
  const std::lock_guard held(writing());
  const auto now = content.read(generation, task.file);
  if (!now) return out.refused.push_back(refuse(task, now.error().message));
  if (!task.digest.empty() && task.digest != file_digest(now->bytes)) {
    return out.refused.push_back(
        refuse(task,
               "the file is no longer the one that the patch was made for. Next: call "
               "directory::doctor again"));
  }
  // Patches belong to the bytes they were made for, so they are made again for what is there now.
  const content::ParseOptions options = parse_options(content, task.file.path);
  content::ParsedDocument document = content::parse_document(now->bytes, options);
  uint64_t wanted = 0;
  bool others = false;
  std::set<std::string> unknown = task.keys;
  for (content::Finding& finding : document.findings) {
    if (!finding.fix) continue;
    if (is_wanted(task, finding)) {
      ++wanted;
      unknown.erase(finding_key(finding.code, task.root, task.file.path, finding.line));
    } else {
      finding.fix.reset();
      others = true;
    }
  }
  for (const std::string& key : unknown) {
    out.refused.push_back(
        refuse(task, "there is no patch `" + key + "`. Next: call directory::doctor again"));
  }
  if (wanted == 0) return;
  if (others && !content::fixes_work(now->bytes, document, options)) {
    return out.refused.push_back(
        refuse(task,
               "the patch works only together with the other patches of this file. Next: apply all "
               "of them"));
  }
  const std::string mended = content::apply_fixes(now->bytes, document.findings);
  if (mended == now->bytes) return;
  if (const auto written = content.write(generation, task.file, mended); !written) {
    return out.refused.push_back(refuse(task, written.error().message));
  }
  out.applied += wanted;
  ++out.fixed_files;
  if (generation.roots[task.file.root].kind == content::RootKind::kGlobal) {
    out.in_skills_folder.push_back(
        {.path = task.file.path, .before = sha256_hex(now->bytes), .after = sha256_hex(mended)});
  }
}

// Only files that have findings: nothing else below a root can be named.
std::vector<FileTask> tasks_of(const content::Generation& generation, const FixQuery& query,
                               FixOutcome& out) {
  std::map<std::pair<std::string_view, std::string_view>, FileTask> chosen;
  for (const ChosenFix& fix : query.chosen) {
    const auto [task, is_new] = chosen.try_emplace({fix.root, fix.path});
    if (is_new) task->second.digest = fix.digest;
    // Patches of two versions of a file: at most one of them is there.
    if (task->second.digest != fix.digest) task->second.digest = "none";
    task->second.keys.insert(fix.key);
  }
  std::vector<FileTask> tasks;
  for (const content::FindingsPtr& list : generation.findings) {
    const content::FileRef& file = list->front().file;
    const std::string& root = generation.roots[file.root].label;
    FileTask task{.code = query.code};
    if (auto found = chosen.extract({root, file.path})) {
      task = std::move(found.mapped());
    } else if (!query.chosen.empty() || std::ranges::none_of(*list, [&](const auto& finding) {
                 return finding.fix && (!query.code || finding.code == *query.code);
               })) {
      continue;
    }
    task.file = file;
    task.root = root;
    tasks.push_back(std::move(task));
  }
  for (const auto& [place, task] : chosen) {
    out.refused.push_back({.root = std::string(place.first),
                           .path = std::string(place.second),
                           .reason = "the doctor has no finding about this file. Next: call "
                                     "directory::doctor again"});
  }
  return tasks;
}

Result<FixQuery> query_of(ApplyInput in) {
  const int ways = (in.fixes ? 1 : 0) + (in.code ? 1 : 0) + (in.all.value_or(false) ? 1 : 0);
  if (ways != 1) return std::unexpected(unclear_fixes());
  if (in.fixes && in.fixes->size() > kMaxChosen) {
    return std::unexpected(too_many_fixes(in.fixes->size(), kMaxChosen));
  }
  FixQuery out{.chosen = std::move(in.fixes).value_or(std::vector<ChosenFix>()),
               .code = std::move(in.code)};
  return out;
}

task::Task<Result<ApplyOutput>> apply_now(Library& library, Installed* installed, Context context,
                                          ApplyInput in) {
  const bool nothing = in.fixes && in.fixes->empty();
  Result<FixQuery> query = query_of(std::move(in));
  if (!query) co_return std::unexpected(std::move(query.error()));
  const View view = co_await library.current({.filtered = false});
  if (nothing) co_return ApplyOutput{.refused = {}, .generation = view.generation().number};
  FixWatcher watcher{.cancelled = context.cancelled};
  if (context.progress) {
    watcher.progress = [tell = context.progress](uint64_t done, uint64_t total) {
      tell({.step = "apply", .done = done, .total = total});
    };
  }
  auto work = [snapshot = view.shared_snapshot(), query = std::move(*query), watcher,
               downloads = installed != nullptr ? installed->downloads() : nullptr] {
    FixOutcome out = apply_fixes(*snapshot->folders->content, *snapshot->files, query, watcher);
    if (downloads == nullptr) return out;
    if (const auto noted = downloads->record_fixes(out.in_skills_folder); !noted) {
      log_warn("doctor: the fixes are not noted in directory.lock: {}", noted.error().message);
    }
    return out;
  };
  FixOutcome done = installed != nullptr ? co_await installed->network().run(std::move(work))
                                         : co_await library.on_answer_thread(std::move(work));
  co_await library.catch_up();
  co_return ApplyOutput{.applied = done.applied,
                        .files = done.fixed_files,
                        .refused = std::move(done.refused),
                        .generation = library.latest()->generation->number};
}

}  // namespace

FixOutcome apply_fixes(content::Content& content, const content::Generation& generation,
                       const FixQuery& query, const FixWatcher& watcher) {
  FixOutcome out;
  const std::vector<FileTask> tasks = tasks_of(generation, query, out);
  uint64_t done = 0;
  for (const FileTask& task : tasks) {
    if (watcher.cancelled.stop_requested()) break;
    if (watcher.progress) watcher.progress(done++, tasks.size());
    fix_file(content, generation, task, out);
  }
  return out;
}

void add_fixes(FunctionTable& table, Library& library, Installed* installed) {
  table.add<ApplyInput, ApplyOutput>({.id = "directory::doctor::apply",
                                      .title = "Apply patches of the doctor",
                                      .description = about::kDoctorApply,
                                      .hints = {.idempotent = true},
                                      .max_input_bytes = kMaxLargeInputBytes},
                                     [&library, installed](const Context& context, ApplyInput in) {
                                       return apply_now(library, installed, context, std::move(in));
                                     });
}

}  // namespace iii::directory
