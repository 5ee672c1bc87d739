// What holds for every document, however messy: fixes do what they promise and lose nothing, and
// strict and lenient reading agree where nothing is wrong.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "directory/content/findings.h"
#include "directory/content/parse.h"
#include "foundation/base/utf8.h"

namespace iii::content {
namespace {

using testing::IsEmpty;

constexpr ParseOptions kStrict{.lenient = false};
constexpr ParseOptions kLenient{};
constexpr ParseOptions kPrompt{.prompt = true};

std::vector<std::string> codes(const ParsedDocument& document) {
  std::vector<std::string> out;
  for (const Finding& finding : document.findings) out.push_back(finding.code);
  return out;
}

// Documents made of everything people do to frontmatter.
class Messy {
 public:
  explicit Messy(uint32_t seed) : random_(seed) {}

  std::string document() {
    std::string out = pick({"", "", "", "\xef\xbb\xbf"});
    out += pick({"", "", "", "", "\n", "  \n\n", "<!-- by me -->\n", "\n<!-- a\n b -->\n\n"});
    const std::string end = pick({"\n", "\n", "\n", "\r\n"});
    out += pick({"---", "---", "---", "---", "--- ", "----"}) + end;
    for (size_t n = random_() % 6; n > 0; --n) out += line() + end;
    out += pick({"---", "---", "---", "---", "--- ", "...", "", "---\t"}) + pick({"\n", end});
    return out + pick({"body\n", "# H\n\ntext\n", "", "text\n\n---\n\nmore\n",
                       "```\n# c\n```\n\ntext", "\n", "Note: text\n", "- item\n\n---\ntype: x\n"});
  }

  // A document with some bytes removed, repeated or put elsewhere.
  std::string mutated() {
    std::string out = document();
    for (size_t n = random_() % 4; n > 0 && !out.empty(); --n) {
      const size_t at = random_() % out.size();
      const size_t length = std::min<size_t>(out.size() - at, 1 + random_() % 12);
      const std::string piece = out.substr(at, length);
      if (random_() % 2 == 0) out.erase(at, length);
      if (random_() % 2 == 0) out.insert(random_() % (out.size() + 1), piece);
    }
    return is_utf8(out) ? out : document();
  }

 private:
  std::string line() {
    const std::string key =
        pick({"title", "name", "type", "function_id", "description", "description", "other",
              "allowed-tools", "Title", "\"title\"", "  title", "\tdescription", "tags", "a b",
              "disable-model-invocation"});
    const std::string glue = pick({": ", ": ", ": ", ": ", ":", ":  ", " : ", ":\t"});
    const std::string value = pick({
        "plain",
        "a: b",
        "ends:",
        "[x, y]",
        "[x",
        "{a: b}",
        "\"q\"",
        "\"q",
        "'it's'",
        "\"a \"b\" c\"",
        "*star*",
        "*alias",
        "&anchor x",
        "@at",
        "`tick`",
        "%p",
        "- dash",
        "",
        "~",
        "null",
        "42",
        "é — 日本",
        "x # y",
        "#z",
        "|",
        ">-",
        "!!int 5",
        "a\tb",
        "\u2028",
        "http://x",
        "x: [y",
        "''",
        "\"\"",
        ", c",
        "]",
        "\"| Use when x\"",
        "| Use when x y",
        "'>- a b c'",
        "> a…",
        "true",
        "\"a\\tb\" # c",
        "'| x: y z'",
        "Use C # and F#",
        "|\n  One.\n\n  Two: x.\n",
    });
    const std::string more = pick({"", "", "", "", "\n  indented: more", "\n  text", "\n- item",
                                   "\n\n", "\nstray", "\n\ttabbed", "\n# comment", "\n  - a\n  - b",
                                   "\n# comment\n  text", "\nlost\n  x", "\n  one\n\n  two\n"});
    return key + glue + value + more;
  }

  std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }

  std::mt19937 random_;
};

std::string body(std::string_view bytes, const ParsedDocument& document) {
  return std::string(bytes.substr(document.body_offset));
}

std::string shown(const ParsedDocument& document) {
  return document.description.value_or(document.teaser);
}

// Every letter, digit and sign of the author's is in the fixed file, in order. Fences, blanks,
// quotes with their escapes, and block indicators are what a fix may rewrite.
bool has_all_text(std::string_view before, std::string_view after) {
  size_t at = 0;
  for (const char c : before) {
    constexpr std::string_view kSyntax = " \t\r\n\"'\\|>-.\xef\xbb\xbf";
    if (kSyntax.find(c) != std::string_view::npos) continue;
    at = after.find(c, at);
    if (at == std::string_view::npos) return false;
    ++at;
  }
  return true;
}

// Findings without a fix and still a document whose fixes do what they promise.
void check_fixes(const std::string& bytes, const ParseOptions& options) {
  const ParsedDocument document = parse_document(bytes, options);
  const std::string fixed = apply_fixes(bytes, document.findings);
  const ParsedDocument again = parse_document(fixed, options);
  const std::string both = bytes + "\n=>\n" + fixed;
  ASSERT_TRUE(has_all_text(bytes, fixed)) << both;
  ASSERT_EQ(again.title, document.title) << both;
  ASSERT_EQ(again.heading, document.heading) << both;
  ASSERT_EQ(again.name, document.name) << both;
  ASSERT_EQ(again.type, document.type) << both;
  ASSERT_EQ(again.function_id, document.function_id) << both;
  ASSERT_EQ(again.description, document.description) << both;
  ASSERT_EQ(shown(again), shown(document)) << both;
  ASSERT_EQ(again.for_agents, document.for_agents) << both;
  ASSERT_EQ(body(fixed, again), body(bytes, document)) << both;
  const bool all =
      std::ranges::all_of(document.findings, [](const Finding& f) { return f.fix.has_value(); });
  if (document.findings.empty() || !all) return;
  ParseOptions strict = options;
  strict.lenient = false;
  const ParsedDocument strictly = parse_document(fixed, strict);
  ASSERT_THAT(codes(strictly), IsEmpty()) << both;
  ASSERT_EQ(strictly.title, document.title) << fixed;
  ASSERT_EQ(strictly.description, document.description) << fixed;
  ASSERT_EQ(strictly.type, document.type) << fixed;
}

TEST(ParseProperty, FixesDoWhatTheyPromiseAndLoseNothing) {
  Messy messy(11);
  std::map<std::string, int> offered;
  for (int round = 0; round < 4'000; ++round) {
    const std::string bytes = round % 2 == 0 ? messy.document() : messy.mutated();
    ASSERT_NO_FATAL_FAILURE(check_fixes(bytes, kLenient));
    ASSERT_NO_FATAL_FAILURE(check_fixes(bytes, kPrompt));
    for (const Finding& finding : parse_document(bytes, kLenient).findings) {
      offered[finding.code] += finding.fix ? 1 : 0;
    }
  }
  // The property must not hold for want of fixes.
  for (const char* code :
       {"bom", "blank_before_fence", "comment_before_fence", "fence_blanks", "fence_dots",
        "frontmatter_unclosed", "unquoted_colon", "unquoted_text", "broken_quotes", "missing_space",
        "unindented_text", "description_cut", "description_stub"}) {
    EXPECT_GT(offered[code], 10) << code;
  }
}

TEST(ParseProperty, WhatIsReadStrictlyIsReadTheSameLeniently) {
  Messy messy(12);
  for (int round = 0; round < 5'000; ++round) {
    const std::string bytes = messy.document();
    const ParsedDocument strict = parse_document(bytes, kStrict);
    const bool spotless = std::ranges::all_of(
        strict.findings, [](const Finding& f) { return f.severity == Severity::kInfo; });
    if (!strict.has_frontmatter || !spotless) continue;
    const ParsedDocument lenient = parse_document(bytes, kLenient);
    ASSERT_EQ(lenient.title, strict.title) << bytes;
    ASSERT_EQ(lenient.type, strict.type) << bytes;
    ASSERT_EQ(lenient.function_id, strict.function_id) << bytes;
    ASSERT_EQ(lenient.description, strict.description) << bytes;
    ASSERT_EQ(lenient.body_offset, strict.body_offset) << bytes;
    ASSERT_EQ(codes(lenient), codes(strict)) << bytes;
  }
}

}  // namespace
}  // namespace iii::content
