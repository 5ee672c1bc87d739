#include "legacy/lists.h"

#include <memory>
#include <optional>
#include <utility>

#include "functions/errors.h"
#include "functions/limits.h"
#include "json/describe.h"
#include "legacy/descriptions.h"
#include "legacy/files.h"
#include "legacy/refusals.h"

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
  std::string function_id;
  uint64_t arguments = 0;
  std::string registered_at;
  std::string modified_at;
  std::string origin;
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

template <typename Out>
Result<json::Raw> bounded(const Out& out, std::string_view remedy) {
  std::string text = json::encode(out);
  if (text.size() > kMaxAnswerBytes) {
    return std::unexpected(answer_too_large(text.size(), kMaxAnswerBytes, remedy));
  }
  return json::Raw{std::move(text)};
}

class Lists {
 public:
  explicit Lists(Library& library) : library_(library), registered_(library.registrations()) {}

  sdk::Task<Result<json::Raw>> skills() {
    std::vector<SkillEntry> registered;
    std::optional<Error> problem;
    if (registered_ != nullptr) {
      const Result<std::vector<RegisteredSkill>> found = co_await registered_->skills();
      if (!found) problem = found.error();
      if (found) registered = rows(*found);
    }
    const View view = co_await library_.current(kVisibleFiles);
    std::vector<SkillEntry> files;
    for (const FileSkill& file : file_skills(view)) {
      const std::string time = content::format_time(file.skill->mtime_ns);
      files.push_back({file.id, file.skill->bytes, time, time, "file"});
    }
    // Who asked for registrations only must not take an outage for an empty list.
    if (problem && files.empty()) {
      co_return std::unexpected(failed_state(Registry::kSkills, *problem));
    }
    ListSkillsOutput out;
    out.skills = merge_rows(std::move(files), std::move(registered), &SkillEntry::id);
    if (problem) out.incomplete = problem->message;
    co_return bounded(out, "directory::skills::list with `limit`, and with `cursor` for the rest");
  }

  sdk::Task<Result<json::Raw>> prompts() {
    std::vector<PromptEntry> registered;
    std::optional<Error> problem;
    if (registered_ != nullptr) {
      const Result<std::vector<RegisteredPrompt>> found = co_await registered_->prompts();
      if (!found) problem = found.error();
      if (found) registered = rows(*found);
    }
    std::vector<PromptEntry> files;
    const View view = co_await library_.current(kAllFiles);
    for (const content::PromptPtr& prompt : view.generation().prompts) {
      const std::string time = content::format_time(prompt->mtime_ns);
      files.push_back({prompt->name, prompt->description, "", 0, time, time, "file"});
    }
    if (problem && files.empty()) {
      co_return std::unexpected(failed_state(Registry::kPrompts, *problem));
    }
    ListPromptsOutput out;
    out.prompts = merge_rows(std::move(files), std::move(registered), &PromptEntry::name);
    if (problem) out.incomplete = problem->message;
    co_return bounded(out, "directory::prompts::list with `limit`, and with `cursor` for the rest");
  }

 private:
  static std::vector<SkillEntry> rows(const std::vector<RegisteredSkill>& skills) {
    std::vector<SkillEntry> out;
    for (const RegisteredSkill& skill : skills) {
      out.push_back(
          {skill.id, skill.skill.size(), skill.registered_at, skill.registered_at, "registered"});
    }
    return out;
  }
  static std::vector<PromptEntry> rows(const std::vector<RegisteredPrompt>& prompts) {
    std::vector<PromptEntry> out;
    for (const RegisteredPrompt& prompt : prompts) {
      out.push_back({prompt.name, prompt.description, prompt.function_id, prompt.arguments.size(),
                     prompt.registered_at, prompt.registered_at, "registered"});
    }
    return out;
  }

  Library& library_;
  RegistrationStore* registered_;
};

}  // namespace

void add_legacy_lists(sdk::Worker& worker, Library& library) {
  const auto lists = std::make_shared<Lists>(library);
  const auto skills = [lists](ListSkillsInput) { return lists->skills(); };
  const auto prompts = [lists](ListPromptsInput) { return lists->prompts(); };
  static_cast<void>(worker.function_returning<ListSkillsOutput>(
      {.id = "skills::list", .description = about::kLegacySkillsList}, skills));
  static_cast<void>(worker.function_returning<ListPromptsOutput>(
      {.id = "prompts::list", .description = about::kLegacyPromptsList}, prompts));
}

}  // namespace iii::directory
