#include "directory/reading/indexed_skills.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "directory/content/parse.h"
#include "directory/search/skill_document.h"
#include "foundation/base/files.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

// Rows of one step of a build.
constexpr size_t kIndexedPerStep = 128;
// So many changed rows are indexed one after the other, whatever part of all they are.
constexpr size_t kMostFollowed = 2'000;
constexpr size_t kHeadBytes = search::kBodyCharacters * 4;
// Where the body begins is not known of every file: its frontmatter may take this much.
constexpr size_t kFrontmatterBytes = 16 * 1024;

// A cut may have gone through a character.
void keep_utf8(std::string& text) {
  for (int i = 0; i < 3 && !text.empty() && !is_utf8(text); ++i) text.pop_back();
  if (!is_utf8(text)) text.clear();
}

std::string without_frontmatter(std::string text, const View& view) {
  const bool lenient = view.snapshot().folders->content->lenient();
  text.erase(0, content::body_offset(text, {.lenient = lenient}));
  return text;
}

// The rows of the chunks that both do not share.
std::vector<content::SkillPtr> unshared(
    const content::Rows<content::SkillPtr>& rows,
    const std::unordered_set<const content::Rows<content::SkillPtr>::Chunk*>& other) {
  std::vector<content::SkillPtr> out;
  for (const auto& chunk : rows.chunks()) {
    if (!other.contains(chunk.get())) out.insert(out.end(), chunk->begin(), chunk->end());
  }
  return out;
}

std::unordered_set<const content::Rows<content::SkillPtr>::Chunk*> chunks_of(
    const content::Rows<content::SkillPtr>& rows) {
  std::unordered_set<const content::Rows<content::SkillPtr>::Chunk*> out;
  for (const auto& chunk : rows.chunks()) out.insert(chunk.get());
  return out;
}

search::Document document_of(const View& view, const content::Skill& skill) {
  const std::string shown = view.display(skill.id);
  const std::string body = read_body_head(view, skill, kHeadBytes);
  search::Document out = search::skill_document(
      {.id = shown, .title = skill.title, .description = skill.description, .body = body});
  out.key = skill.id;
  return out;
}

// Rows that `before` has not, or not as they are now; and keys that are gone.
struct RowChanges {
  std::vector<content::SkillPtr> put;
  std::vector<std::string> removed;
};

RowChanges changes_between(const content::Generation& before, const content::Generation& now) {
  const auto old_rows = unshared(before.skills, chunks_of(now.skills));
  const auto new_rows = unshared(now.skills, chunks_of(before.skills));
  RowChanges out;
  auto old = old_rows.begin();
  for (const content::SkillPtr& row : new_rows) {
    for (; old != old_rows.end() && (*old)->id < row->id; ++old) out.removed.push_back((*old)->id);
    const bool known = old != old_rows.end() && (*old)->id == row->id;
    if (!known || *old != row) out.put.push_back(row);
    if (known) ++old;
  }
  for (; old != old_rows.end(); ++old) out.removed.push_back((*old)->id);
  return out;
}

}  // namespace

std::string read_body_head(const View& view, const content::Skill& skill, size_t bytes) {
  if (const RegisteredDocument* registered = view.registration(skill.file)) {
    return without_frontmatter(registered->text, view);
  }
  if (view.snapshot().folders == nullptr) return {};
  content::Content& content = *view.snapshot().folders->content;
  const auto folder = content.folder_of(skill.file);
  if (folder == nullptr) {  // compiled in
    Result<FileBytes> file = content.read(view.generation(), skill.file);
    return file ? without_frontmatter(std::move(file->bytes), view) : "";
  }
  const bool known = skill.body_offset != content::kUnknownOffset;
  Result<FileBytes> file = known ? folder->read_part(skill.file.path, skill.body_offset, bytes)
                                 : folder->read_head(skill.file.path, kFrontmatterBytes + bytes);
  if (!file) return {};
  const FileStamp& stamp = file->stamp;
  const bool as_shown = stamp.inode == skill.version.inode && stamp.size == skill.bytes &&
                        stamp.ctime_ns == skill.version.ctime_ns;
  // Another version: the next generation has it.
  if (known && !as_shown) return {};
  std::string text = std::move(file->bytes);
  keep_utf8(text);
  return known ? text : without_frontmatter(std::move(text), view);
}

IndexedSkillsPtr followed(const IndexedSkills& before, const View& view) {
  RowChanges rows = changes_between(*before.generation, view.generation());
  if (rows.put.size() > std::max(kMostFollowed, view.generation().skills.size() / 4)) {
    return nullptr;
  }
  search::Changes changes{.put = {}, .removed = std::move(rows.removed)};
  for (const content::SkillPtr& row : rows.put) changes.put.push_back(document_of(view, *row));
  const bool any = !changes.put.empty() || !changes.removed.empty();
  search::Index index = any ? before.index.apply(changes) : before.index;
  return std::make_shared<const IndexedSkills>(
      IndexedSkills{.index = std::move(index), .generation = view.shared_generation()});
}

void IndexedSkillsBuild::step(size_t thread) {
  const auto& skills = view_.generation().skills;
  const size_t begin = next_.fetch_add(kIndexedPerStep);
  const size_t end = std::min(skills.size(), begin + kIndexedPerStep);
  for (size_t row = begin; row < end; ++row) {
    builders_.at(thread).add(document_of(view_, *skills[row]));
  }
}

void IndexedSkillsBuild::finish(size_t thread) {
  segments_.at(thread) = builders_.at(thread).finish(lengths());
}

IndexedSkillsPtr IndexedSkillsBuild::take() {
  return std::make_shared<const IndexedSkills>(
      IndexedSkills{.index = search::Index(search::skill_profile(), lengths(), segments_),
                    .generation = view_.shared_generation()});
}

}  // namespace iii::directory
