#include "directory/legacy/names.h"

#include <algorithm>
#include <set>

#include "foundation/base/text.h"
#include "foundation/base/white_space.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

std::unexpected<Error> refuse(std::string reason) {
  return fail("invocation_failed", std::move(reason));
}

std::string in_quotes(std::string_view text) {
  std::string out;
  json::append_string(out, echoed(text));
  return out;
}

bool is_blank_text(std::string_view text) { return trim_space(text).empty(); }

Result<void> check_skill_body(std::string_view skill) {
  if (skill.empty()) return refuse("`skill` holds the markdown and must be non-empty");
  if (skill.size() > kMaxSkillBytes) {
    return refuse("`skill` is too large: it has " + std::to_string(skill.size()) +
                  " bytes, and at most " + std::to_string(kMaxSkillBytes) + " are stored");
  }
  return {};
}

Result<void> check_prompt(const RegisteredDocument& prompt) {
  if (is_blank_text(prompt.description)) return refuse("description must be non-empty");
  if (is_blank_text(prompt.function_id)) return refuse("function_id must be non-empty");
  std::set<std::string_view> seen;
  for (const PromptArgument& argument : prompt.arguments) {
    if (is_blank_text(argument.name)) return refuse("argument name must be non-empty");
    if (!seen.insert(argument.name).second) {
      return refuse("duplicate argument name " + in_quotes(argument.name));
    }
  }
  return {};
}

}  // namespace

Result<void> check_key(ChangeKind kind, std::string_view text) {
  const std::string name = kind == ChangeKind::kSkill ? "id" : "name";
  if (text.empty()) return refuse(name + " must be non-empty");
  if (text.size() > kMaxNameBytes) {
    return refuse(name + " is too long: it has " + std::to_string(text.size()) +
                  " bytes, and at most " + std::to_string(kMaxNameBytes) + " are allowed");
  }
  const bool legal = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!legal) {
    return refuse(name + " is made of lowercase letters a-z, digits, `-` and `_`, which " +
                  in_quotes(text) + " is not");
  }
  return {};
}

Result<void> check_registration(ChangeKind kind, const RegisteredDocument& document) {
  if (const Result<void> legal = check_key(kind, document.key); !legal) return legal;
  return kind == ChangeKind::kSkill ? check_skill_body(document.text) : check_prompt(document);
}

}  // namespace iii::directory
