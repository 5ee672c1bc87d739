#include "content/parse.h"

#include <gmock/gmock.h>

#include <random>

#include "content/frontmatter_yaml.h"

namespace iii::content {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr ParseOptions kStrict{.lenient = false};
constexpr ParseOptions kLenient{};
constexpr ParseOptions kPrompt{.prompt = true};

std::vector<std::string> codes(const ParsedDocument& document) {
  std::vector<std::string> out;
  for (const Finding& finding : document.findings) out.push_back(finding.code);
  return out;
}

std::string body(std::string_view bytes, const ParsedDocument& document) {
  return std::string(bytes.substr(document.body_offset));
}

// A messy file, what is expected of it, and that its fixes make a file without findings that says
// the same.
ParsedDocument mended(std::string_view bytes, const ParseOptions& options = kLenient) {
  const ParsedDocument document = parse_document(bytes, options);
  const std::string fixed = apply_fixes(bytes, document.findings);
  ParseOptions strict = options;
  strict.lenient = false;
  const ParsedDocument again = parse_document(fixed, strict);
  EXPECT_THAT(codes(again), IsEmpty()) << fixed;
  EXPECT_EQ(again.title, document.title) << fixed;
  EXPECT_EQ(again.name, document.name) << fixed;
  EXPECT_EQ(again.type, document.type) << fixed;
  EXPECT_EQ(again.function_id, document.function_id) << fixed;
  EXPECT_EQ(again.description, document.description) << fixed;
  EXPECT_EQ(body(fixed, again), body(bytes, document)) << fixed;
  return document;
}

TEST(Parse, R23_ReadsItsKeysAndLeavesOthersAlone) {
  const auto document = parse_document(
      "---\ntitle: T\ntype: how-to\nfunction_id: a::b\ndescription: D.\nname: n\nauthor: me\ntags: "
      "[a, b]\n---\n# H\n",
      kStrict);
  EXPECT_TRUE(document.has_frontmatter);
  EXPECT_THAT(document.title, Optional(std::string("T")));
  EXPECT_THAT(document.type, Optional(std::string("how-to")));
  EXPECT_THAT(document.function_id, Optional(std::string("a::b")));
  EXPECT_THAT(document.description, Optional(std::string("D.")));
  EXPECT_THAT(document.name, Optional(std::string("n")));
  EXPECT_EQ(document.heading, "H");
  EXPECT_THAT(document.findings, IsEmpty());
}

TEST(Parse, R24_StrictlyOneBadValueDropsTheBlockButNotTheBody) {
  for (const std::string_view bytes :
       {"---\ntitle: [a]\ntype: x\n---\nB", "---\ntitle: {a: b}\ntype: x\n---\nB",
        "---\ntitle: a\ntitle: b\ntype: x\n---\nB", "---\ntitle: a: b\ntype: x\n---\nB",
        "---\n- title\n- type\n---\nB"}) {
    const auto document = parse_document(bytes, kStrict);
    EXPECT_TRUE(document.has_frontmatter) << bytes;
    EXPECT_EQ(document.title, std::nullopt) << bytes;
    EXPECT_EQ(document.type, std::nullopt) << bytes;
    EXPECT_EQ(body(bytes, document), "B") << bytes;
    EXPECT_FALSE(document.findings.empty()) << "never silent: " << bytes;
    EXPECT_THAT(document.findings.front().message, HasSubstr("switched off"));
    EXPECT_FALSE(document.findings.front().fix);
  }
}

TEST(Parse, R24_NameMayBeAnythingInASkillAndTitleInAPrompt) {
  EXPECT_THAT(parse_document("---\nname: [a, b]\ntitle: T\n---\nB", kStrict).title,
              Optional(std::string("T")));
  const auto prompt = parse_document("---\ntitle: {a: b}\ndescription: D\n---\nB",
                                     {.lenient = false, .prompt = true});
  EXPECT_THAT(prompt.description, Optional(std::string("D")));
  EXPECT_THAT(prompt.findings, IsEmpty());
}

TEST(Parse, R25_ValuesAreTrimmedAndBlankIsAbsent) {
  const auto document = parse_document(
      "---\ntitle: \"  T \u00a0\"\ntype: ' index '\nfunction_id: \"\"\ndescription: \" \u3000 "
      "\"\n---\nB",
      kStrict);
  EXPECT_THAT(document.title, Optional(std::string("T")));
  EXPECT_THAT(document.type, Optional(std::string("index")));
  EXPECT_EQ(document.function_id, std::nullopt);
  EXPECT_EQ(document.description, std::nullopt);
}

TEST(Parse, AByteOrderMarkIsNoContent) {
  const auto document = mended("\xef\xbb\xbf---\ntitle: T\n---\n# H\n");
  EXPECT_THAT(document.title, Optional(std::string("T")));
  EXPECT_THAT(codes(document), ElementsAre("bom"));
  const auto plain = mended("\xef\xbb\xbf# H\n\ntext\n");
  EXPECT_EQ(plain.heading, "H");
  EXPECT_FALSE(plain.has_frontmatter);
}

TEST(Parse, BlankLinesBeforeTheFence) {
  const auto document = mended("\n  \r\n---\ntitle: T\n---\nbody");
  EXPECT_THAT(document.title, Optional(std::string("T")));
  EXPECT_THAT(codes(document), ElementsAre("blank_before_fence"));
}

TEST(Parse, FencesWithBlanksDotsOrNoEnd) {
  EXPECT_THAT(codes(mended("--- \ntitle: T\n---\nb")), ElementsAre("fence_blanks"));
  EXPECT_THAT(codes(mended("---\ntitle: T\n---\t \n# b\n\n---\nc")), ElementsAre("fence_blanks"));
  EXPECT_THAT(codes(mended("---\ntitle: T\n...\nb")), ElementsAre("fence_dots"));
  EXPECT_THAT(codes(mended("---\ntitle: T\nb\n")), ElementsAre("frontmatter_unclosed"));
  EXPECT_THAT(codes(mended("---\ntitle: T")), ElementsAre("frontmatter_unclosed"));
  EXPECT_THAT(codes(mended("---\n---\nb")), ElementsAre("frontmatter_empty"));
  EXPECT_THAT(codes(mended("---\r\ntitle: T\r\n---\r\nb\n---\nc")), ElementsAre("fence_line_end"));
}

TEST(Parse, AnUnclosedBlockDoesNotSwallowTheText) {
  const std::string_view bytes =
      "---\nname: x\ndescription: y: z\n\n# Title\n\ntext\n\n---\n\nmore\n";
  const auto document = mended(bytes);
  EXPECT_EQ(body(bytes, document), "\n# Title\n\ntext\n\n---\n\nmore\n");
  EXPECT_THAT(document.description, Optional(std::string("y: z")));
  EXPECT_THAT(codes(document), ElementsAre("frontmatter_unclosed", "unquoted_colon"));
}

TEST(Parse, RulesInAPlainTextAreNoFrontmatter) {
  for (const std::string_view bytes :
       {"\n---\n\ntext\n\n---\n\nmore", "---\n\ntext\n", "--- \ntext\n--- \n", "\n---\n---\n",
        "---\nNote: a text\n\nmore", "\n---\nNote: a text\n\n---\n", "----\ntitle: x\n----\n"}) {
    const auto document = parse_document(bytes, kLenient);
    EXPECT_FALSE(document.has_frontmatter) << bytes;
    EXPECT_EQ(document.body_offset, 0U) << bytes;
    EXPECT_THAT(document.findings, IsEmpty()) << bytes;
  }
}

TEST(Parse, UnquotedColon) {
  const auto document =
      mended("---\nname: x\ndescription: Use this: it helps. Then: more\ntype: how-to\n---\nbody");
  EXPECT_THAT(document.description, Optional(std::string("Use this: it helps. Then: more")));
  EXPECT_THAT(document.type, Optional(std::string("how-to")));
  ASSERT_THAT(codes(document), ElementsAre("unquoted_colon"));
  EXPECT_EQ(document.findings[0].line, 3U);
  EXPECT_EQ(document.findings[0].column, 14U);
  EXPECT_EQ(document.findings[0].severity, Severity::kWarning);
  EXPECT_THAT(document.findings[0].message, AllOf(HasSubstr("`description`"), HasSubstr("quotes")));
}

TEST(Parse, OtherValuesYamlCannotRead) {
  EXPECT_THAT(mended("---\ntitle: **bold** x\n---\nb").title, Optional(std::string("**bold** x")));
  EXPECT_THAT(mended("---\ndescription: [WIP] does x\n---\nb").description,
              Optional(std::string("[WIP] does x")));
  EXPECT_THAT(mended("---\ndescription: @mention it\n---\nb").description,
              Optional(std::string("@mention it")));
  EXPECT_THAT(mended("---\ndescription: \"say \"hi\" now\"\n---\nb").description,
              Optional(std::string("say \"hi\" now")));
  EXPECT_THAT(mended("---\ntitle:Glued\n---\nb").title, Optional(std::string("Glued")));
  EXPECT_THAT(mended("---\ntitle: ok\n\ttype: how-to\n---\nb").type,
              Optional(std::string("how-to")));
  EXPECT_THAT(mended("---\ndescription: one\ntwo three\ntype: x\n---\nb").description,
              Optional(std::string("one two three")));
  EXPECT_THAT(mended("---\ndescription: one: two\n  three\n---\nb").description,
              Optional(std::string("one: two three")));
  EXPECT_THAT(mended("---\r\ndescription: one: two\r\ntype: x\r\n---\r\nb").description,
              Optional(std::string("one: two")));
  EXPECT_THAT(mended("---\n  title: a: b\n  type: x\n---\nb").type, Optional(std::string("x")));
  EXPECT_THAT(mended("---\nargument-hint: [a] [b]\ntitle: T\n---\nb").title,
              Optional(std::string("T")));
}

TEST(Parse, WordsAreNotGuessedFromBrokenStructure) {
  const auto document =
      parse_document("---\ntype: [how-to\nfunction_id: {a\ntitle: *x\n---\nb", kLenient);
  EXPECT_EQ(document.type, std::nullopt);
  EXPECT_EQ(document.function_id, std::nullopt);
  EXPECT_EQ(document.title, std::nullopt);
  EXPECT_THAT(codes(document), ElementsAre("unquoted_text", "unquoted_text", "unquoted_text"));
}

TEST(Parse, ListsAndMappingsWhereATextBelongs) {
  const auto one = parse_document(
      "---\ntype: [how-to]\ntitle: [a, b]\nfunction_id: [x, y]\ndescription: {a: 1}\n---\nb",
      kLenient);
  EXPECT_THAT(one.type, Optional(std::string("how-to")));
  EXPECT_THAT(one.title, Optional(std::string("a, b")));
  EXPECT_EQ(one.function_id, std::nullopt);
  EXPECT_EQ(one.description, std::nullopt);
  EXPECT_THAT(codes(one), ElementsAre("list_value", "list_value", "list_value", "map_value"));
  const auto broken = parse_document("---\ntitle: a: b\ntype:\n- how-to\n---\nb", kLenient);
  EXPECT_THAT(broken.type, Optional(std::string("how-to")));
  EXPECT_THAT(codes(broken), ElementsAre("unquoted_colon", "list_value"));
}

TEST(Parse, OfARepeatedKeyTheFirstCounts) {
  const auto document = parse_document("---\ntitle: One\ntitle: Two\ntype: x\n---\nb", kLenient);
  EXPECT_THAT(document.title, Optional(std::string("One")));
  EXPECT_THAT(codes(document), ElementsAre("duplicate_key"));
  EXPECT_EQ(document.findings[0].line, 3U);
  EXPECT_THAT(parse_document("---\ntitle: One\ntitle: Two\ntype: a: b\n---\nb", kLenient).title,
              Optional(std::string("One")));
}

TEST(Parse, OddBlocks) {
  EXPECT_THAT(codes(parse_document("---\n- a\n- b\n---\nb", kLenient)), ElementsAre("not_mapping"));
  EXPECT_THAT(codes(parse_document("---\njust text\n---\nb", kLenient)),
              ElementsAre("not_mapping"));
  const auto two = parse_document("---\ntitle: One\n--- # second\ntitle: Two\n---\nb", kLenient);
  EXPECT_THAT(two.title, Optional(std::string("One")));
  EXPECT_THAT(codes(two), ElementsAre("second_document"));
  EXPECT_THAT(codes(parse_document("---\nTitle: a\n---\nb", kLenient)), ElementsAre("key_case"));
  EXPECT_THAT(codes(parse_document("---\ntitle: a\nstray\n---\nb", kLenient)),
              ElementsAre("stray_line"));
  const auto deep = parse_document(
      "---\ntitle: T\nx: " + std::string(20, '[') + std::string(20, ']') + "\n---\nb", kLenient);
  EXPECT_THAT(deep.title, Optional(std::string("T")));
  EXPECT_FALSE(deep.findings.empty());
}

TEST(Parse, ABlockBeyondTheLimitGivesWhatStandsInIt) {
  const std::string bytes =
      "---\ntitle: T\nx: " + std::string(kMaxFrontmatter, 'x') + "\n---\nbody";
  const auto document = parse_document(bytes, kLenient);
  EXPECT_THAT(document.title, Optional(std::string("T")));
  EXPECT_EQ(body(bytes, document), "body");
  EXPECT_THAT(codes(document), ElementsAre("frontmatter_too_large"));
}

TEST(Parse, PermissionsAreReadStrictly) {
  EXPECT_THAT(parse_document("---\nallowed-tools: Read, Grep\n---\nb", kLenient).allowed_tools,
              ElementsAre("Read, Grep"));
  EXPECT_THAT(parse_document("---\nallowed-tools: [Read, Grep]\n---\nb", kLenient).allowed_tools,
              ElementsAre("Read", "Grep"));
  EXPECT_THAT(parse_document("---\nallowed-tools:\n---\nb", kLenient).allowed_tools, IsEmpty());
}

TEST(Parse, PermissionsFailClosed) {
  for (const std::string_view bytes :
       {"---\nallowed-tools: Read\ntitle: a: b\n---\nb", "---\nallowed-tools: {Read: true}\n---\nb",
        "---\nallowed-tools: [[Read]]\n---\nb",
        "---\nallowed-tools: Read\nallowed-tools: Write\n---\nb",
        "---\nallowed-tools: Bash(git: *)\n---\nb", "---\ntools: [a\n---\nb"}) {
    const auto document = parse_document(bytes, kLenient);
    EXPECT_THAT(document.allowed_tools, IsEmpty()) << bytes;
    const auto found =
        std::ranges::find(document.findings, "permission_unreadable", &Finding::code);
    ASSERT_NE(found, document.findings.end()) << bytes;
    EXPECT_EQ(found->severity, Severity::kError) << bytes;
    EXPECT_FALSE(found->fix) << bytes;
  }
}

TEST(Parse, R70_APromptNeedsFrontmatter) {
  const auto document = parse_document("# No frontmatter\n\nBody.\n", kPrompt);
  EXPECT_FALSE(document.has_frontmatter);
  EXPECT_EQ(document.description, std::nullopt);
  ASSERT_THAT(codes(document), ElementsAre("prompt_no_frontmatter"));
  EXPECT_EQ(document.findings[0].severity, Severity::kError);
}

TEST(Parse, R70_APromptWithoutDescriptionShowsItsFirstParagraph) {
  const auto document = mended("---\nname: x\n---\n# H\n\nDoes \"things\".\n", kPrompt);
  EXPECT_THAT(document.description, Optional(std::string("Does \"things\".")));
  EXPECT_THAT(codes(document), ElementsAre("prompt_no_description"));
  EXPECT_THAT(mended("---\nname: x\n---\n# Only a heading\n", kPrompt).description,
              Optional(std::string("Only a heading")));
  EXPECT_EQ(parse_document("---\nname: x\n---\n# H\n\nText.\n", {.lenient = false, .prompt = true})
                .description,
            std::nullopt);
}

TEST(Parse, R70_NothingAtAllToShowIsAnError) {
  const auto document = parse_document("---\nname: x\n---\n\n", kPrompt);
  EXPECT_EQ(document.description, std::nullopt);
  ASSERT_THAT(codes(document), ElementsAre("prompt_no_description"));
  EXPECT_EQ(document.findings[0].severity, Severity::kError);
}

TEST(Parse, AFixThatCannotWorkDoesNotTakeTheOthersWithIt) {
  // A second `description` would be one too many; the quotes are fine.
  const auto document =
      parse_document("---\nname: x\ntitle: a: b\ndescription: ''\n---\nText.\n", kPrompt);
  ASSERT_THAT(codes(document), ElementsAre("unquoted_colon", "prompt_no_description"));
  EXPECT_TRUE(document.findings[0].fix);
  EXPECT_FALSE(document.findings[1].fix);
}

TEST(Parse, AnOpenCodeFenceIsMentioned) {
  EXPECT_THAT(codes(parse_document("```\n# code\n", kLenient)), ElementsAre("open_fence"));
}

TEST(Parse, BodyOffsetIsThatOfTheWholeParse) {
  for (const std::string_view bytes :
       {"", "body", "---\na: b\n---\nbody", "\xef\xbb\xbf---\na: b\n---\nbody",
        "---\ntitle: T\nb\n", "\xef\xbb\xbf# x"}) {
    for (const ParseOptions& options : {kStrict, kLenient, kPrompt}) {
      EXPECT_EQ(body_offset(bytes, options), parse_document(bytes, options).body_offset) << bytes;
    }
  }
}

TEST(Parse, ApplyFixesTakesThemInAnyOrder) {
  std::vector<Finding> findings(3);
  findings[0].fix = Fix{4, 1, "X"};
  findings[1].fix = Fix{0, 1, ""};
  findings[2].fix = Fix{6, 0, "!"};
  EXPECT_EQ(apply_fixes("abcdef", findings), "bcdXf!");
}

// Documents made of everything people do to frontmatter.
class Messy {
 public:
  explicit Messy(uint32_t seed) : random_(seed) {}

