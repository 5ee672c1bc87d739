#include "faces/mcp/skills.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "faces/mcp/cursor.h"
#include "faces/mcp/uri.h"
#include "foundation/base/log.h"
#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

constexpr size_t kMaxReported = 1'000;
// Rows that one page examines: those that are left out cost as much as the others.
constexpr size_t kMaxExamined = 2 * kPageRows;

// Where its files are; null when it is compiled in.
std::shared_ptr<const RootFolder> folder_of_row(const directory::View& view, const SkillRow& row) {
  return view.snapshot().folders->content->folder_of(row.skill->file);
}

std::string entry_text(const std::string& folder, const PortableSkill& skill) {
  std::string out = "{";
  append_text_member(out, "uri", file_uri(folder + "/" + std::string(kSkillFile)));
  append_member(out, "frontmatter", json::to_text(skill.frontmatter));
  out += R"(,"resources":[)";
  for (const PortableFile& file : skill.files) {
    if (&file != &skill.files.front()) out += ',';
    out += '{';
    append_text_member(out, "uri", file_uri(folder + "/" + file.path));
    append_text_member(out, "digest", "sha256:" + file.sha256);
    append_member(out, "size", std::to_string(file.size));
    out += '}';
  }
  return out + "]}";
}

RpcError unknown_skill(std::string_view uri, std::string_view why) {
  RpcError out = invalid_params("Skill not found: " + std::string(uri) +
                                (why.empty() ? "" : " (" + std::string(why) + ")") +
                                ". Next: call skills/list for the skills there are.");
  out.data = R"({"uri":)" + quote(uri) + "}";
  return out;
}

}  // namespace

SkillEntries::Entry SkillEntries::of(const SkillRow& row, const directory::View& view) {
  const directory::Snapshot& snapshot = view.snapshot();
  if (Entry known = cache_.find(snapshot, row)) return known;
  const Result<PortableSkill> skill = read_portable_skill(row, view, true);
  if (!skill) {
    auto out = std::make_shared<const Result<std::string>>(std::unexpected(skill.error()));
    if (is_lasting_refusal(skill.error())) {
      cache_.keep(snapshot, row, out, skill.error().message.size());
    }
    return out;
  }
  auto out = std::make_shared<const Result<std::string>>(entry_text(row.folder, *skill));
  if (!skill->has_further_names) cache_.keep(snapshot, row, out, (*out)->size());
  return out;
}

task::Task<SkillFoldersPtr> Skills::folders(directory::View view) {
  if (folders_ && folders_->generation() == view.shared_generation()) co_return folders_;
  SkillFoldersPtr made = co_await pool_.run([generation = view.shared_generation()] {
    return std::make_shared<const SkillFolders>(generation);
  });
  folders_ = made;
  co_return made;
}

task::Task<Outcome> Skills::list(json::Value params) {
  const auto cursor = read_cursor("skills", params);
  if (!cursor) co_return std::unexpected(cursor.error());
  const directory::View view = co_await library_.current();
  SkillFoldersPtr all = co_await folders(view);
  struct Page {
    Reply reply;
    std::vector<Refusal> refusals;
  };
  auto work = [view, all, after = *cursor, entries = entries_] {
    PageWriter page("skills");
    std::vector<Refusal> refusals;
    std::span rows = std::span(all->rows()).subspan(after ? all->after(*after) : 0);
    const size_t most = std::min(rows.size(), kMaxExamined);
    size_t next = 0;
    for (; next < most && !page.is_full(); ++next) {
      const SkillRow& row = rows[next];
      page.skip(row.folder);
      if (!row.skill->for_agents || !view.shows(row.skill->id)) continue;
      const SkillEntries::Entry entry = entries->of(row, view);
      if (*entry) {
        page.add(**entry, row.folder);
      } else if (entry->error().code != "missing") {
        refusals.push_back({row.folder, entry->error()});
      }
    }
    return Page{page.finish(next < rows.size()), std::move(refusals)};
  };
  Page page = co_await pool_.run(hashing_, std::move(work));
  for (const Refusal& refusal : page.refusals) report(refusal);
  co_return std::move(page.reply);
}

