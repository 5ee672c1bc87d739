#include "mcp/find.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace iii::mcp {

namespace {

constexpr size_t kMaxWords = 8;
// A row that has all words comes before one that has a part of them, whatever else is found.
constexpr int kPerWord = 100;

int score_of(const std::vector<std::string>& words, std::string_view id, std::string_view title,
             std::string_view description) {
  const std::string in_id = fold_case(id);
  const std::string in_title = fold_case(title);
  const std::string in_description = fold_case(description);
  int score = 0;
  for (const std::string& word : words) {
    int best = 0;
    if (in_description.find(word) != std::string::npos) best += 1;
    if (in_title.find(word) != std::string::npos) best += 4;
    if (in_id.find(word) != std::string::npos) best += 6;
    if (best > 0) score += kPerWord + best;
  }
  return score;
}

const std::string& id_of(const FoundSkill& row) { return row.skill->id; }
const std::string& id_of(const FoundFunction& row) { return row.function->id; }

template <typename Row>
void keep_best(std::vector<Row>& rows, size_t most) {
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return a.score != b.score ? a.score > b.score : id_of(a) < id_of(b);
  });
  if (rows.size() > most) rows.resize(most);
}

}  // namespace

std::vector<std::string> search_words(std::string_view query) {
  std::vector<std::string> out;
  std::string word;
  const std::string folded = fold_case(query);
  for (const char c : folded + " ") {
    const bool separator = c == ' ' || c == '\t' || c == '\n' || c == ',' || c == '"';
    if (!separator) {
      word += c;
    } else if (!word.empty()) {
      if (out.size() < kMaxWords) out.push_back(word);
      word.clear();
    }
  }
  return out;
}

std::vector<FoundSkill> find_skills(const directory::View& view,
                                    const std::vector<std::string>& words, size_t most) {
  std::vector<FoundSkill> out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (!skill->for_agents || skill->kind == content::SkillKind::kReadme) continue;
    const int score = score_of(words, skill->id, skill->title, skill->description);
    if (score > 0 && view.shows(skill->id)) out.push_back({skill, score});
  }
  keep_best(out, most);
  return out;
}

std::vector<FoundFunction> find_functions(const CallableList& functions,
                                          const std::vector<std::string>& words, size_t most) {
  std::vector<FoundFunction> out;
  for (const CallablePtr& function : functions) {
    const int score = score_of(words, function->id, function->title, function->description);
    if (score > 0) out.push_back({function, score});
  }
  keep_best(out, most);
  return out;
}

}  // namespace iii::mcp
