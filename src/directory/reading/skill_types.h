// What directory::skills::* takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "directory/reading/doctor_report.h"
#include "directory/reading/risks.h"
#include "directory/reading/skill_row.h"
#include "directory/table/limits.h"
#include "foundation/json/describe.h"

namespace iii::directory {

struct ListSkillsInput {
  std::optional<std::string> search;
  std::optional<std::string> prefix;
  std::optional<std::string> type;
  std::optional<json::Raw> kind;
  std::optional<bool> include_description;
  std::optional<bool> include_user_only;
  std::optional<uint64_t> limit;
  std::optional<std::string> cursor;
};
struct ListSkillsOutput {
  std::vector<ListedSkill> skills;
  std::optional<std::string> next_cursor;
};

struct SkillGetInput {
  std::optional<std::string> id;
  std::optional<std::vector<std::string>> ids;
  std::optional<std::string> from;
  std::optional<bool> include_description;
  std::optional<bool> include_files;
  std::optional<uint64_t> offset;
  std::optional<uint64_t> limit;
  std::optional<bool> risks;
};
struct SkillFileEntry {
  std::string path;
  uint64_t size = 0;
  std::optional<std::string> sha256;
  std::string kind;
};
// A function that a skill names.
struct SkillFunction {
  std::string function_id;
  std::string state;
};
struct InspectRoot {
  std::string root;
  std::string folder;
  std::string role;
  std::optional<std::string> path = {};
};
struct InspectLock {
  std::string name_space;
  json::Raw source;
  std::string resolved;
  std::string state;
  std::string written;
};
struct InspectTokens {
  uint64_t index = 0;
  uint64_t body = 0;
};
// One document with its text.
struct SkillDocument : SkillRow {
  std::string body = {};
  std::optional<std::vector<RiskRow>> risks = {};
  std::optional<std::vector<SkillFunction>> functions = {};
  // A part of the body, and the files beside it (get).
  std::optional<uint64_t> offset = {};
  std::optional<uint64_t> bytes_total = {};
  std::optional<uint64_t> next_offset = {};
  std::optional<std::string> more = {};
  std::optional<std::vector<SkillFileEntry>> files = {};
  std::optional<uint64_t> files_total = {};
  // The file, and what is to say about it (inspect).
  uint64_t generation = 0;
  std::optional<uint64_t> since_generation = {};
  bool served = false;
  json::Raw tree{"[]"};
  std::optional<bool> tree_cut = {};
  std::optional<std::string> source = {};
  std::optional<bool> source_cut = {};
  std::optional<std::string> digest = {};
  std::vector<InspectRoot> chain = {};
  std::optional<InspectLock> lock = {};
  std::vector<DoctorFinding> findings = {};
  InspectTokens tokens = {};
  std::vector<std::string> related = {};
};
// As directory::skills::get and ::inspect show it.
struct GotSkill : SkillDocument {};
struct InspectedSkill : SkillDocument {};

struct SkillFileInput {
  std::string id;
  std::string path;
  std::optional<uint64_t> offset;
  std::optional<uint64_t> limit;
};
struct SkillFileOutput {
  std::string id;
  std::string path;
  std::string kind;
  uint64_t bytes_total = 0;
  std::string encoding;
  std::string content;
  uint64_t offset = 0;
  std::optional<uint64_t> next_offset;
  std::optional<std::string> sha256;
};

struct IndexSkillsInput {
  std::optional<std::string> prefix;
  std::optional<json::Raw> kind;
  std::optional<bool> include_user_only;
  std::optional<std::string> task;
  std::optional<uint64_t> budget_tokens;
};
struct IndexSkillsOutput {
  std::string body;
  uint64_t workers_count = 0;
};

inline auto describe(json::Type<ListSkillsInput>) {
  using T = ListSkillsInput;
  return json::object<T>(
      "ListSkillsInput", "",
      json::field("search", &T::search,
                  "Text that id, title or description must contain, ignoring case; frontmatter "
                  "`name:` and an unusual path are searched, too. Descriptions are searched with "
                  "`include_description: false`, too.")
          .null_default()
          .length(kMaxSearchLength),
      json::field("prefix", &T::prefix,
                  "Text that the id must start with, exactly. Ids of a worker start with its name "
                  "and `/` (`sandbox/`), its overview included. Combine with `search` to search "
                  "one worker.")
          .null_default(),
      json::field("type", &T::type,
                  "Frontmatter `type:` that rows must have, exactly: `index`, `how-to`, "
                  "`reference`, ... Rows without a type never match.")
          .null_default(),
      json::field("kind", &T::kind, kKindFilterHelp).null_default(),
      json::field("include_user_only", &T::include_user_only, kIncludeUserOnlyHelp).null_default(),
      json::field("include_description", &T::include_description,
                  "false leaves `description` empty in every row, for callers that need id, title "
                  "and type only. Default true.")
          .null_default(),
      json::field("limit", &T::limit, kLimitHelp).null_default(),
      json::field("cursor", &T::cursor, kCursorHelp).null_default());
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
                  "URI schemes are refused; `SKILL.md` and `SKILLS.md` mean `index.md`. Paths of "
                  "files and folders of skills work, too. Required without `ids`.")
          .length(json::kAnyLength),  // D111 says what is wrong with a long one
      json::field("ids", &T::ids, "Several ids in one call, at most 100, instead of `id`.")
          .length(json::kAnyLength),
      json::field(
          "from", &T::from,
          "Id or path of the document that contains the link: `id` is then first looked for "
          "relative to it (`./a.md`, `../b/c.md`, `references/a.md#part`)."),
      json::field("include_description", &T::include_description,
                  "false leaves `description` empty. Default true."),
      json::field("include_files", &T::include_files,
                  "Whether `files` of a SKILL.md are listed. Default true with `id`, false with "
                  "`ids`."),
      json::field("offset", &T::offset,
                  "First byte of the body to return, for bodies that are read in parts. Only with "
                  "`id`. Default 0."),
      json::field("limit", &T::limit,
                  "Most bytes of the body to return, at most 1048576. Only with `id`. All when "
                  "absent, unless the file is too large: then its first 262144 bytes."),
      json::field("risks", &T::risks,
                  "true adds `risks`: what to look at before following the document. Default "
                  "false."));
}

