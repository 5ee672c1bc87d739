#include "directory/reading/skill_list.h"

#include <algorithm>
#include <tuple>

#include "directory/reading/find_text.h"
#include "directory/reading/paths.h"
#include "directory/table/errors.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

using content::Skill;
using content::SkillKind;

// Rows that are looked at, and written, in one step.
constexpr size_t kLookedAt = 256;
constexpr size_t kFiltered = 4'096;
constexpr size_t kWritten = 64;

constexpr SkillKind kKinds[] = {SkillKind::kSkill, SkillKind::kReference, SkillKind::kReadme};

// R43: id as shown, title or description; and the name and the path that the author gave it.
bool mentions(const View& view, const Skill& skill, const std::string& needle) {
  if (needle.empty()) return true;
  const auto holds = [&needle](std::string_view text) { return contains_folded(text, needle); };
  return std::ranges::any_of(searched_texts(skill), holds) ||
         (holds(skill.id) && holds(view.display(skill.id)));
}

void fill(SkillEntry& entry, const View& view, const Skill& skill, bool with_description) {
  entry.id = view.display(skill.id);
  entry.title = skill.title.empty() ? entry.id : skill.title;  // R29
  entry.type = skill.type;
  entry.function_id = skill.function_id;
  entry.description = with_description ? std::string_view(skill.description) : std::string_view();
  entry.bytes = skill.bytes;
  entry.modified_at = content::format_time(skill.mtime_ns);
  fill_details(entry, view, skill);
}

bool is_index_id(std::string_view id) { return id == "index" || id.ends_with("/index"); }

// R60: typed as one, or `<ns>/index` with a single slash.
bool is_overview(const Skill& skill) {
  if (skill.type == "index") return true;
  const size_t slash = skill.id.find('/');
  return slash != std::string::npos && std::string_view(skill.id).substr(slash) == "/index";
}

// R64. Its length counts against the limit of the page (directory-read §8.4), so the framing is
// part of the contract.
std::string pointer_line(const std::string& shown) {
  std::string argument;
  json::append_string(argument, shown);
  return "Full reference: call `directory::skills::get { \"id\": " + argument +
         " }` (legacy `iii://" + shown + "`).\n";
}

std::pair<size_t, size_t> range_of(const View& view, const std::optional<std::string>& prefix) {
  return view.generation().prefix_range(prefix.value_or(""));
}

}  // namespace

std::string_view kind_word(SkillKind kind) {
  switch (kind) {
    case SkillKind::kSkill:
      return "skill";
    case SkillKind::kReference:
      return "reference";
    case SkillKind::kReadme:
      return "readme";
  }
  return "skill";
}

Result<KindFilter> KindFilter::parse(const std::optional<json::Raw>& filter) {
  if (!filter) return KindFilter();
  const Result<json::Value> value = json::parse(filter->text);
  if (!value || value->is_null()) return KindFilter();
  std::vector<json::Value> words;
  if (const auto* list = value->as_array()) {
    words.assign(list->begin(), list->end());
  } else {
    words.push_back(*value);
  }
  KindFilter out{.bits = 0};
  for (const json::Value& word : words) {
    const auto known = std::ranges::find_if(kKinds, [&word](SkillKind kind) {
      return word.as_string() != nullptr && *word.as_string() == kind_word(kind);
    });
    if (known == std::end(kKinds)) return std::unexpected(unknown_kind(json::to_text(word)));
    out.bits |= 1U << unsigned(*known);
  }
  return out;
}

template <typename Row>
void fill_details(Row& row, const View& view, const Skill& skill) {
  row.kind = kind_word(skill.kind);
  row.name.reset();
  const std::string shown = view.display(skill.id);
  if (!skill.name.empty() && skill.name != file_name(shown)) row.name = skill.name;
  row.path.reset();
  if (!unusual_path(skill).empty()) row.path = skill.file.path;
  row.user_only.reset();
  if (!skill.for_agents) row.user_only = true;
  row.origin.reset();
  if (content::is_registered(view.generation(), skill.file)) row.origin = kRegisteredOrigin;
}
template void fill_details(SkillEntry&, const View&, const Skill&);
template void fill_details(SkillGetOutput&, const View&, const Skill&);

