// One document as a row of an answer. There is one such type; each function shows some of its
// fields (the types at the end), so that a document is the same wherever it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "directory/library/view.h"
#include "foundation/json/describe.h"

namespace iii::directory {

// `origin` of what is not a file.
inline constexpr const char* kRegisteredOrigin = "registered";
inline constexpr const char* kOriginHelp =
    "`registered` when a worker registered it at run time; absent for files.";

// Why a row was found: one word of the query.
struct SearchReason {
  std::string word;
  std::string found;
  std::string how;
  std::vector<std::string> fields;
};
struct SearchSnippet {
  std::string text;
  std::vector<std::vector<uint64_t>> highlights;
};

struct SkillRow {
  std::string id;
  std::string title;
  std::optional<std::string> type = {};
  std::optional<std::string> function_id = {};
  std::string description;
  uint64_t bytes = 0;
  std::string modified_at;
  std::string kind;
  std::optional<std::string> name = {};
  std::optional<std::string> path = {};
  std::optional<bool> user_only = {};
  std::optional<std::string> origin = {};
  // Where it stands, and whether it is served (browse).
  std::string root = {};
  std::string state = {};
  std::string name_space = {};
  std::optional<std::string> code = {};
  std::optional<std::string> reason = {};
  std::optional<std::string> by = {};
  // Why it was found (search).
  uint64_t rank = 0;
  double score = 0;
  std::optional<std::vector<SearchReason>> why = {};
  std::optional<SearchSnippet> snippet = {};
};
// What every function says about a document that is served.
SkillRow skill_row(const View& view, const content::Skill& skill);
// A row of the table, also of what is not served. The description is cut.
SkillRow table_row(const View& view, const DocumentRow& row);
inline constexpr size_t kShownCharacters = 400;  // of a description in browse and search

// Rows as directory::skills::list, ::search, directory::search_functions and
// directory::skills::browse show them.
struct ListedSkill : SkillRow {};
struct FoundSkill : SkillRow {};
struct SuggestedSkill : SkillRow {};
struct BrowsedSkill : SkillRow {};

inline constexpr const char* kLimitHelp = "Most rows to return, at least 1. All when absent.";
inline constexpr const char* kCursorHelp =
    "`next_cursor` of the previous answer, with the same filters. First page when absent.";
inline constexpr const char* kNextCursorHelp =
    "There are more rows: pass it as `cursor`. Absent on the last page.";
inline constexpr const char* kTitleHelp =
    "Frontmatter `title:`, else the first `# ` heading of the body, else the id.";
inline constexpr const char* kKindHelp =
    "What the document is: `skill` (a SKILL.md, or a document that stands for itself), `reference` "
    "(another document in the folder of a skill), or `readme` (README, AGENTS, LICENSE and the "
    "like).";
inline constexpr const char* kKindFilterHelp =
    "Only rows of this kind: `skill`, `reference` or `readme`, or a list of them.";
inline constexpr const char* kNameHelp =
    "Frontmatter `name:`, where it is not the last part of the id.";
inline constexpr const char* kPathHelp =
    "Path of the file below its folder, where the id was made from a path with other characters "
    "(`C++/My Notes.md`). directory::skills::get accepts it as an id.";
inline constexpr const char* kUserOnlyHelp =
    "true for a skill that its author keeps for users (`disable-model-invocation`): use it only "
    "when the user asks for it. Absent otherwise.";
inline constexpr const char* kIncludeUserOnlyHelp =
    "true adds skills that their author keeps for users (`disable-model-invocation`). Default "
    "false.";
inline constexpr const char* kTypeHelp =
    "Frontmatter `type:`, for example `index`, `how-to` or `reference`; null without one.";
inline constexpr const char* kFunctionIdHelp =
    "Frontmatter `function_id:`: the function that this skill documents, for example "
    "`sandbox::create`. This is what to pass to agent_trigger; `id` is the address of the "
    "document. "
    "null when the skill is not about exactly one function.";

inline auto describe(json::Type<SearchReason>) {
  using T = SearchReason;
  return json::object<T>(
      "SearchReason", "A word of the query that the row has.",
      json::field("word", &T::word, "Word of the query."),
      json::field("found", &T::found, "What the row has, reduced to its stem."),
      json::field("how", &T::how,
                  "`same`, `synonym`, `similar` (another spelling) or `prefix` (its beginning)."),
      json::field("fields", &T::fields,
                  "Where it was found: `name`, `title`, `description`, `details` or `body`."));
}
inline auto describe(json::Type<SearchSnippet>) {
  using T = SearchSnippet;
  return json::object<T>(
      "SearchSnippet", "The part of the text that shows best why it was found.",
      json::field("text", &T::text, "One line; `…` where something was left out."),
      json::field("highlights", &T::highlights,
                  "Pairs of begin and end of the words found, in bytes of `text`."));
}
inline auto describe(json::Type<ListedSkill>) {
  using T = SkillRow;
  return json::object<ListedSkill>(
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
      json::field("kind", &T::kind, kKindHelp).optional(), json::field("name", &T::name, kNameHelp),
      json::field("path", &T::path, kPathHelp),
      json::field("user_only", &T::user_only, kUserOnlyHelp),
      json::field("origin", &T::origin, kOriginHelp));
}

inline auto describe(json::Type<FoundSkill>) {
  using T = SkillRow;
  return json::object<FoundSkill>(
      "FoundSkill", "", json::field("rank", &T::rank, "1 for the best row."),
      json::field("id", &T::id, "Address of the document; pass it to directory::skills::get."),
      json::field("title", &T::title, kTitleHelp),
      json::field("description", &T::description,
                  "What it is for, as in directory::skills::list; empty where the budget left no "
                  "room."),
      json::field("type", &T::type, kTypeHelp).nullable(),
      json::field("function_id", &T::function_id, kFunctionIdHelp).nullable(),
      json::field("kind", &T::kind, kKindHelp),
      json::field("user_only", &T::user_only, kUserOnlyHelp),
      json::field("score", &T::score, "How well it fits, 0 to 1; for comparing rows."),
      json::field("why", &T::why,
                  "Which words of the query were found, and where. Empty when the meaning alone "
                  "fits; absent where the budget left no room."),
      json::field("snippet", &T::snippet, "Absent where the budget left no room."));
}
inline auto describe(json::Type<SuggestedSkill>) {
  using T = SkillRow;
  return json::object<SuggestedSkill>(
      "SuggestedSkill", "",
      json::field("id", &T::id, "Id of the skill; pass it to directory::skills::get."),
      json::field("title", &T::title, kTitleHelp),
      json::field("description", &T::description, "First sentence of its description."),
      json::field("rank", &T::rank, "1 for the best."));
}
inline auto describe(json::Type<BrowsedSkill>) {
  using T = SkillRow;
  return json::object<BrowsedSkill>(
      "BrowseRow", "",
      json::field("id", &T::id,
                  "Id to pass to directory::skills::get. Of a document that is not served: the id "
                  "it would have, or `root:path` where another document has that; "
                  "directory::skills::explain takes all of these."),
      json::field("title", &T::title, "Title of the document; the id when it has none."),
      json::field("description", &T::description,
                  "At most 400 characters; empty for what is not served."),
      json::field("type", &T::type, "Frontmatter `type:`, or `none`."),
      json::field("root", &T::root,
                  "Folder: `local`, `global`, `extra-N`, `builtin` or `registered`."),
      json::field("state", &T::state,
                  "`served`, `finding`, `missing`, `filtered` or `shadowed`; see the input."),
      json::field("namespace", &T::name_space, "First part of the id."),
      json::field("path", &T::path, "Path below its folder."),
      json::field("bytes", &T::bytes, "Size of the file; 0 when it is not known."),
      json::field("modified_at", &T::modified_at, "Time of the file; empty when it is not known."),
      json::field("kind", &T::kind, "`skill`, `reference`, `readme`, `prompt` or `folder`."),
      json::field("function_id", &T::function_id, "The function that the document is about."),
      json::field("user_only", &T::user_only, "true: left out of lists for agents."),
      json::field("code", &T::code, "The worst finding about the file, as in directory::doctor."),
      json::field("reason", &T::reason, "What that finding says."),
      json::field("by", &T::by, "`meaning`: no row has the words, this one fits by meaning."));
}
}  // namespace iii::directory
