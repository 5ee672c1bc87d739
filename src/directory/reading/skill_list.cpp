#include "directory/reading/skill_list.h"

#include <algorithm>

#include "directory/search/sentences.h"
#include "directory/search/token_budget.h"
#include "directory/table/errors.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

using content::Skill;
using content::SkillKind;

constexpr SkillKind kKinds[] = {SkillKind::kSkill, SkillKind::kReference, SkillKind::kReadme};

// R43: id as shown, title or description; and the name and the path that the author gave it.
bool mentions(const View& view, const DocumentRow& row, const std::string& needle) {
  if (row.text.find(needle) != std::string_view::npos) return true;
  // The text has the id without `/index`, which is shown when the rest is an id of its own.
  const std::string& id = row.skill->id;
  return id.size() > row.id_size && fold_case(id).find(needle) != std::string::npos &&
         view.display(id) == id;
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

}  // namespace

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

// Whether rows are asked for beside those that the text of a search selects.
static bool takes(const ListSkillsInput& in, KindFilter kinds, const Skill& skill) {
  if (in.type && skill.type != *in.type) return false;
  return kinds.takes(skill.kind) && (skill.for_agents || in.include_user_only.value_or(false));
}

Result<ListedSkills> list_skills(const View& view, const ListSkillsInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::list"));
  const Result<KindFilter> kinds = KindFilter::parse(in.kind);
  if (!kinds) return std::unexpected(kinds.error());
  const DocumentTablePtr table = view.table();
  const std::string needle = fold_case(in.search.value_or(""));
  const auto [first, last] = table->prefix_range(in.prefix.value_or(""));
  ListedSkills out;
  for (const DocumentRow& row : table->rows().subspan(first, last - first)) {
    const Skill* skill = row.skill;
    if (skill == nullptr || (in.cursor && skill->id <= *in.cursor)) continue;
    if (!takes(in, *kinds, *skill)) continue;
    if ((!needle.empty() && !mentions(view, row, needle)) || !view.shows(skill->id)) continue;
    if (in.limit && out.rows.size() >= *in.limit) {
      out.next_cursor = out.rows.back()->id;
      break;
    }
    out.rows.push_back(skill);
  }
  return out;
}

// One row at a time: there may be tens of thousands.
std::string list_json(const View& view, const ListedSkills& list, bool with_descriptions) {
  std::string out = "{\"skills\":[";
  for (const Skill* skill : list.rows) {
    if (out.back() != '[') out += ',';
    ListedSkill row{skill_row(view, *skill)};
    if (!with_descriptions) row.description.clear();
    json::encode_to(out, row);
  }
  out += ']';
  if (list.next_cursor) {
    out += ",\"next_cursor\":";
    json::append_string(out, *list.next_cursor);
  }
  return out += '}';
}

// Whether an overview speaks for the folder of a root that a skill is in.
static bool has_overview(const View& view, const Skill& skill) {
  return view.generation().skill(skill.id.substr(0, skill.id.find('/')) + "/index") != nullptr;
}

std::vector<const Skill*> index_rows(const View& view, const IndexSkillsInput& in,
                                     KindFilter kinds) {
  const auto belongs = [&](const Skill& skill) {
    if (!skill.for_agents && !in.include_user_only.value_or(false)) return false;
    if (in.kind) return kinds.takes(skill.kind);
    if (is_overview(skill)) return true;
    if (in.prefix) return is_index_id(skill.id);
    // A repository is a folder without an overview of its own: its skills speak for themselves.
    return skill.id.ends_with("/index") && !has_overview(view, skill);
  };
  const auto& skills = view.generation().skills;
  const auto [first, last] = view.generation().prefix_range(in.prefix.value_or(""));
  std::vector<const Skill*> out;
  for (auto at = skills.iterator(first), end = skills.iterator(last); at != end; ++at) {
    if (belongs(**at) && view.shows((*at)->id)) out.push_back(at->get());
  }
  return out;
}

