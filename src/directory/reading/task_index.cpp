#include "directory/reading/task_index.h"

#include <algorithm>

#include "directory/search/sentences.h"
#include "directory/search/token_budget.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

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

class Page {
 public:
  Page(const View& view, const TaskIndexRequest& request) : view_(view), request_(request) {
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
  return Page(view, request).within_budget();
}

}  // namespace iii::directory