SkillListing::SkillListing(const View& view, const ListSkillsInput& in, KindFilter kinds,
                           const RowFilter* filter)
    : view_(view),
      in_(in),
      kinds_(kinds),
      filter_(filter),
      needle_(fold_case(in.search.value_or(""))) {
  std::tie(place_, end_) = range_of(view, in.prefix);
  if (!in.cursor) return;
  const auto& skills = view.generation().skills;
  const auto id = [](const content::SkillPtr& skill) -> const std::string& { return skill->id; };
  const auto after = std::ranges::upper_bound(skills, *in.cursor, {}, id);
  place_ = std::max(place_, static_cast<size_t>(after - skills.begin()));
}

bool SkillListing::step() {
  if (done_) return false;
  if (writing_) {
    write_some();
  } else if (!is_selected()) {
    select_some();
  } else {
    begin_writing();
  }
  return true;
}

void SkillListing::select_some() {
  if (filter_ != nullptr) return select_candidates();
  const size_t stop = std::min(end_, place_ + kLookedAt);
  auto row = view_.generation().skills.iterator(place_);
  while (place_ < stop && take_row(**row)) {
    ++row;
    ++place_;
  }
  if (place_ < stop) place_ = end_;  // the page is full
}

void SkillListing::select_candidates() {
  const auto& skills = view_.generation().skills;
  if (looked_at_ == candidates_.size()) {
    const size_t stop = std::min(end_, place_ + kFiltered);
    candidates_ = filter_->candidates({.needle = needle_, .type = in_.type}, place_, stop);
    looked_at_ = 0;
    place_ = stop;
  }
  const size_t stop = std::min(candidates_.size(), looked_at_ + kLookedAt);
  for (; looked_at_ < stop; ++looked_at_) {
    if (take_row(*skills[candidates_[looked_at_]])) continue;
    place_ = end_;  // the page is full
    looked_at_ = candidates_.size();
    return;
  }
}

// False: that was one too many.
bool SkillListing::take_row(const Skill& skill) {
  if (in_.type && skill.type != *in_.type) return true;
  if (!kinds_.takes(skill.kind)) return true;
  if (!skill.for_agents && !in_.include_user_only.value_or(false)) return true;
  if (!mentions(view_, skill, needle_) || !view_.shows(skill.id)) return true;
  if (in_.limit && rows_.size() >= *in_.limit) {
    if (!rows_.empty()) next_cursor_ = rows_.back()->id;
    return false;
  }
  rows_.push_back(&skill);
  return true;
}

void SkillListing::begin_writing() {
  constexpr size_t kRow = 256;  // without its description, rather more than less
  size_t size = kRow * (rows_.size() + 1);
  if (in_.include_description.value_or(true)) {
    for (const Skill* skill : rows_) size += skill->description.size();
  }
  out_.reserve(size);
  out_ += "{\"skills\":[";
  writing_ = true;
}

void SkillListing::write_some() {
  const size_t stop = std::min(rows_.size(), written_ + kWritten);
  for (; written_ < stop; ++written_) {
    if (written_ > 0) out_ += ',';
    fill(entry_, view_, *rows_[written_], in_.include_description.value_or(true));
    json::encode_to(out_, entry_);
  }
  if (written_ < rows_.size()) return;
  out_ += ']';
  if (next_cursor_) {
    out_ += ",\"next_cursor\":";
    json::append_string(out_, *next_cursor_);
  }
  out_ += '}';
  done_ = true;
}

bool wants_filter(const ListSkillsInput& in) { return in.search || in.type; }

Result<KindFilter> check_list(const ListSkillsInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::list"));
  return KindFilter::parse(in.kind);
}

