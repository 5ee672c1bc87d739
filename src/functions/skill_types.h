// What directory::skills::* takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/describe.h"

namespace iii::directory {

// `origin` of what is no file.
inline constexpr const char* kRegisteredOrigin = "registered";
inline constexpr const char* kOriginHelp =
    "`registered`: a worker registered it at run time. Absent: it is a file.";

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
};

struct IndexSkillsInput {};
struct IndexSkillsOutput {
  std::string body;
  uint64_t workers_count = 0;
};

inline auto describe(json::Type<ListSkillsInput>) {
  using T = ListSkillsInput;
  return json::object<T>(
      "ListSkillsInput", "",
      json::field("search", &T::search,
                  "Text to find in id, title or description; letter case does not matter.")
          .null_default(),
      json::field("prefix", &T::prefix, "What ids must start with, for example `database/`.")
          .null_default(),
      json::field("type", &T::type, "Only documents of this frontmatter type.").null_default(),
      json::field("include_description", &T::include_description,
                  "False leaves descriptions empty; they are searched all the same.")
          .null_default(),
      json::field("limit", &T::limit, "Most rows to return; all when absent.").null_default(),
      json::field("cursor", &T::cursor, "`next_cursor` of the answer before.").null_default());
}

inline auto describe(json::Type<SkillEntry>) {
  using T = SkillEntry;
  return json::object<T>(
      "SkillEntry", "", json::field("id", &T::id, "Pass it to directory::skills::get."),
      json::field("title", &T::title, ""),
      json::field("type", &T::type, "`index`, `how-to`, `reference`, or none.").nullable(),
      json::field("function_id", &T::function_id, "The function it describes.").nullable(),
      json::field("description", &T::description, ""),
      json::field("bytes", &T::bytes, "Size of the file.").as("usize", "uint"),
      json::field("modified_at", &T::modified_at, "UTC."),
      json::field("origin", &T::origin, kOriginHelp));
}

inline auto describe(json::Type<ListSkillsOutput>) {
  using T = ListSkillsOutput;
  return json::object<T>(
      "ListSkillsOutput", "", json::field("skills", &T::skills, ""),
      json::field("next_cursor", &T::next_cursor, "There is more: call again with it."));
}

inline auto describe(json::Type<SkillGetInput>) {
  using T = SkillGetInput;
  return json::object<T>(
      "SkillGetInput", "",
      json::field("id", &T::id,
                  "A skill's id. `ns`, `ns/index`, `ns/SKILL.md` and `iii://ns` mean the same."),
      json::field("ids", &T::ids, "Several at once, instead of `id`."),
      json::field("include_description", &T::include_description,
                  "True adds the description to the answer."));
}

inline auto describe(json::Type<SkillGetOutput>) {
  using T = SkillGetOutput;
  return json::object<T>("SkillGetOutput", "", json::field("id", &T::id, ""),
                         json::field("title", &T::title, ""),
                         json::field("type", &T::type, "").nullable(),
                         json::field("function_id", &T::function_id, "").nullable(),
                         json::field("description", &T::description, "Only when asked for."),
                         json::field("body", &T::body, "The text without its frontmatter."),
                         json::field("modified_at", &T::modified_at, "UTC."),
                         json::field("origin", &T::origin, kOriginHelp));
}

inline auto describe(json::Type<IndexSkillsInput>) {
  return json::object<IndexSkillsInput>("IndexSkillsInput", "");
}

inline auto describe(json::Type<IndexSkillsOutput>) {
  using T = IndexSkillsOutput;
  return json::object<T>("IndexSkillsOutput", "",
                         json::field("body", &T::body, "Markdown: one section per worker."),
                         json::field("workers_count", &T::workers_count, "").as("usize", "uint"));
}

}  // namespace iii::directory