  std::string document() {
    std::string out = pick({"", "", "", "\xef\xbb\xbf", "\n", "  \n\n"});
    const std::string end = pick({"\n", "\n", "\n", "\r\n"});
    out += pick({"---", "---", "---", "--- ", "----"}) + end;
    for (size_t n = random_() % 6; n > 0; --n) out += line() + end;
    out += pick({"---", "---", "---", "---", "--- ", "...", "", "---\t"}) + pick({"\n", end});
    out += pick(
        {"body\n", "# H\n\ntext\n", "", "text\n\n---\n\nmore\n", "```\n# c\n```\n\ntext", "\n"});
    return out;
  }

 private:
  std::string line() {
    const std::string key =
        pick({"title", "name", "type", "function_id", "description", "other", "allowed-tools",
              "Title", "\"title\"", "  title", "\tdescription", "tags", "a b"});
    const std::string glue = pick({": ", ": ", ": ", ": ", ":", ":  ", " : ", ":\t"});
    const std::string value = pick({"plain",  "a: b",     "ends:",     "[x, y]", "[x",
                                    "{a: b}", "\"q\"",    "\"q",       "'it's'", "\"a \"b\" c\"",
                                    "*star*", "*alias",   "&anchor x", "@at",    "`tick`",
                                    "%p",     "- dash",   "",          "~",      "null",
                                    "42",     "é — 日本", "x # y",     "#z",     "|",
                                    ">-",     "!!int 5",  "a\tb",      "\u2028", "http://x",
                                    "x: [y",  "''",       "\"\"",      ", c",    "]"});
    const std::string more =
        pick({"", "", "", "", "\n  indented: more", "\n  text", "\n- item", "\n\n", "\nstray",
              "\n\ttabbed", "\n# comment", "\n  - a\n  - b"});
    return key + glue + value + more;
  }

