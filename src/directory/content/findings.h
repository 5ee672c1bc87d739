// The codes of all findings, one line each, and their severities. Callers compare codes; messages
// may change.
#pragma once

#include <array>
#include <string_view>

#include "directory/content/types.h"

namespace iii::content::findings {

// Where the frontmatter stands (parse).
inline constexpr std::string_view kBom = "bom";  // file begins with a byte order mark
inline constexpr std::string_view kBlankBeforeFence =
    "blank_before_fence";  // empty lines before `---`
inline constexpr std::string_view kCommentBeforeFence =
    "comment_before_fence";                                       // an HTML comment before `---`
inline constexpr std::string_view kFenceBlanks = "fence_blanks";  // blanks after `---`
inline constexpr std::string_view kFenceDots = "fence_dots";      // closed by `...`
inline constexpr std::string_view kFenceLineEnd =
    "fence_line_end";  // CRLF fence, an LF rule further down
inline constexpr std::string_view kFrontmatterEmpty =
    "frontmatter_empty";  // `---` directly after `---`
inline constexpr std::string_view kFrontmatterUnclosed =
    "frontmatter_unclosed";  // no closing fence

// What the frontmatter says (parse).
inline constexpr std::string_view kUnquotedColon = "unquoted_colon";  // `: ` inside a bare value
inline constexpr std::string_view kUnquotedText = "unquoted_text";  // a bare value YAML cannot read
inline constexpr std::string_view kBrokenQuotes =
    "broken_quotes";  // quotes that do not end where they should
inline constexpr std::string_view kTabIndent = "tab_indent";        // a key behind a tab
inline constexpr std::string_view kMissingSpace = "missing_space";  // `key:value`
inline constexpr std::string_view kUnindentedText =
    "unindented_text";  // a description goes on at the margin
inline constexpr std::string_view kStrayLine =
    "stray_line";  // neither `key: value` nor part of one
inline constexpr std::string_view kDuplicateKey = "duplicate_key";  // a key twice; the first counts
inline constexpr std::string_view kListValue = "list_value";        // a list where one text belongs
inline constexpr std::string_view kMapValue = "map_value";  // a mapping where one text belongs
inline constexpr std::string_view kKeyCase = "key_case";    // `Title:`; keys are lower-case
inline constexpr std::string_view kSecondDocument =
    "second_document";  // the block holds two YAML documents
inline constexpr std::string_view kNotMapping = "not_mapping";  // a list or a text instead of keys
inline constexpr std::string_view kYamlTooDeep = "yaml_too_deep";  // nested deeper than the limit
inline constexpr std::string_view kFrontmatterTooLarge =
    "frontmatter_too_large";                                    // block over the limit
inline constexpr std::string_view kYamlSyntax = "yaml_syntax";  // anything else YAML refuses
inline constexpr std::string_view kPermissionUnreadable =
    "permission_unreadable";  // grants nothing
inline constexpr std::string_view kDescriptionCut =
    "description_cut";  // ` #` begins a comment in a bare description
inline constexpr std::string_view kDescriptionStub =
    "description_stub";  // a block indicator (`|`, `>`) instead of a description, or in its text

// The body (parse).
inline constexpr std::string_view kOpenFence = "open_fence";  // a code fence that is not closed
inline constexpr std::string_view kTeaserCut =
    "teaser_cut";  // the first paragraph stands for a description and is too long for one

// Prompts (parse).
inline constexpr std::string_view kPromptNoFrontmatter =
    "prompt_no_frontmatter";  // first paragraph taken
inline constexpr std::string_view kPromptNoDescription =
    "prompt_no_description";  // first paragraph taken
inline constexpr std::string_view kPromptUndescribed =
    "prompt_undescribed";  // nothing says what it is for; not served
inline constexpr std::string_view kPromptReadme =
    "prompt_readme";  // a README beside prompts; not a prompt
inline constexpr std::string_view kPromptTooLarge =
    "prompt_too_large";  // over the limit of what is read; no call returns it

// Ids, names and the merge of roots (walk).
inline constexpr std::string_view kIdNormalised =
    "id_normalised";  // path breaks the id rule; served under another id
inline constexpr std::string_view kNameNormalised =
    "name_normalised";                                        // the same for a prompt's name
inline constexpr std::string_view kInvalidId = "invalid_id";  // path breaks the id rule; not served
inline constexpr std::string_view kInvalidName =
    "invalid_name";  // name breaks the rule; prompt not served
inline constexpr std::string_view kDuplicateId =
    "duplicate_id";  // another file has the id; not served
inline constexpr std::string_view kDuplicateName =
    "duplicate_name";  // another prompt has the name; not served
inline constexpr std::string_view kShadowed = "shadowed";  // hidden by a root of higher precedence
inline constexpr std::string_view kSkillCase =
    "skill_case";  // `skill.md`, `SKILL.markdown`: an overview, but for few readers
inline constexpr std::string_view kNearSkill =
    "near_skill_name";  // `SKLL.md`, `SKILL.md.txt`: not an overview, perhaps meant to be

// What workers registered (functions/joined).
inline constexpr std::string_view kRegisteredHidden =
    "registered_hidden";  // a file, or another registration, has the id
inline constexpr std::string_view kHiddenByFilter =
    "hidden_by_filter";  // documents of a worker that is not installed
inline constexpr std::string_view kRegisteredInvalid =
    "registered_invalid";  // a record in state whose id breaks the rule

// What MCP offers (faces/mcp/skill_findings).
inline constexpr std::string_view kMcpLeftOut =
    "mcp_left_out";  // clients of the Skills extension could not read the skill; not in skills/list

// Files (walk).
inline constexpr std::string_view kTooLarge = "too_large";  // over the size limit
inline constexpr std::string_view kNotUtf8 = "not_utf8";    // bytes that are not UTF-8
inline constexpr std::string_view kNameNotUtf8 =
    "name_not_utf8";  // the path is not UTF-8; not served
inline constexpr std::string_view kEmptyBody =
    "empty_body";  // nothing but line ends after the frontmatter; served as an empty text
inline constexpr std::string_view kUnreadable =
    "unreadable";  // the system refused to open or read it
inline constexpr std::string_view kNotRegular =
    "not_regular";  // a socket, pipe or device called `.md`
inline constexpr std::string_view kOutsideRoot = "outside_root";  // a link that leaves the root
inline constexpr std::string_view kOtherRoot =
    "in_other_root";  // a link into another root, served there
inline constexpr std::string_view kDanglingLink = "dangling_link";  // a link to nothing
inline constexpr std::string_view kLinkCycle = "link_cycle";  // a link to a folder it stands in
inline constexpr std::string_view kTooDeep = "too_deep";      // folders nested beyond the limit
inline constexpr std::string_view kTooManyFiles =
    "too_many_files";  // the limit of files is reached

struct CodeSeverity {
  std::string_view code;
  Severity severity;
};

// error: the file (or what is below the folder) is not served. warning: it is served, but something
// was lost or guessed. info: harmless, or hidden on purpose.
inline constexpr auto kSeverities = std::to_array<CodeSeverity>({
    {kBom, Severity::kInfo},
    {kBlankBeforeFence, Severity::kWarning},
    {kCommentBeforeFence, Severity::kWarning},
    {kFenceBlanks, Severity::kWarning},
    {kFenceDots, Severity::kWarning},
    {kFenceLineEnd, Severity::kWarning},
    {kFrontmatterEmpty, Severity::kInfo},
    {kFrontmatterUnclosed, Severity::kWarning},
    {kUnquotedColon, Severity::kWarning},
    {kUnquotedText, Severity::kWarning},
    {kBrokenQuotes, Severity::kWarning},
    {kTabIndent, Severity::kWarning},
    {kMissingSpace, Severity::kWarning},
    {kUnindentedText, Severity::kWarning},
    {kStrayLine, Severity::kWarning},
    {kDuplicateKey, Severity::kWarning},
    {kListValue, Severity::kWarning},
    {kMapValue, Severity::kWarning},
    {kKeyCase, Severity::kInfo},
    {kSecondDocument, Severity::kWarning},
    {kNotMapping, Severity::kWarning},
    {kYamlTooDeep, Severity::kWarning},
    {kFrontmatterTooLarge, Severity::kWarning},
    {kYamlSyntax, Severity::kWarning},
    {kPermissionUnreadable, Severity::kWarning},
    {kDescriptionCut, Severity::kWarning},
    {kDescriptionStub, Severity::kWarning},
    {kOpenFence, Severity::kInfo},
    {kTeaserCut, Severity::kInfo},
    {kPromptNoFrontmatter, Severity::kInfo},
    {kPromptNoDescription, Severity::kWarning},
    {kPromptUndescribed, Severity::kError},
    {kPromptReadme, Severity::kInfo},
    {kPromptTooLarge, Severity::kError},
    {kIdNormalised, Severity::kInfo},
    {kNameNormalised, Severity::kInfo},
    {kInvalidId, Severity::kError},
    {kInvalidName, Severity::kError},
    {kDuplicateId, Severity::kError},
    {kDuplicateName, Severity::kError},
    {kShadowed, Severity::kInfo},
    {kSkillCase, Severity::kInfo},
    {kNearSkill, Severity::kWarning},
    {kRegisteredHidden, Severity::kWarning},
    {kHiddenByFilter, Severity::kWarning},
    {kRegisteredInvalid, Severity::kError},
    {kMcpLeftOut, Severity::kInfo},
    {kTooLarge, Severity::kWarning},
    {kNotUtf8, Severity::kError},
    {kNameNotUtf8, Severity::kError},
    {kEmptyBody, Severity::kInfo},
    {kUnreadable, Severity::kError},
    {kNotRegular, Severity::kInfo},
    {kOutsideRoot, Severity::kError},
    {kOtherRoot, Severity::kInfo},
    {kDanglingLink, Severity::kInfo},
    {kLinkCycle, Severity::kInfo},
    {kTooDeep, Severity::kError},
    {kTooManyFiles, Severity::kError},
});

constexpr Severity severity_of(std::string_view code) {
  for (const CodeSeverity& each : kSeverities) {
    if (each.code == code) return each.severity;
  }
  return Severity::kWarning;  // every code has a row; a test compares
}

}  // namespace iii::content::findings
