#include "directory/content/parse.h"

#include <algorithm>
#include <utility>

#include "directory/content/findings.h"
#include "directory/content/frontmatter.h"
#include "directory/content/frontmatter_recover.h"
#include "directory/content/frontmatter_yaml.h"
#include "directory/content/markdown.h"
#include "directory/content/space.h"

namespace iii::content {

namespace {

// Beyond this many, fixes that do not work together are not tried one by one.
constexpr size_t kMaxFixesTried = 8;

// A prompt must say what it is for (R70); its first paragraph or its heading says it when nothing
// else does.
void describe_prompt(std::string_view bytes, const Frontmatter& frontmatter,
                     const ParseOptions& options, ParsedDocument& document) {
  if (document.description) return;
  const std::string& instead = document.teaser.empty() ? document.heading : document.teaser;
  if (!options.lenient || instead.empty()) {
    document.findings.push_back(finding_at(
        bytes, 0, findings::kPromptUndescribed,
        document.has_frontmatter
            ? "The prompt has no `description`, so it is not served."
            : "A prompt needs frontmatter with a `description`; without it the file is not "
              "served."));
    return;
  }
  document.description = instead;
  Finding finding =
      document.has_frontmatter
          ? finding_at(
                bytes, 0, findings::kPromptNoDescription,
                "The prompt has no `description`; the beginning of its text stands in for it.")
          : finding_at(bytes, 0, findings::kPromptNoFrontmatter,
                       "The prompt has no frontmatter with a `description`; the beginning of its "
                       "text stands in for it.");
  if (frontmatter.closing_line) {
    finding.fix = Fix{*frontmatter.closing_line, 0, "description: " + yaml_quote(instead) + "\n"};
  }
  document.findings.push_back(std::move(finding));
}

ParsedDocument parse_once(std::string_view bytes, const ParseOptions& options) {
  Frontmatter frontmatter = read_frontmatter(bytes, options);
  BodySummary summary = summarise(bytes.substr(frontmatter.body_offset));
  ParsedDocument document;
  document.has_frontmatter = frontmatter.present;
  document.body_offset = frontmatter.body_offset;
  static_cast<FrontmatterFields&>(document) = std::move(frontmatter.fields);
  document.heading = std::move(summary.heading);
  document.teaser = std::move(summary.teaser);
  document.findings = std::move(frontmatter.findings);
  if (document.stub && !document.teaser.empty()) document.description.reset();
  if (summary.teaser_cut && !document.description) {
    document.findings.push_back(
        finding_at(bytes, document.body_offset, findings::kTeaserCut,
                   "There is no description, and the first paragraph is too long to stand for it; "
                   "only its beginning is shown. Write a `description`."));
  }
  if (summary.open_fence) {
    document.findings.push_back(
        finding_at(bytes, bytes.size(), findings::kOpenFence,
                   "A code fence is never closed, so no heading or paragraph was found after it."));
  }
  if (options.prompt) describe_prompt(bytes, frontmatter, options, document);
  return document;
}

std::vector<std::string_view> sorted_codes(const std::vector<Finding>& findings,
                                           bool only_without_fix) {
  std::vector<std::string_view> codes;
  for (const Finding& finding : findings) {
    if (!only_without_fix || !finding.fix) codes.push_back(finding.code);
  }
  std::ranges::sort(codes);
  return codes;
}

bool loses_text(std::string_view bytes, const Finding& finding) {
  std::string_view removed = bytes.substr(static_cast<size_t>(finding.fix->offset),
                                          static_cast<size_t>(finding.fix->length));
  if (finding.code == findings::kFenceDots || finding.code == findings::kCommentBeforeFence) {
    removed = trim_space(removed);
    removed.remove_suffix(3);  // the fence
  }
  return !keeps_text(removed, finding.fix->text);
}

// A fix is offered only when it is known to work: all together, else those that work one after the
// other.
void keep_working_fixes(std::string_view bytes, ParsedDocument& document,
                        const ParseOptions& options) {
  std::vector<std::optional<Fix>> fixes;
  size_t count = 0;
  for (Finding& finding : document.findings) {
    if (finding.fix && loses_text(bytes, finding)) finding.fix.reset();
    fixes.push_back(finding.fix);
    count += finding.fix ? 1 : 0;
  }
  if (count == 0 || (options.lenient && fixes_work(bytes, document, options))) return;
  for (Finding& finding : document.findings) finding.fix.reset();
  if (!options.lenient || count > kMaxFixesTried) return;
  for (size_t i = 0; i < fixes.size(); ++i) {
    if (!fixes[i]) continue;
    document.findings[i].fix = std::move(fixes[i]);
    if (!fixes_work(bytes, document, options)) document.findings[i].fix.reset();
  }
}

}  // namespace

bool fixes_work(std::string_view bytes, const ParsedDocument& document,
                const ParseOptions& options) {
  const std::string mended = apply_fixes(bytes, document.findings);
  const ParsedDocument again = parse_once(mended, options);
  return std::ranges::includes(sorted_codes(document.findings, true),
                               sorted_codes(again.findings, false)) &&
         again.has_frontmatter == document.has_frontmatter && again.title == document.title &&
         again.name == document.name && again.type == document.type &&
         again.function_id == document.function_id && again.description == document.description &&
         again.for_agents == document.for_agents &&
         std::string_view(mended).substr(again.body_offset) == bytes.substr(document.body_offset);
}

ParsedDocument parse_document(std::string_view bytes, const ParseOptions& options) {
  ParsedDocument document = parse_once(bytes, options);
  keep_working_fixes(bytes, document, options);
  return document;
}

bool keeps_text(std::string_view before, std::string_view after) {
  const auto is_syntax = [](char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '"' || c == '\'' || c == '\\';
  };
  const auto skip_syntax = [&] {
    while (!before.empty() && is_syntax(before.front())) before.remove_prefix(1);
  };
  skip_syntax();
  while (before.starts_with('|') || before.starts_with('>')) {
    before.remove_prefix(1);
    if (before.starts_with('-') || before.starts_with('+')) before.remove_prefix(1);
    skip_syntax();
  }
  if (before.starts_with(kBom)) before.remove_prefix(kBom.size());
  size_t at = 0;
  for (const char c : before) {
    if (is_syntax(c)) continue;
    at = after.find(c, at);
    if (at == std::string_view::npos) return false;
    ++at;
  }
  return true;
}

std::string apply_fixes(std::string_view bytes, const std::vector<Finding>& findings) {
  std::vector<const Fix*> fixes;
  for (const Finding& finding : findings) {
    if (finding.fix) fixes.push_back(&*finding.fix);
  }
  // Of two at one place the earlier finding's comes first.
  std::ranges::sort(fixes, {}, [](const Fix* fix) { return std::pair(fix->offset, fix); });
  std::string out;
  size_t at = 0;
  for (const Fix* fix : fixes) {
    if (fix->offset < at || fix->offset > bytes.size()) continue;  // overlaps the one before
    out += bytes.substr(at, static_cast<size_t>(fix->offset) - at);
    out += fix->text;
    at = static_cast<size_t>(std::min<uint64_t>(bytes.size(), fix->offset + fix->length));
  }
  return out += bytes.substr(at);
}

std::string_view frontmatter_of(std::string_view bytes, const ParseOptions& options) {
  const Range block = read_frontmatter(bytes, options).block;
  return bytes.substr(block.begin, block.end - block.begin);
}

size_t body_offset(std::string_view bytes, const ParseOptions& options) {
  return read_frontmatter(bytes, options).body_offset;
}

}  // namespace iii::content