inline auto describe(json::Type<SkillFileEntry>) {
  using T = SkillFileEntry;
  return json::object<T>(
      "SkillFileEntry", "",
      json::field("path", &T::path,
                  "Path relative to the folder of the skill; pass it to directory::skills::file."),
      json::field("size", &T::size, "Size in bytes."),
      json::field("sha256", &T::sha256,
                  "SHA-256 of the bytes, in hex; absent when the file is too large to be hashed."),
      json::field("kind", &T::kind, "`document` (markdown), `script` or `asset`."));
}

inline auto describe(json::Type<SkillFunction>) {
  using T = SkillFunction;
  return json::object<T>(
      "SkillFunction", "", json::field("function_id", &T::function_id, "Id of the function."),
      json::field("state", &T::state,
                  "`callable`: it can be called now; `installable`: its worker is in the registry "
                  "and not here; `missing`: nobody offers it; `unknown`: the engine could not be "
                  "asked."));
}

inline auto describe(json::Type<GotSkill>) {
  using T = SkillDocument;
  return json::object<GotSkill>(
      "SkillGetOutput", "",
      json::field("id", &T::id, "Id of the document, as directory::skills::list shows it."),
      json::field("title", &T::title, kTitleHelp),
      json::field("type", &T::type, kTypeHelp).nullable(),
      json::field("function_id", &T::function_id, kFunctionIdHelp).nullable(),
      json::field("description", &T::description,
                  "Frontmatter `description:`, else the first paragraph of the body. Empty when "
                  "there is none, or with `include_description: false`.")
          .optional(),
      json::field("body", &T::body,
                  "The markdown after the frontmatter, unchanged. If the document was found by a "
                  "part of a worker's name, a note comes first."),
      json::field("modified_at", &T::modified_at,
                  "When the file was modified, RFC 3339 in UTC; empty for compiled-in pages."),
      json::field("kind", &T::kind, kKindHelp).optional(), json::field("name", &T::name, kNameHelp),
      json::field("path", &T::path, kPathHelp),
      json::field("user_only", &T::user_only, kUserOnlyHelp),
      json::field("origin", &T::origin, kOriginHelp),
      json::field("offset", &T::offset,
                  "Where `body` begins in the whole body, in bytes. Only when it is a part, or "
                  "`offset` or `limit` was given; so are the next two."),
      json::field("bytes_total", &T::bytes_total, "Bytes of the whole body."),
      json::field("next_offset", &T::next_offset,
                  "`offset` of the part that follows; absent in the last part."),
      json::field("more", &T::more, "How to read the part that follows; absent in the last part."),
      json::field("files", &T::files,
                  "The other files in the folder of a SKILL.md (scripts, references, assets), "
                  "those of nested skills left out, by path; at most 200. Read one with "
                  "directory::skills::file."),
      json::field("files_total", &T::files_total,
                  "How many files there are, when `files` does not name all of them."),
      json::field("risks", &T::risks,
                  "Only with `risks: true`: patterns in the file that a reader should look at, the "
                  "worst first, at most 50. Empty means that nothing was recognised, not that the "
                  "document can be trusted."),
      json::field("functions", &T::functions,
                  "Functions that the skill names (`function_id` and `requires` in its "
                  "frontmatter), and whether they can be called. Absent when it names none, and "
                  "with `ids`."));
}

