#include "directory/legacy/lists.h"

#include <memory>
#include <optional>
#include <utility>

#include "directory/legacy/add_read.h"
#include "directory/legacy/descriptions.h"
#include "directory/legacy/documents.h"
#include "directory/legacy/refusals.h"
#include "directory/library/library.h"
#include "directory/table/errors.h"
#include "directory/table/limits.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct ListSkillsInput {};
struct ListPromptsInput {};
struct SkillEntry : LegacyDocument {};
struct PromptEntry : LegacyDocument {};
struct ListSkillsOutput {
  std::vector<SkillEntry> skills;
  std::optional<std::string> incomplete;
};
struct ListPromptsOutput {
  std::vector<PromptEntry> prompts;
  std::optional<std::string> incomplete;
};

constexpr std::string_view kTime = "When it was registered or its file modified, RFC 3339 in UTC.";
constexpr std::string_view kOrigin = "`file` or `registered`.";
constexpr std::string_view kIncomplete =
    "Why registrations are missing here; absent when none are.";

auto describe(json::Type<ListSkillsInput>) {
  return json::object<ListSkillsInput>("ListSkillsInput", "");
}
auto describe(json::Type<ListPromptsInput>) {
  return json::object<ListPromptsInput>("ListPromptsInput", "");
}
auto describe(json::Type<SkillEntry>) {
  using T = SkillEntry;
  return json::object<T>(
      "SkillEntry", "", json::field("id", &T::id, "Id; it is read at iii://{id}."),
      json::field("bytes", &T::bytes, "Length of the markdown or of the file.").as("usize", "uint"),
      json::field("registered_at", &T::time, kTime), json::field("modified_at", &T::time, kTime),
      json::field("origin", &T::origin, kOrigin));
}
auto describe(json::Type<PromptEntry>) {
  using T = PromptEntry;
  return json::object<T>(
      "PromptEntry", "", json::field("name", &T::id, "Name to get it by."),
      json::field("description", &T::description, "What it is for."),
      json::field("function_id", &T::function_id, "Function that renders it; empty for a file."),
      json::field("arguments", &T::argument_count, "Number of arguments; 0 for a file.")
          .as("usize", "uint"),
      json::field("registered_at", &T::time, kTime), json::field("modified_at", &T::time, kTime),
      json::field("origin", &T::origin, kOrigin));
}
auto describe(json::Type<ListSkillsOutput>) {
  using T = ListSkillsOutput;
  return json::object<T>("ListSkillsOutput", "",
                         json::field("skills", &T::skills, "One row per skill, by id."),
                         json::field("incomplete", &T::incomplete, kIncomplete));
}
auto describe(json::Type<ListPromptsOutput>) {
  using T = ListPromptsOutput;
  return json::object<T>("ListPromptsOutput", "",
                         json::field("prompts", &T::prompts, "One row per prompt, by name."),
                         json::field("incomplete", &T::incomplete, kIncomplete));
}

// Who asked for registrations only must not take an outage for an empty list.
template <typename Out>
Result<json::Raw> answer(Out& out, bool empty, ChangeKind kind,
                         const std::optional<Error>& problem) {
  if (problem && empty) return std::unexpected(failed_state(kind, *problem));
  if (problem) out.incomplete = problem->message;
  const std::string later = kind == ChangeKind::kSkill ? "skills" : "prompts";
  return bounded(json::encode(out),
                 "directory::" + later + "::list with `limit`, and with `cursor` for the rest");
}

Result<json::Raw> skills_answer(const LegacyView& view) {
  ListSkillsOutput out;
  for (LegacyDocument& row : skills_in(view)) out.skills.push_back({std::move(row)});
  return answer(out, out.skills.empty(), ChangeKind::kSkill, view.problem);
}

Result<json::Raw> prompts_answer(const LegacyView& view) {
  ListPromptsOutput out;
  for (LegacyDocument& row : prompts_in(view)) out.prompts.push_back({std::move(row)});
  return answer(out, out.prompts.empty(), ChangeKind::kPrompt, view.problem);
}

}  // namespace

void add_legacy_lists(FunctionTable& table, Library& library) {
  add_read<ListSkillsInput, ListSkillsOutput>(
      table, "skills::list", "List skills", about::kLegacySkillsList, [&library](ListSkillsInput) {
        return legacy_answer(library, ChangeKind::kSkill, skills_answer);
      });
  add_read<ListPromptsInput, ListPromptsOutput>(
      table, "prompts::list", "List prompts", about::kLegacyPromptsList,
      [&library](ListPromptsInput) {
        return legacy_answer(library, ChangeKind::kPrompt, prompts_answer);
      });
}

}  // namespace iii::directory