Result<IndexPage> index_page(const View& view, const IndexSkillsInput& in) {
  const Result<KindFilter> kinds = KindFilter::parse(in.kind);
  if (!kinds) return std::unexpected(kinds.error());
  const std::vector<const Skill*> rows = index_rows(view, in, *kinds);
  IndexPage page;
  page.out.workers_count = rows.size();
  std::string& body = page.out.body;
  body = "# Skills index\n\n" + std::to_string(rows.size()) +
         (in.prefix || in.kind ? " skill(s).\n" : " worker(s).\n");
  for (const Skill* skill : rows) {
    body += "\n## " + view.title(*skill) + "\n";
    // Every heading and pointer is written; descriptions only while there is room (directory-read
    // §8.4).
    if (!skill->description.empty()) {
      const bool fits = body.size() + skill->description.size() + 2 <= kIndexBytes;
      if (fits) body.append("\n").append(skill->description).append("\n");
      page.left_out += fits ? 0 : 1;
    }
    body += "\n" + pointer_line(view.display(skill->id));
  }
  if (page.left_out > 0) {
    body +=
        "\n(Some descriptions omitted to keep this short; `directory::skills::get` has the full "
        "text.)\n";
  }
  return page;
}

namespace {

constexpr size_t kTaskCharacters = 120;
// Stands for the budget that all lines need, so that what is counted does not depend on the budget.
constexpr size_t kLargestBudget = 99'999'999;

std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return out;
}

std::string line_of(const View& view, const content::Skill& skill) {
  const std::string shown = view.display(skill.id);
  const std::string title = one_line(view.title(skill));
  std::string out = "- `" + shown + "`";
  if (!iequals(title, shown)) out += " " + title;
  const std::string sentence = one_line(search::split_sentences(skill.description).first);
  if (!sentence.empty()) out += ": " + sentence;
  return out + "\n";
}

size_t cost_of(const IndexSkillsOutput& out) { return search::estimate_tokens(json::encode(out)); }

size_t cost_of_line(std::string_view line) {
  std::string text;
  json::append_string(text, line);
  return search::estimate_tokens(text);
}

class TaskPage {
 public:
  TaskPage(const View& view, const TaskIndexRequest& request) : view_(view), request_(request) {
    for (const content::Skill* skill : request.rows) lines_.push_back(line_of(view_, *skill));
  }

  // The most lines that fit. Costs of lines are added up, each rounded up, so the sum is not less
  // than the cost of the page.
  IndexSkillsOutput within_budget() const {
    size_t needed = cost_of(with(0, kLargestBudget));
    size_t count = 0;
    for (const std::string& line : lines_) {
      needed += cost_of_line(line);
      if (needed <= request_.budget) ++count;
    }
    if (count == lines_.size()) return with(count, 0);
    IndexSkillsOutput out = with(count, needed);
    while (count > 0 && cost_of(out) > request_.budget) out = with(--count, needed);
    return out;
  }

 private:
  // `needed`: tokens that all lines would cost; 0: they are all there.
  IndexSkillsOutput with(size_t count, size_t needed) const {
    std::string body = "# Skills index\n\n" + heading(count) + "\n";
    if (count > 0) body += "\n";
    for (size_t i = 0; i < count; ++i) body += lines_[i];
    return {.body = body + "\n" + ending(count, needed), .workers_count = count};
  }

  std::string heading(size_t count) const {
    if (request_.task.empty()) {
      return std::to_string(count) + " of " + std::to_string(lines_.size()) + " skill(s).";
    }
    const std::string task(utf8_prefix(one_line(request_.task), kTaskCharacters));
    if (lines_.empty()) return "No skill fits the task: " + task;
    return std::to_string(count) + " of " + std::to_string(lines_.size()) +
           " skill(s) that fit the task, best first: " + task;
  }

  std::string ending(size_t count, size_t needed) const {
    std::string out;
    const size_t left_out = lines_.size() - count;
    if (left_out > 0) {
      out = std::to_string(left_out) + " left out. More: call `directory::skills::index { " +
            request_.arguments + (request_.arguments.empty() ? "" : ", ") +
            "\"budget_tokens\": " + std::to_string(needed) + " }`.\n";
    }
    if (!request_.nearest.empty()) out += "Nearest: `" + join(request_.nearest, "`, `") + "`.\n";
    if (!request_.task.empty()) {
      out += std::to_string(request_.others) +
             " other(s) do not fit. All: call `directory::skills::list {}`.\n";
    }
    return out + "Read one: call `directory::skills::get { \"id\": \"<id>\" }`.\n";
  }

  const View& view_;
  const TaskIndexRequest& request_;
  std::vector<std::string> lines_;
};

}  // namespace

IndexSkillsOutput task_index(const View& view, const TaskIndexRequest& request) {
  return TaskPage(view, request).within_budget();
}

}  // namespace iii::directory
