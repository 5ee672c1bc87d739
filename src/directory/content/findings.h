// The codes of all findings with their severities. Callers compare codes; messages may change.
#pragma once

#include <string_view>

#include "directory/content/types.h"

namespace iii::content::findings {

// error: the file (or what is below the folder) is not served. warning: it is served, but something
// was lost or guessed. info: harmless, or hidden on purpose.
struct Code {
  std::string_view text;
  Severity severity = Severity::kInfo;

  constexpr operator std::string_view() const { return text; }
  constexpr bool operator==(const Code& other) const { return text == other.text; }
  friend constexpr bool operator==(const Code& code, std::string_view other) {
    return code.text == other;
  }
};

// Where the frontmatter stands (parse).
// File begins with a byte order mark.
inline constexpr Code kBom{"bom", Severity::kInfo};
// Empty lines before `---`.
inline constexpr Code kBlankBeforeFence{"blank_before_fence", Severity::kWarning};
// An HTML comment before `---`.
inline constexpr Code kCommentBeforeFence{"comment_before_fence", Severity::kWarning};
// Blanks after `---`.
inline constexpr Code kFenceBlanks{"fence_blanks", Severity::kWarning};
// Closed by `...`.
inline constexpr Code kFenceDots{"fence_dots", Severity::kWarning};
// CRLF fence, an LF rule further down.
inline constexpr Code kFenceLineEnd{"fence_line_end", Severity::kWarning};
// `---` directly after `---`.
inline constexpr Code kFrontmatterEmpty{"frontmatter_empty", Severity::kInfo};
// No closing fence What the frontmatter says (parse).
inline constexpr Code kFrontmatterUnclosed{"frontmatter_unclosed", Severity::kWarning};
// `: ` inside a bare value.
inline constexpr Code kUnquotedColon{"unquoted_colon", Severity::kWarning};
// A bare value YAML cannot read.
inline constexpr Code kUnquotedText{"unquoted_text", Severity::kWarning};
// Quotes that do not end where they should.
inline constexpr Code kBrokenQuotes{"broken_quotes", Severity::kWarning};
// A key behind a tab.
inline constexpr Code kTabIndent{"tab_indent", Severity::kWarning};
// `key:value`.
inline constexpr Code kMissingSpace{"missing_space", Severity::kWarning};
// A description goes on at the margin.
inline constexpr Code kUnindentedText{"unindented_text", Severity::kWarning};
// Neither `key: value` nor part of one.
inline constexpr Code kStrayLine{"stray_line", Severity::kWarning};
// A key twice; the first counts.
inline constexpr Code kDuplicateKey{"duplicate_key", Severity::kWarning};
// A list where one text belongs.
inline constexpr Code kListValue{"list_value", Severity::kWarning};
// A mapping where one text belongs.
inline constexpr Code kMapValue{"map_value", Severity::kWarning};
// `Title:`; keys are lower-case.
inline constexpr Code kKeyCase{"key_case", Severity::kInfo};
// The block holds two YAML documents.
inline constexpr Code kSecondDocument{"second_document", Severity::kWarning};
// A list or a text instead of keys.
inline constexpr Code kNotMapping{"not_mapping", Severity::kWarning};
// Nested deeper than the limit.
inline constexpr Code kYamlTooDeep{"yaml_too_deep", Severity::kWarning};
// Block over the limit.
inline constexpr Code kFrontmatterTooLarge{"frontmatter_too_large", Severity::kWarning};
// Anything else YAML refuses.
inline constexpr Code kYamlSyntax{"yaml_syntax", Severity::kWarning};
// Grants nothing.
inline constexpr Code kPermissionUnreadable{"permission_unreadable", Severity::kWarning};
// ` #` begins a comment in a bare description.
inline constexpr Code kDescriptionCut{"description_cut", Severity::kWarning};
// A block indicator (`|`, `>`) instead of a description, or in its text The body (parse).
inline constexpr Code kDescriptionStub{"description_stub", Severity::kWarning};
// A code fence that is not closed.
inline constexpr Code kOpenFence{"open_fence", Severity::kInfo};
// The first paragraph stands for a description and is too long for one Prompts (parse).
inline constexpr Code kTeaserCut{"teaser_cut", Severity::kInfo};
// First paragraph taken.
inline constexpr Code kPromptNoFrontmatter{"prompt_no_frontmatter", Severity::kInfo};
// First paragraph taken.
inline constexpr Code kPromptNoDescription{"prompt_no_description", Severity::kWarning};
// Nothing says what it is for; not served.
inline constexpr Code kPromptUndescribed{"prompt_undescribed", Severity::kError};
// A README beside prompts; not a prompt.
inline constexpr Code kPromptReadme{"prompt_readme", Severity::kInfo};
// Over the limit of what is read; no call returns it Ids, names and the merge of roots (walk).
inline constexpr Code kPromptTooLarge{"prompt_too_large", Severity::kError};
// Path breaks the id rule; served under another id.
inline constexpr Code kIdNormalised{"id_normalised", Severity::kInfo};
// The same for a prompt's name.
inline constexpr Code kNameNormalised{"name_normalised", Severity::kInfo};
// Path breaks the id rule; not served.
inline constexpr Code kInvalidId{"invalid_id", Severity::kError};
// Name breaks the rule; prompt not served.
inline constexpr Code kInvalidName{"invalid_name", Severity::kError};
// Another file has the id; not served.
inline constexpr Code kDuplicateId{"duplicate_id", Severity::kError};
// Another prompt has the name; not served.
inline constexpr Code kDuplicateName{"duplicate_name", Severity::kError};
// Hidden by a root of higher precedence.
inline constexpr Code kShadowed{"shadowed", Severity::kInfo};
// `skill.md`, `SKILL.markdown`: an overview, but for few readers.
inline constexpr Code kSkillCase{"skill_case", Severity::kInfo};
// `SKLL.md`, `SKILL.md.txt`: not an overview, perhaps meant to be What workers registered
// (functions/joined).
inline constexpr Code kNearSkill{"near_skill_name", Severity::kWarning};
// A file, or another registration, has the id.
inline constexpr Code kRegisteredHidden{"registered_hidden", Severity::kWarning};
// Documents of a worker that is not installed.
inline constexpr Code kHiddenByFilter{"hidden_by_filter", Severity::kWarning};
// A record in state whose id breaks the rule What MCP offers (faces/mcp/skill_findings).
inline constexpr Code kRegisteredInvalid{"registered_invalid", Severity::kError};
// Clients of the Skills extension could not read the skill; not in skills/list Files (walk).
inline constexpr Code kMcpLeftOut{"mcp_left_out", Severity::kInfo};
// Over the size limit.
inline constexpr Code kTooLarge{"too_large", Severity::kWarning};
// Bytes that are not UTF-8.
inline constexpr Code kNotUtf8{"not_utf8", Severity::kError};
// The path is not UTF-8; not served.
inline constexpr Code kNameNotUtf8{"name_not_utf8", Severity::kError};
// Nothing but line ends after the frontmatter; served as an empty text.
inline constexpr Code kEmptyBody{"empty_body", Severity::kInfo};
// The system refused to open or read it.
inline constexpr Code kUnreadable{"unreadable", Severity::kError};
// A socket, pipe or device called `.md`.
inline constexpr Code kNotRegular{"not_regular", Severity::kInfo};
// A link that leaves the root.
inline constexpr Code kOutsideRoot{"outside_root", Severity::kError};
// A link into another root, served there.
inline constexpr Code kOtherRoot{"in_other_root", Severity::kInfo};
// A link to nothing.
inline constexpr Code kDanglingLink{"dangling_link", Severity::kInfo};
// A link to a folder it stands in.
inline constexpr Code kLinkCycle{"link_cycle", Severity::kInfo};
// Folders nested beyond the limit.
inline constexpr Code kTooDeep{"too_deep", Severity::kError};
// The limit of files is reached.
inline constexpr Code kTooManyFiles{"too_many_files", Severity::kError};

}  // namespace iii::content::findings
