#include "functions/skill_links.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "base/utf8.h"
#include "content/parse.h"
#include "json/yaml.h"
#include "library/library.h"

namespace iii::directory {

namespace {

constexpr size_t kMaxRequired = 32;
constexpr std::string_view kCode = "unknown_function";

void add_function(std::vector<std::string>& out, std::string_view text) {
  const std::string id(trim(text));
  const bool is_function = id.find("::") != std::string::npos && id.find(' ') == std::string::npos;
  if (!is_function || out.size() >= kMaxRequired || std::ranges::find(out, id) != out.end()) return;
  out.push_back(id);
}

void add_functions(std::vector<std::string>& out, const json::Value& value) {
  if (const std::string* text = value.as_string()) {
    for (const std::string_view part : split(*text, ',')) add_function(out, part);
  } else if (const json::Array* list = value.as_array()) {
    for (const json::Value& each : *list) {
      if (each.as_string() != nullptr) add_function(out, *each.as_string());
    }
  }
}

std::string worker_of(std::string_view function_id) {
  return std::string(function_id.substr(0, function_id.find("::")));
}

}  // namespace

std::vector<std::string> required_functions(std::string_view frontmatter) {
  std::vector<std::string> out;
  // Most have none, and need not be read.
  if (frontmatter.find("requires") == std::string_view::npos) return out;
  const size_t begin = frontmatter.find('\n', frontmatter.find("---"));
  const size_t end = frontmatter.rfind("\n---");
  if (begin == std::string_view::npos || end == std::string_view::npos || end <= begin) return out;
  const auto fields = json::parse_yaml(frontmatter.substr(begin + 1, end - begin));
  const json::Value* requires_ = fields ? fields->find("requires") : nullptr;
  if (requires_ != nullptr) add_functions(out, *requires_);
  return out;
}

sdk::Task<std::vector<SkillFunction>> SkillLinks::of(const View& view,
                                                     const content::Skill& skill) {
  std::vector<std::string> names;
  if (skill.function_id) names.push_back(*skill.function_id);
  if (skill.body_offset > 0) {
    const Result<FileBytes> file = library_.read_file(view, skill);
    const std::string_view text = file ? std::string_view(file->bytes) : std::string_view();
    const bool known = skill.body_offset <= text.size();
    const size_t end = known ? static_cast<size_t>(skill.body_offset)
                             : content::body_offset(text, {.lenient = true});
    for (std::string& id : required_functions(text.substr(0, end))) {
      if (std::ranges::find(names, id) == names.end()) names.push_back(std::move(id));
    }
  }
  std::vector<SkillFunction> out;
  if (names.empty()) co_return out;
  const FunctionCatalog::Now now = co_await catalog_.recent({});
  const std::vector<std::string> published = downloads_()->registry().known_names();
  for (std::string& id : names) {
    const bool exists = now.functions->find(id) != nullptr;
    const bool offered = std::ranges::find(published, worker_of(id)) != published.end();
    const std::string_view state = exists      ? "callable"
                                   : !now.live ? "unknown"
                                   : offered   ? "installable"
                                               : "missing";
    out.push_back({.function_id = std::move(id), .state = std::string(state)});
  }
  co_return out;
}

sdk::Task<std::vector<DoctorFinding>> SkillLinks::broken(const View& view) {
  std::vector<DoctorFinding> out;
  const FunctionCatalog::Now now = co_await catalog_.recent({});
  if (!now.live) co_return out;
  auto begin = std::chrono::steady_clock::now();
  size_t looked_at = 0;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (++looked_at % 256 == 0) co_await library_.let_others_run(begin);
    if (!skill->function_id || now.functions->find(*skill->function_id) != nullptr) continue;
    const std::string shown = view.display(skill->id);
    out.push_back(
        {.root = view.generation().roots[skill->file.root].label,
         .path = printable(skill->file.path),
         .severity = "info",
         .code = std::string(kCode),
         .line = {},
         .column = {},
         .message = "`function_id` names the function `" + printable(*skill->function_id) +
                    "`, which nobody offers at the moment. Start or install its worker, or "
                    "correct the id.",
         .served_as = shown,
         .fix = {}});
  }
  co_return out;
}

}  // namespace iii::directory
