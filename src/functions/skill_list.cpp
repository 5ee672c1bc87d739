#include "functions/skill_list.h"

#include <algorithm>

#include "base/text.h"
#include "functions/errors.h"
#include "json/write.h"

namespace iii::functions {

namespace {

using content::Skill;

// R43: id as shown, title or description.
bool mentions(const View& view, const Skill& skill, const std::string& needle) {
  if (needle.empty()) return true;
  if (fold_case(view.display(skill.id)).find(needle) != std::string::npos) return true;
  if (!skill.search.empty()) return skill.search.find(needle) != std::string::npos;
  return fold_case(skill.title).find(needle) != std::string::npos ||
         fold_case(skill.description).find(needle) != std::string::npos;
}

SkillEntry entry_of(const View& view, const Skill& skill, bool with_description) {
  return {.id = view.display(skill.id),
          .title = view.title(skill),
          .type = skill.type,
          .function_id = skill.function_id,
          .description = with_description ? skill.description : "",
          .bytes = skill.bytes,
          .modified_at = content::format_time(skill.mtime_ns)};
}

// R60: typed as one, or `<ns>/index` with a single slash.
bool is_overview(const Skill& skill) {
  if (skill.type == "index") return true;
  const size_t slash = skill.id.find('/');
  return slash != std::string::npos && std::string_view(skill.id).substr(slash) == "/index";
}

// R64. Its length counts against the limit of the page (§8.4), so the framing is part of the
// contract.
std::string pointer_line(const std::string& shown) {
  std::string argument;
  json::append_string(argument, shown);
  return "Full reference: call `directory::skills::get { \"id\": " + argument +
         " }` (legacy `iii://" + shown + "`).\n";
}

}  // namespace

Result<ListSkillsOutput> list_skills(const View& view, const ListSkillsInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::list"));
  const content::Generation& generation = view.generation();
  const std::string needle = fold_case(in.search.value_or(""));
  auto [place, end] = generation.prefix_range(in.prefix.value_or(""));
  if (in.cursor) {
    const auto after = std::upper_bound(
        generation.skills.begin(), generation.skills.end(), *in.cursor,
        [](const std::string& id, const content::SkillPtr& skill) { return id < skill->id; });
    place = std::max(place, static_cast<size_t>(after - generation.skills.begin()));
  }
  ListSkillsOutput out;
  const Skill* last = nullptr;
  for (; place < end; ++place) {
    const Skill& skill = *generation.skills[place];
    if (in.type && skill.type != *in.type) continue;
    if (!view.shows(skill.id) || !mentions(view, skill, needle)) continue;
    if (in.limit && out.skills.size() >= *in.limit) {
      if (last != nullptr) out.next_cursor = last->id;
      break;
    }
    out.skills.push_back(entry_of(view, skill, in.include_description.value_or(true)));
    last = &skill;
  }
  return out;
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
      // Every heading and pointer is written; descriptions only while there is room (§8.4).
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

}  // namespace iii::functions
