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
constexpr size_t kIndexedPerStep = 256;
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

bool is_same(const content::SkillPtr& a, const content::SkillPtr& b) {
  if (a == b) return true;
  const uint64_t mark = row_mark(*a);
  return mark != 0 && mark == row_mark(*b);
}

// FNV-1a, 64 bits: finds changes, not malice.
class Mark {
 public:
  void text(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0xFF);
  }
  void number(uint64_t number) {
    for (int i = 0; i < 8; ++i) mix(static_cast<unsigned char>(number >> (8 * i)));
  }
  uint64_t value() const { return hash_ == 0 ? 1 : hash_; }

 private:
  void mix(unsigned char byte) { hash_ = (hash_ ^ byte) * 1'099'511'628'211ULL; }
  uint64_t hash_ = 14'695'981'039'346'656'037ULL;
};

}  // namespace

uint64_t row_mark(const content::Skill& skill) {
  if (skill.version.inode == 0) return 0;
  Mark mark;
  mark.text(skill.title);
  mark.text(skill.description);
  mark.text(skill.file.path);
  mark.number(skill.version.inode);
  mark.number(static_cast<uint64_t>(skill.version.ctime_ns));
  mark.number(static_cast<uint64_t>(skill.mtime_ns));
  mark.number(skill.bytes);
  return mark.value();
}

BodyHead read_body_head(const View& view, const content::Skill& skill, size_t bytes) {
  if (const RegisteredDocument* registered = view.registration(skill.file)) {
    return {without_frontmatter(registered->text, view), false};
  }
  if (view.snapshot().folders == nullptr) return {};
  content::Content& content = *view.snapshot().folders->content;
  const auto folder = content.folder_of(skill.file);
  if (folder == nullptr) {  // compiled in
    Result<FileBytes> file = content.read(view.generation(), skill.file);
    return {file ? without_frontmatter(std::move(file->bytes), view) : "", false};
  }
  const bool known = skill.body_offset != content::kUnknownOffset;
  const int64_t now = file_clock_ns();
  Result<FileBytes> file = known ? folder->read_part(skill.file.path, skill.body_offset, bytes)
                                 : folder->read_head(skill.file.path, kFrontmatterBytes + bytes);
  if (!file) return {};
  const FileStamp& stamp = file->stamp;
  const bool as_shown = stamp.inode == skill.version.inode && stamp.size == skill.bytes &&
                        stamp.ctime_ns == skill.version.ctime_ns;
  // Another version: the next generation has it.
  if (known && !as_shown) return {};
  BodyHead out{std::move(file->bytes), as_shown && stamp.settled(now)};
  keep_utf8(out.text);
  if (!known) out.text = without_frontmatter(std::move(out.text), view);
  return out;
}

search::Document document_of(const View& view, const content::Skill& skill, std::string_view body) {
  const std::string shown = view.display(skill.id);
  search::Document out = search::skill_document(
      {.id = shown, .title = skill.title, .description = skill.description, .body = body});
  out.key = skill.id;
  return out;
}

RowChanges changes_between(const content::Generation& before, const content::Generation& now) {
  const auto old_rows = unshared(before.skills, chunks_of(now.skills));
  const auto new_rows = unshared(now.skills, chunks_of(before.skills));
  RowChanges out;
  auto old = old_rows.begin();
  for (const content::SkillPtr& row : new_rows) {
    for (; old != old_rows.end() && (*old)->id < row->id; ++old) out.removed.push_back((*old)->id);
    const bool known = old != old_rows.end() && (*old)->id == row->id;
    if (!known || !is_same(*old, row)) out.put.push_back(row);
    if (known) ++old;
  }
  for (; old != old_rows.end(); ++old) out.removed.push_back((*old)->id);
  return out;
}

IndexedSkillsPtr followed(const IndexedSkills& before, const RowChanges& changes,
                          const View& view) {
  search::Changes out{.put = {}, .removed = changes.removed};
  for (const content::SkillPtr& row : changes.put) {
    out.put.push_back(document_of(view, *row, read_body_head(view, *row, kHeadBytes).text));
  }
  const bool any = !out.put.empty() || !out.removed.empty();
  return std::make_shared<const IndexedSkills>(
      IndexedSkills{.index = any ? before.index.apply(out) : before.index,
                    .generation = view.shared_generation()});
}

IndexedSkillsPtr followed(const IndexedSkills& before, const View& view) {
  return followed(before, changes_between(*before.generation, view.generation()), view);
}

IndexedSkillsBuild::IndexedSkillsBuild(View view)
    : view_(std::move(view)), builder_(search::skill_profile()) {}

bool IndexedSkillsBuild::step() {
  const auto& skills = view_.generation().skills;
  const size_t end = std::min(skills.size(), next_ + kIndexedPerStep);
  for (; next_ < end; ++next_) {
    const content::Skill& skill = *skills[next_];
    const BodyHead head = read_body_head(view_, skill, kHeadBytes);
    builder_.add(document_of(view_, skill, head.text));
    marks_.push_back(head.settled ? row_mark(skill) : 0);
  }
  return next_ < skills.size();
}

IndexedSkillsPtr IndexedSkillsBuild::finish() {
  search::Index index(search::skill_profile());
  if (builder_.documents() > 0) {
    segment_ = builder_.finish();
    index = search::Index(search::skill_profile(), segment_);
  }
  return std::make_shared<const IndexedSkills>(
      IndexedSkills{.index = std::move(index), .generation = view_.shared_generation()});
}

}  // namespace iii::directory
