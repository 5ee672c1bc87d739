#include "directory/reading/skill_links.h"

#include <algorithm>

#include "foundation/base/text.h"
#include "foundation/json/yaml.h"

namespace iii::directory {

namespace {

constexpr size_t kMaxRequired = 32;

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

}  // namespace iii::directory
