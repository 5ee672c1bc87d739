#include "directory/reading/account.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "directory/library/library.h"
#include "directory/reading/skill_list.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/base/files.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct AccountInput {};

struct AccountRoot {
  std::string root;
  std::string folder;
  bool on_disk = false;
  std::optional<std::string> problem;
  uint64_t files = 0;
  uint64_t skills = 0;
  uint64_t prompts = 0;
  uint64_t supporting = 0;
  uint64_t skipped = 0;
  uint64_t hidden = 0;
  uint64_t unreadable = 0;
  bool watching = false;
  BrowseCounts reasons;
};
struct AccountIndex {
  uint64_t overviews = 0;
  uint64_t bytes = 0;
  uint64_t budget = kIndexBytes;
  uint64_t left_out = 0;
};
struct AccountOutput {
  uint64_t generation = 0;
  std::vector<AccountRoot> roots;
  AccountIndex index;
};

auto describe(json::Type<AccountInput>) { return json::object<AccountInput>("AccountInput", ""); }
auto describe(json::Type<AccountRoot>) {
  using T = AccountRoot;
  return json::object<T>(
      "AccountRoot", "", json::field("root", &T::root, "Label of the folder."),
      json::field("folder", &T::folder, "The folder as people write it."),
      json::field("on_disk", &T::on_disk,
                  "false: compiled in, or registered; not counted by directory::doctor."),
      json::field("problem", &T::problem,
                  "Why nothing can be read from it: `does not exist`, `is not a folder` or `cannot "
                  "be read`; absent when it can."),
      json::field("files", &T::files, "The sum of the next four."),
      json::field("skills", &T::skills, "Served as skills."),
      json::field("prompts", &T::prompts, "Served as prompts."),
      json::field("supporting", &T::supporting, "Not documents, such as scripts and images."),
      json::field("skipped", &T::skipped, "Documents that are not served."),
      json::field("hidden", &T::hidden,
                  "Of the skills: their worker is not installed, so the filter hides them."),
      json::field("unreadable", &T::unreadable,
                  "Of the skills: lists keep them, but their files cannot be read."),
      json::field("watching", &T::watching,
                  "false: changes are found by comparing stamps at every call."),
      json::field("reasons", &T::reasons,
                  "Why documents are not served: pairs of a code and a count, the most frequent "
                  "first."));
}
auto describe(json::Type<AccountIndex>) {
  using T = AccountIndex;
  return json::object<T>(
      "AccountIndex", "The page of directory::skills::index.",
      json::field("overviews", &T::overviews, "Sections on it."),
      json::field("bytes", &T::bytes, "Its size."),
      json::field("budget", &T::budget, "Size beyond which descriptions are left out."),
      json::field("left_out", &T::left_out, "Descriptions that were left out."));
}
auto describe(json::Type<AccountOutput>) {
  using T = AccountOutput;
  return json::object<T>(
      "AccountOutput", "",
      json::field("generation", &T::generation, "The state of the folders that this answer shows."),
      json::field("roots", &T::roots, "In order of precedence."),
      json::field("index", &T::index, ""));
}

bool is_on_disk(content::RootKind kind) {
  return kind != content::RootKind::kBuiltin && kind != content::RootKind::kRegistered;
}

BrowseCounts sorted(const std::map<std::string, uint64_t>& counts) {
  std::vector<std::pair<std::string, uint64_t>> rows(counts.begin(), counts.end());
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  BrowseCounts out;
  for (const auto& [code, count] : rows) {
    out.push_back({json::Raw{"\"" + code + "\""}, json::Raw{std::to_string(count)}});
  }
  return out;
}

std::optional<std::string> problem_of(const std::filesystem::path& folder) {
  const Result<FileStatus> status = path_status(folder);
  if (!status && status.error().code == "missing") return "does not exist";
  if (status && status->kind != EntryKind::kDirectory) return "is not a folder";
  const bool readable =
      status && ::faccessat(AT_FDCWD, folder.c_str(), R_OK | X_OK, AT_EACCESS) == 0;
  return readable ? std::nullopt : std::optional<std::string>("cannot be read");
}

// The folder of a root as people write it, and where it lies.
struct RootPlace {
  std::string name;
  std::filesystem::path path;
};

// On an answer thread: every row is looked at, and the folders.
AccountOutput account_for(const View& view, const std::vector<RootPlace>& places, bool watching) {
  const content::Generation& generation = view.generation();
  AccountOutput out{.generation = generation.number, .roots = {}, .index = {}};
  const std::vector<Counts> counts = view.counts();
  for (size_t i = 0; i < generation.roots.size(); ++i) {
    AccountRoot& row = out.roots.emplace_back();
    row.root = generation.roots[i].label;
    row.folder = places[i].name;
    row.on_disk = is_on_disk(generation.roots[i].kind);
    if (row.on_disk) row.problem = problem_of(places[i].path);
    row.watching = watching || !row.on_disk;
    row.files = counts[i].files();
    row.skills = counts[i].served();
    row.prompts = counts[i].prompts;
    row.supporting = counts[i].supporting;
    row.skipped = counts[i].unserved;
    row.hidden = counts[i].hidden;
  }
  std::vector<std::map<std::string, uint64_t>> reasons(generation.roots.size());
  const DocumentTablePtr table = view.table();
  for (const DocumentRow& row : table->rows()) {
    if (row.skill != nullptr) {
      out.roots[row.root].unreadable += row.state == DocumentState::kMissing ? 1 : 0;
    } else if (row.unserved->kind != "folder") {
      ++reasons[row.root][row.unserved->reason().code];
    }
  }
  for (size_t i = 0; i < reasons.size(); ++i) out.roots[i].reasons = sorted(reasons[i]);
  const auto page = index_page(view, {});
  out.index.overviews = page->out.workers_count;
  out.index.bytes = page->out.body.size();
  out.index.left_out = page->left_out;
  return out;
}

task::Task<AccountOutput> account(Library& library, FolderNames folders, FolderPath path_of) {
  const View view = co_await library.current();
  std::vector<RootPlace> places;
  for (std::string& name : folders(view.generation())) {
    const auto root = static_cast<uint16_t>(places.size());
    places.push_back({std::move(name), path_of(root)});
  }
  auto work = [view, places = std::move(places), watching = library.status().watching] {
    return account_for(view, places, watching);
  };
  co_return co_await library.on_answer_thread(std::move(work));
}

}  // namespace

void add_account(FunctionTable& table, Library& library, FolderNames folders, FolderPath path_of) {
  table.add<AccountInput, AccountOutput>(
      {.id = "directory::account",
       .title = "Account for every file",
       .description = about::kAccount,
       .hints = kReadOnly},
      [&library, folders = std::move(folders), path_of = std::move(path_of)](AccountInput) {
        return account(library, folders, path_of);
      });
}

}  // namespace iii::directory