inline auto describe(json::Type<SkillFileInput>) {
  using T = SkillFileInput;
  return json::object<T>(
      "SkillFileInput", "",
      json::field("id", &T::id,
                  "Skill whose file is read, as for directory::skills::get. Required."),
      json::field("path", &T::path,
                  "Path of the file relative to the folder of the skill, as `files` of "
                  "directory::skills::get shows it. Required.")
          .length(kMaxPathLength),
      json::field("offset", &T::offset, "First byte to return. Default 0."),
      json::field("limit", &T::limit, "Most bytes to return, at most 1048576. Default 262144."));
}

inline auto describe(json::Type<SkillFileOutput>) {
  using T = SkillFileOutput;
  return json::object<T>(
      "SkillFileOutput", "",
      json::field("id", &T::id, "Id of the skill, as directory::skills::list shows it."),
      json::field("path", &T::path, "Path relative to the folder of the skill."),
      json::field("kind", &T::kind, "`document` (markdown), `script` or `asset`."),
      json::field("bytes_total", &T::bytes_total, "Size of the whole file in bytes."),
      json::field("encoding", &T::encoding,
                  "How `content` is written: `utf-8`, or `base64` when the bytes are not UTF-8 "
                  "text."),
      json::field("content", &T::content, "The bytes, as text or in base64."),
      json::field("offset", &T::offset, "Where `content` begins in the file, in bytes."),
      json::field("next_offset", &T::next_offset,
                  "`offset` of the part that follows; absent in the last part."),
      json::field("sha256", &T::sha256,
                  "SHA-256 of the file, in hex; only when `content` is all of it."));
}

inline auto describe(json::Type<IndexSkillsInput>) {
  using T = IndexSkillsInput;
  return json::object<T>(
      "IndexSkillsInput", "",
      json::field("prefix", &T::prefix,
                  "Only skills whose id starts with this text, at any depth: `anthropic-skills/` "
                  "for all skills of that repository.")
          .null_default(),
      json::field("kind", &T::kind, kKindFilterHelp).null_default(),
      json::field("include_user_only", &T::include_user_only, kIncludeUserOnlyHelp).null_default(),
      json::field(
          "task", &T::task,
          "What is to be done, in a few words: only skills that fit are listed, best first, "
          "one line each. Not more than 1500 tokens unless `budget_tokens` says so.")
          .null_default()
          .length(json::kAnyLength),  // D130
      json::field(
          "budget_tokens", &T::budget_tokens,
          "Most tokens that the answer may cost, at least 150. One line per skill; the page "
          "ends with how many were left out and the call that shows them.")
          .null_default());
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