  std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }

  std::mt19937 random_;
};

// Findings without a fix and still a document whose fixes do what they promise.
void check_fixes(const std::string& bytes, const ParseOptions& options) {
  const ParsedDocument document = parse_document(bytes, options);
  const std::string fixed = apply_fixes(bytes, document.findings);
  const ParsedDocument again = parse_document(fixed, options);
  ASSERT_EQ(again.title, document.title) << bytes << "\n=>\n" << fixed;
  ASSERT_EQ(again.name, document.name) << bytes << "\n=>\n" << fixed;
  ASSERT_EQ(again.type, document.type) << bytes << "\n=>\n" << fixed;
  ASSERT_EQ(again.function_id, document.function_id) << bytes << "\n=>\n" << fixed;
  ASSERT_EQ(again.description, document.description) << bytes << "\n=>\n" << fixed;
  ASSERT_EQ(body(fixed, again), body(bytes, document)) << bytes << "\n=>\n" << fixed;
  const bool all =
      std::ranges::all_of(document.findings, [](const Finding& f) { return f.fix.has_value(); });
  if (document.findings.empty() || !all) return;
  ParseOptions strict = options;
  strict.lenient = false;
  const ParsedDocument strictly = parse_document(fixed, strict);
  ASSERT_THAT(codes(strictly), IsEmpty()) << bytes << "\n=>\n" << fixed;
  ASSERT_EQ(strictly.title, document.title) << fixed;
  ASSERT_EQ(strictly.description, document.description) << fixed;
  ASSERT_EQ(strictly.type, document.type) << fixed;
}

TEST(Parse, PropertyFixesDoWhatTheyPromise) {
  Messy messy(11);
  size_t offered = 0;
  for (int round = 0; round < 5'000; ++round) {
    const std::string bytes = messy.document();
    ASSERT_NO_FATAL_FAILURE(check_fixes(bytes, kLenient));
    ASSERT_NO_FATAL_FAILURE(check_fixes(bytes, kPrompt));
    for (const Finding& finding : parse_document(bytes, kLenient).findings)
      offered += finding.fix ? 1 : 0;
  }
  EXPECT_GT(offered, 1'000U) << "the property must not hold for want of fixes";
}

TEST(Parse, PropertyWhatIsReadStrictlyIsReadTheSameLeniently) {
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
