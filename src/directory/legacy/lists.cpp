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
  std::string description = {};
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
Result<json::Raw> answer(Out& out, bool empty, ChangeKind kind,
                         const std::optional<Error>& problem) {
  if (problem && empty) return std::unexpected(failed_state(kind, *problem));
  if (problem) out.incomplete = problem->message;
  const std::string later = kind == ChangeKind::kSkill ? "skills" : "prompts";
  return bounded(json::encode(out),
                 "directory::" + later + "::list with `limit`, and with `cursor` for the rest");
}

template <typename Row>
std::string time_of(const LegacyRow<Row>& row) {
  return row.registered != nullptr ? row.registered->registered_at
                                   : content::format_time(row.file->mtime_ns);
}
template <typename Row>
std::string origin_of(const LegacyRow<Row>& row) {
  return row.registered != nullptr ? "registered" : "file";
}

Result<json::Raw> skills_answer(const LegacyView& view) {
  ListSkillsOutput out;
  for (const LegacyRow<content::Skill>& row : skills_in(view)) {
    const uint64_t bytes =
        row.registered != nullptr ? row.registered->text.size() : row.file->bytes;
    out.skills.push_back({row.id, bytes, time_of(row), time_of(row), origin_of(row)});
  }
  return answer(out, out.skills.empty(), ChangeKind::kSkill, view.problem);
}

Result<json::Raw> prompts_answer(const LegacyView& view) {
  ListPromptsOutput out;
  for (const LegacyRow<content::Prompt>& row : prompts_in(view)) {
    PromptEntry entry{.name = row.id,
                      .registered_at = time_of(row),
                      .modified_at = time_of(row),
                      .origin = origin_of(row)};
    if (row.registered != nullptr) {
      entry.description = row.registered->description;
      entry.function_id = row.registered->function_id;
      entry.arguments = row.registered->arguments.size();
    } else {
      entry.description = row.file->description;
    }
    out.prompts.push_back(std::move(entry));
  }
  return answer(out, out.prompts.empty(), ChangeKind::kPrompt, view.problem);
}

}  // namespace

void add_legacy_lists(FunctionTable& table, Library& library) {
  table.add<ListSkillsInput, ListSkillsOutput>({.id = "skills::list",
                                                .title = "List skills",
                                                .description = about::kLegacySkillsList,
                                                .hints = kReadOnly,
                                                .published = true},
                                               [&library](ListSkillsInput) {
                                                 return legacy_answer(library, ChangeKind::kSkill,
                                                                      skills_answer);
                                               });
  table.add<ListPromptsInput, ListPromptsOutput>(
      {.id = "prompts::list",
       .title = "List prompts",
       .description = about::kLegacyPromptsList,
       .hints = kReadOnly,
       .published = true},
      [&library](ListPromptsInput) {
        return legacy_answer(library, ChangeKind::kPrompt, prompts_answer);
      });
}

}  // namespace iii::directory