Result<std::string> list_skills_text(const View& view, const ListSkillsInput& in,
                                     const RowFilter* filter) {
  const Result<KindFilter> kinds = check_list(in);
  if (!kinds) return std::unexpected(kinds.error());
  SkillListing listing(view, in, *kinds, filter);
  while (listing.step()) {
  }
  return listing.take();
}

Result<ListSkillsOutput> list_skills(const View& view, const ListSkillsInput& in) {
  const Result<std::string> text = list_skills_text(view, in, nullptr);
  if (!text) return std::unexpected(text.error());
  return json::decode<ListSkillsOutput>(*text);
}

IndexPage::IndexPage(const View& view, const IndexSkillsInput& in, KindFilter kinds)
    : view_(view), in_(in), kinds_(kinds) {
  std::tie(place_, end_) = range_of(view, in.prefix);
}

bool IndexPage::belongs(const Skill& skill) {
  if (!skill.for_agents && !in_.include_user_only.value_or(false)) return false;
  if (in_.kind) return kinds_.takes(skill.kind);
  if (is_overview(skill)) return true;
  if (in_.prefix) return is_index_id(skill.id);
  if (!skill.id.ends_with("/index")) return false;
  // A repository is a folder without an overview of its own: its skills speak for themselves.
  return !has_overview(std::string_view(skill.id).substr(0, skill.id.find('/')));
}

// Rows of one folder stand together: it is looked up once.
bool IndexPage::has_overview(std::string_view top) {
  if (top != top_) {
    top_ = top;
    top_has_overview_ = view_.generation().skill(top_ + "/index") != nullptr;
  }
  return top_has_overview_;
}

void IndexPage::write(std::string_view text) {
  page_bytes_ += text.size();
  const size_t quote = out_.size();
  json::append_string(out_, text);
  out_.erase(quote, 1);
  out_.pop_back();
}

void IndexPage::write_section(const Skill& skill) {
  std::string section = "\n## " + view_.title(skill) + "\n";
  // Every heading and pointer is written; descriptions only while there is room (directory-read
  // §8.4).
  if (!skill.description.empty()) {
    const size_t size = page_bytes_ + section.size() + skill.description.size() + 2;
    left_out_ += size > kIndexBytes ? 1 : 0;
    if (size <= kIndexBytes) section += "\n" + skill.description + "\n";
  }
  write(section + "\n" + pointer_line(view_.display(skill.id)));
}

bool IndexPage::step() {
  if (done_) return false;
  if (place_ < end_) {
    const size_t stop = std::min(end_, place_ + kLookedAt);
    auto row = view_.generation().skills.iterator(place_);
    for (; place_ < stop; ++place_, ++row) {
      const Skill& skill = **row;
      if (belongs(skill) && view_.shows(skill.id)) rows_.push_back(&skill);
    }
    return true;
  }
  if (!writing_) {
    writing_ = true;
    out_ = "{\"body\":\"";
    const bool narrowed = in_.prefix || in_.kind;
    write("# Skills index\n\n" + std::to_string(rows_.size()) +
          (narrowed ? " skill(s).\n" : " worker(s).\n"));
  }
  const size_t stop = std::min(rows_.size(), written_ + kWritten);
  for (; written_ < stop; ++written_) write_section(*rows_[written_]);
  if (written_ < rows_.size()) return true;
  if (left_out_ > 0) {
    write(
        "\n(Some descriptions omitted to keep this short; `directory::skills::get` has the full "
        "text.)\n");
  }
  out_ += "\",\"workers_count\":" + std::to_string(rows_.size()) + "}";
  done_ = true;
  return true;
}

Result<IndexSkillsOutput> index_skills(const View& view, const IndexSkillsInput& in) {
  const Result<KindFilter> kinds = KindFilter::parse(in.kind);
  if (!kinds) return std::unexpected(kinds.error());
  IndexPage page(view, in, *kinds);
  while (page.step()) {
  }
  return json::decode<IndexSkillsOutput>(page.take());
}

}  // namespace iii::directory
