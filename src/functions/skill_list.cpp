#include "functions/skill_list.h"

#include <algorithm>

#include "base/text.h"
#include "functions/errors.h"
#include "json/write.h"

namespace iii::directory {

namespace {

using content::Skill;

// R43: id as shown, title or description.
bool mentions(const View& view, const Skill& skill, const std::string& needle) {
  if (needle.empty()) return true;
  if (fold_case(view.display(skill.id)).find(needle) != std::string::npos) return true;
  return fold_case(skill.title).find(needle) != std::string::npos ||
         fold_case(skill.description).find(needle) != std::string::npos;
}

void fill(SkillEntry& entry, const View& view, const Skill& skill, bool with_description) {
  entry.id = view.display(skill.id);
  entry.title = skill.title.empty() ? entry.id : skill.title;  // R29
  entry.type = skill.type;
  entry.function_id = skill.function_id;
  entry.description = with_description ? std::string_view(skill.description) : std::string_view();
  entry.bytes = skill.bytes;
  entry.modified_at = content::format_time(skill.mtime_ns);
  entry.origin.reset();
  if (content::is_registered(view.generation(), skill.file)) entry.origin = kRegisteredOrigin;
}

// The rows of one answer.
struct Selection {
  std::vector<const Skill*> rows;
  std::optional<std::string> next_cursor;
};

class Selector {
 public:
  Selector(const View& view, const ListSkillsInput& in) : view_(view), in_(in) {}

  Selection run(const SearchText* text) {
    const auto& skills = view_.generation().skills;
    auto [place, end] = view_.generation().prefix_range(in_.prefix.value_or(""));
    if (in_.cursor) {
      const auto after = std::upper_bound(
          skills.begin(), skills.end(), *in_.cursor,
          [](const std::string& id, const content::SkillPtr& skill) { return id < skill->id; });
      place = std::max(place, static_cast<size_t>(after - skills.begin()));
    }
    const std::string needle = fold_case(in_.search.value_or(""));
    if (text == nullptr || needle.empty() || needle.find('\0') != std::string::npos) {
      while (place < end && take(*skills[place], needle)) ++place;
    } else {
      for (const SearchText::Hit& hit : text->find(needle, place, std::max(place, end))) {
        if (!take(*skills[hit.place], hit.certain ? "" : needle)) break;
      }
    }
    return std::move(found_);
  }

 private:
  // False: that was one too many. An empty needle is in every row.
  bool take(const Skill& skill, const std::string& needle) {
    if (in_.type && skill.type != *in_.type) return true;
    if (!mentions(view_, skill, needle) || !view_.shows(skill.id)) return true;
    if (in_.limit && found_.rows.size() >= *in_.limit) {
      if (!found_.rows.empty()) found_.next_cursor = found_.rows.back()->id;
      return false;
    }
    found_.rows.push_back(&skill);
    return true;
  }

  const View& view_;
  const ListSkillsInput& in_;
  Selection found_;
};

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

}  // namespace

Result<ListSkillsOutput> list_skills(const View& view, const ListSkillsInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::list"));
  Selection found = Selector(view, in).run(nullptr);
  ListSkillsOutput out;
  out.skills.resize(found.rows.size());
  for (size_t i = 0; i < out.skills.size(); ++i) {
    fill(out.skills[i], view, *found.rows[i], in.include_description.value_or(true));
  }
  out.next_cursor = std::move(found.next_cursor);
  return out;
}

Result<std::string> list_skills_text(const View& view, const ListSkillsInput& in,
                                     const SearchText* text) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::list"));
  constexpr size_t kRow = 256;  // without its description, rather more than less
  const bool with_description = in.include_description.value_or(true);
  const Selection found = Selector(view, in).run(text);
  size_t size = kRow * (found.rows.size() + 1);
  for (const Skill* skill : found.rows) size += with_description ? skill->description.size() : 0;
  std::string out;
  out.reserve(size);
  out += "{\"skills\":[";
  SkillEntry entry;
  for (const Skill* skill : found.rows) {
    if (out.back() != '[') out += ',';
    fill(entry, view, *skill, with_description);
    json::encode_to(out, entry);
  }
  out += ']';
  if (found.next_cursor) {
    out += ",\"next_cursor\":";
    json::append_string(out, *found.next_cursor);
  }
  return out += '}';
}

IndexSkillsOutput index_skills(const View& view) {
  std::vector<const Skill*> rows;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (is_overview(*skill) && view.shows(skill->id)) rows.push_back(skill.get());
  }
  IndexSkillsOutput out{
      .body = "# Skills index\n\n" + std::to_string(rows.size()) + " worker(s).\n",
      .workers_count = rows.size()};
  bool left_out = false;
  for (const Skill* skill : rows) {
    out.body += "\n## " + view.title(*skill) + "\n";
    if (!skill->description.empty()) {
      // Every heading and pointer is written; descriptions only while there is room (directory-read
      // §8.4).
      if (out.body.size() + skill->description.size() + 2 <= kIndexBytes) {
        out.body += "\n" + skill->description + "\n";
      } else {
        left_out = true;
      }
    }
    out.body += "\n" + pointer_line(view.display(skill->id));
  }
  if (left_out) {
    out.body +=
        "\n(Some descriptions omitted to keep this short; `directory::skills::get` has the full "
        "text.)\n";
  }
  return out;
}

}  // namespace iii::directory
