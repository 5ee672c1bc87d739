// What directory::skills::* takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "functions/risks.h"
#include "json/describe.h"

namespace iii::directory {

// `origin` of what is not a file.
inline constexpr const char* kRegisteredOrigin = "registered";
inline constexpr const char* kOriginHelp =
    "`registered` when a worker registered it at run time; absent for files.";

struct ListSkillsInput {
  std::optional<std::string> search;
  std::optional<std::string> prefix;
  std::optional<std::string> type;
  std::optional<bool> include_description;
  std::optional<uint64_t> limit;
  std::optional<std::string> cursor;
};
struct SkillEntry {
  std::string id;
  std::string title;
  std::optional<std::string> type;
  std::optional<std::string> function_id;
  std::string description;
  uint64_t bytes = 0;
  std::string modified_at;
  std::optional<std::string> origin;
};
struct ListSkillsOutput {
  std::vector<SkillEntry> skills;
  std::optional<std::string> next_cursor;
};

struct SkillGetInput {
  std::optional<std::string> id;
  std::optional<std::vector<std::string>> ids;
  std::optional<bool> include_description;
  std::optional<bool> risks;
};
struct SkillGetOutput {
  std::string id;
  std::string title;
  std::optional<std::string> type;
  std::optional<std::string> function_id;
  std::optional<std::string> description;
  std::string body;
  std::string modified_at;
  std::optional<std::string> origin;
  std::optional<std::vector<RiskRow>> risks = {};
};

struct IndexSkillsInput {};
struct IndexSkillsOutput {
  std::string body;
  uint64_t workers_count = 0;
};

inline constexpr const char* kLimitHelp = "Most rows to return, at least 1. All when absent.";
inline constexpr const char* kCursorHelp =
    "`next_cursor` of the previous answer, with the same filters. First page when absent.";
inline constexpr const char* kNextCursorHelp =
    "There are more rows: pass it as `cursor`. Absent on the last page.";
inline constexpr const char* kTitleHelp =
    "Frontmatter `title:`, else the first `# ` heading of the body, else the id.";
inline constexpr const char* kTypeHelp =
    "Frontmatter `type:`, for example `index`, `how-to` or `reference`; null without one.";
inline constexpr const char* kFunctionIdHelp =
    "Frontmatter `function_id:`: the function that this skill documents, for example "
    "`sandbox::create`. This is what to pass to agent_trigger; `id` is the address of the "
    "document. "
    "null when the skill is not about exactly one function.";

inline auto describe(json::Type<ListSkillsInput>) {
  using T = ListSkillsInput;
  return json::object<T>(
      "ListSkillsInput", "",
      json::field("search", &T::search,
                  "Text that id, title or description must contain, ignoring case. Descriptions "
                  "are searched with `include_description: false`, too.")
          .null_default(),
      json::field("prefix", &T::prefix,
                  "Text that the id must start with, exactly. Ids of a worker start with its name "
                  "and `/` (`sandbox/`), its overview included. Combine with `search` to search "
                  "one worker.")
          .null_default(),
      json::field("type", &T::type,
                  "Frontmatter `type:` that rows must have, exactly: `index`, `how-to`, "
                  "`reference`, ... Rows without a type never match.")
          .null_default(),
      json::field("include_description", &T::include_description,
                  "false leaves `description` empty in every row, for callers that need id, title "
                  "and type only. Default true.")
          .null_default(),
      json::field("limit", &T::limit, kLimitHelp).null_default(),
      json::field("cursor", &T::cursor, kCursorHelp).null_default());
}

inline auto describe(json::Type<SkillEntry>) {
  using T = SkillEntry;
  return json::object<T>(
      "SkillEntry", "",
      json::field("id", &T::id, "Address of the document; pass it to directory::skills::get."),
      json::field("title", &T::title, kTitleHelp),
      json::field("type", &T::type, kTypeHelp).nullable(),
      json::field("function_id", &T::function_id, kFunctionIdHelp).nullable(),
      json::field("description", &T::description,
                  "Frontmatter `description:`, else the first paragraph of the body. Empty when "
                  "there is none, or with `include_description: false`."),
      json::field("bytes", &T::bytes, "Size of the file.").as("usize", "uint"),
      json::field("modified_at", &T::modified_at,
                  "When the file was modified, RFC 3339 in UTC; empty if not known."),
      json::field("origin", &T::origin, kOriginHelp));
}

inline auto describe(json::Type<ListSkillsOutput>) {
  using T = ListSkillsOutput;
  return json::object<T>("ListSkillsOutput", "",
                         json::field("skills", &T::skills, "One row per skill, by id."),
                         json::field("next_cursor", &T::next_cursor, kNextCursorHelp));
}

inline auto describe(json::Type<SkillGetInput>) {
  using T = SkillGetInput;
  return json::object<T>(
      "SkillGetInput", "`id` or `ids` is required.",
      json::field("id", &T::id,
                  "Id as directory::skills::list returns it (`directory/skills/list`), or a bare "
                  "worker name for its overview. `<id>.md` and `iii://<id>` are accepted, other "
                  "URI schemes are refused; `SKILL.md` and `SKILLS.md` mean `index.md`. Required "
                  "without `ids`."),
      json::field("ids", &T::ids, "Several ids in one call, at most 100, instead of `id`."),
      json::field("include_description", &T::include_description,
                  "true adds `description` to the answer. Default false."),
      json::field("risks", &T::risks,
                  "true adds `risks`: what to look at before following the document. Default "
                  "false."));
}

inline auto describe(json::Type<SkillGetOutput>) {
  using T = SkillGetOutput;
  return json::object<T>(
      "SkillGetOutput", "",
      json::field("id", &T::id, "Id of the document, as directory::skills::list shows it."),
      json::field("title", &T::title, kTitleHelp),
      json::field("type", &T::type, kTypeHelp).nullable(),
      json::field("function_id", &T::function_id, kFunctionIdHelp).nullable(),
      json::field("description", &T::description,
                  "Only with `include_description: true`: frontmatter `description:`, else the "
                  "first paragraph, which `body` contains as well."),
      json::field("body", &T::body,
                  "The markdown after the frontmatter, unchanged. If the document was found by a "
                  "part of a worker's name, a note comes first."),
      json::field("modified_at", &T::modified_at,
                  "When the file was modified, RFC 3339 in UTC; empty for compiled-in pages."),
      json::field("origin", &T::origin, kOriginHelp),
      json::field("risks", &T::risks,
                  "Only with `risks: true`: patterns in the file that a reader should look at, the "
                  "worst first, at most 50. Empty means that nothing was recognised, not that the "
                  "document can be trusted."));
}

inline auto describe(json::Type<IndexSkillsInput>) {
  return json::object<IndexSkillsInput>("IndexSkillsInput", "");
}

inline auto describe(json::Type<IndexSkillsOutput>) {
  using T = IndexSkillsOutput;
  return json::object<T>(
      "IndexSkillsOutput", "",
      json::field("body", &T::body,
                  "Markdown: a `## <title>` section per installed worker with the first paragraph "
                  "of its overview and the directory::skills::get call that reads all of it. "
                  "Ordered by id."),
      json::field("workers_count", &T::workers_count,
                  "Number of sections, so that the body need not be parsed to know it.")
          .as("usize", "uint"));
}

}  // namespace iii::directory