task::Task<Outcome> Skills::get(json::Value params) {
  const std::string* uri = text_of(params, "uri");
  if (uri == nullptr) co_return refused("skills/get needs `uri`, the address of a SKILL.md.");
  const std::optional<Uri> parsed = parse_uri(*uri);
  if (!parsed || parsed->kind != Uri::Kind::kFile || last_segment(parsed->rest) != kSkillFile) {
    co_return std::unexpected(unknown_skill(*uri, "not the address of a SKILL.md"));
  }
  const directory::View view = co_await library_.current();
  SkillFoldersPtr all = co_await folders(view);
  const SkillRow* row = all->find(folder_of(parsed->rest));
  if (row == nullptr || !view.shows(row->skill->id)) {
    co_return std::unexpected(unknown_skill(*uri, ""));
  }
  const SkillEntries::Entry entry = co_await pool_.run(
      hashing_, [view, all, row, entries = entries_] { return entries->of(*row, view); });
  if (!*entry) co_return std::unexpected(unknown_skill(*uri, entry->error().message));
  Reply out{.members = {}, .cache = Cache::kList};
  append_member(out.members, "skill", **entry);
  co_return out;
}

task::Task<Outcome> Skills::read_directory(json::Value params) {
  const std::string* uri = text_of(params, "uri");
  if (uri == nullptr) co_return refused("resources/directory/read needs `uri`.");
  const auto cursor = read_cursor("resources", params);
  if (!cursor) co_return std::unexpected(cursor.error());
  RpcError not_there = invalid_params("There is no such directory: " + *uri);
  not_there.data = R"({"uri":)" + quote(*uri) + "}";
  const std::optional<Uri> parsed = parse_uri(*uri);
  if (!parsed || parsed->kind != Uri::Kind::kFile) co_return std::unexpected(not_there);
  const directory::View view = co_await library_.current();
  SkillFoldersPtr all = co_await folders(view);
  const SkillRow* row = all->owner_of(parsed->rest);
  if (row == nullptr || !view.shows(row->skill->id)) co_return std::unexpected(not_there);
  Result<std::vector<PortableEntry>> entries = std::vector<PortableEntry>();
  if (auto root = folder_of_row(view, *row)) {
    entries = co_await pool_.run(
        [root = std::move(root), path = parsed->rest] { return portable_entries(*root, path); });
  } else if (row->folder == parsed->rest) {
    entries->push_back({std::string(kSkillFile), false, row->skill->bytes});
  } else {
    co_return std::unexpected(not_there);
  }
  if (!entries) co_return std::unexpected(not_there);
  PageWriter page("resources");
  bool more = false;
  for (const PortableEntry& entry : *entries) {
    if (*cursor && entry.name <= **cursor) continue;
    more = page.is_full();
    if (more) break;
    std::string text = "{";
    append_text_member(text, "uri", file_uri(parsed->rest + "/" + entry.name));
    append_text_member(text, "name", entry.name);
    append_text_member(text, "mimeType",
                       entry.is_folder ? "inode/directory" : mime_type(entry.name));
    if (!entry.is_folder) append_member(text, "size", std::to_string(entry.size));
    page.add(text + "}", entry.name);
  }
  Reply out = page.finish(more);
  out.cache = Cache::kRead;
  co_return out;
}

task::Task<Result<directory::SkillFilePart>> Skills::read_file(directory::View view,
                                                               std::string path, ReadRange range) {
  SkillFoldersPtr all = co_await folders(view);
  const SkillRow* row = all->owner_of(path);
  if (row == nullptr || !view.shows(row->skill->id)) {
    co_return fail("missing", "there is no such file");
  }
  if (auto root = folder_of_row(view, *row)) {
    co_return co_await library_.on_reading_thread(
        [root = std::move(root), path, range] { return read_portable_part(*root, path, range); });
  }
  if (row->folder == path) co_return fail("a_folder", "it is a folder");
  if (row->skill->file.path != path) co_return fail("missing", "there is no such file");
  const Result<std::string> bytes = builtin_bytes(view, *row->skill);
  if (!bytes) co_return std::unexpected(bytes.error());
  co_return directory::part_of_bytes(*bytes, range.offset, range.limit);
}

void Skills::report(const Refusal& refusal) {
  if (reported_.size() >= kMaxReported || !reported_.insert(refusal.folder).second) return;
  log_info("skills/list leaves out {}: {}", refusal.folder, refusal.error.message);
}

}  // namespace iii::mcp
