#include "directory/legacy/lists.h"

#include <memory>
#include <optional>
#include <utility>

#include "directory/legacy/descriptions.h"
#include "directory/legacy/documents.h"
#include "directory/legacy/refusals.h"
#include "directory/library/library.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "directory/table/limits.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct ListSkillsInput {};
struct ListPromptsInput {};
struct SkillEntry {
  std::string id;
  uint64_t bytes = 0;
  std::string registered_at;
  std::string modified_at;
  std::string origin;
};
struct PromptEntry {
  std::string name;
  std::string description;
  std::string function_id = {};  // empty for a file
  uint64_t arguments = 0;
  std::string registered_at = {};
  std::string modified_at = {};
  std::string origin = {};
};
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
      json::field("registered_at", &T::registered_at, kTime),
      json::field("modified_at", &T::modified_at, kTime),
      json::field("origin", &T::origin, kOrigin));
}
auto describe(json::Type<PromptEntry>) {
  using T = PromptEntry;
  return json::object<T>(
      "PromptEntry", "", json::field("name", &T::name, "Name to get it by."),
      json::field("description", &T::description, "What it is for."),
      json::field("function_id", &T::function_id, "Function that renders it; empty for a file."),
      json::field("arguments", &T::arguments, "Number of arguments; 0 for a file.")
          .as("usize", "uint"),
      json::field("registered_at", &T::registered_at, kTime),
      json::field("modified_at", &T::modified_at, kTime),
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
Result<json::Raw> answer(Out& out, bool empty, Registry registry,
                         const std::optional<Error>& problem) {
  if (problem && empty) return std::unexpected(failed_state(registry, *problem));
  if (problem) out.incomplete = problem->message;
  const std::string later = registry == Registry::kSkills ? "skills" : "prompts";
  return bounded(json::encode(out),
                 "directory::" + later + "::list with `limit`, and with `cursor` for the rest");
}

task::Task<Result<json::Raw>> list_skills(Library& library) {
  const Library::Asked asked = co_await library.ask_registrations(ChangeKind::kSkill);
  ListSkillsOutput out;
  for (const LegacySkill& skill : skills_in(asked.view)) {
    const bool file = skill.registered == nullptr;
    const std::string time =
        file ? content::format_time(skill.row->mtime_ns) : skill.registered->registered_at;
    const uint64_t bytes = file ? skill.row->bytes : skill.registered->text->size();
    out.skills.push_back({skill.id, bytes, time, time, file ? "file" : "registered"});
  }
  co_return answer(out, out.skills.empty(), Registry::kSkills, asked.problem);
}

task::Task<Result<json::Raw>> list_prompts(Library& library) {
  const Library::Asked asked =
      co_await library.ask_registrations(ChangeKind::kPrompt, {.filtered = false});
  ListPromptsOutput out;
  for (const content::PromptPtr& prompt : asked.view.generation().prompts) {
    PromptEntry row{.name = prompt->name, .description = prompt->description};
    if (const RegisteredDocument* registered = asked.view.registration(prompt->file)) {
      row.function_id = registered->function_id;
      row.arguments = registered->arguments.size();
      row.registered_at = registered->registered_at;
      row.origin = "registered";
    } else {
      row.registered_at = content::format_time(prompt->mtime_ns);
      row.origin = "file";
    }
    row.modified_at = row.registered_at;
    out.prompts.push_back(std::move(row));
  }
  co_return answer(out, out.prompts.empty(), Registry::kPrompts, asked.problem);
}

}  // namespace

void add_legacy_lists(FunctionTable& table, Library& library) {
  table.add<ListSkillsInput, ListSkillsOutput>(
      {.id = "skills::list",
       .title = "List skills",
       .description = about::kLegacySkillsList,
       .hints = kReadOnly,
       .published = true},
      [&library](ListSkillsInput) { return list_skills(library); });
  table.add<ListPromptsInput, ListPromptsOutput>(
      {.id = "prompts::list",
       .title = "List prompts",
       .description = about::kLegacyPromptsList,
       .hints = kReadOnly,
       .published = true},
      [&library](ListPromptsInput) { return list_prompts(library); });
}

}  // namespace iii::directory
