#include "directory/content/parse.h"

#include <gmock/gmock.h>

#include "directory/content/frontmatter_yaml.h"

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

TEST(Parse, RequiredFunctionsAreTextsWithColons) {
  const auto required = [](std::string_view fields) {
    return parse_document("---\n" + std::string(fields) + "\n---\nb", kLenient).required_functions;
  };
  EXPECT_THAT(required("requires: [a::b, \"c::d\", notes]"), ElementsAre("a::b", "c::d"));
  EXPECT_THAT(required("title: x\nrequires:\n  - a::b\n  - a::b"), ElementsAre("a::b"));
  EXPECT_THAT(required("requires: a::b, c::d"), ElementsAre("a::b", "c::d"));
  EXPECT_THAT(required("requires: {a: 1}"), IsEmpty());
  EXPECT_THAT(required("title: requires a::b"), IsEmpty());
  std::string many = "requires: [";
  for (size_t i = 0; i <= kMaxRequired; ++i) many += "a::b" + std::to_string(i) + ", ";
  EXPECT_EQ(required(many + "z::z]").size(), kMaxRequired);
}

TEST(Parse, PermissionsFailClosed) {
  for (const std::string_view bytes :
       {"---\nallowed-tools: Read\ntitle: a: b\n---\nb", "---\nallowed-tools: {Read: true}\n---\nb",
        "---\nallowed-tools: [[Read]]\n---\nb",
        "---\nallowed-tools: Read\nallowed-tools: Write\n---\nb",
        "---\nallowed-tools: Bash(git: *)\n---\nb", "---\ntools: [a\n---\nb"}) {
    const auto document = parse_document(bytes, kLenient);
    const auto found =
        std::ranges::find(document.findings, "permission_unreadable", &Finding::code);
    ASSERT_NE(found, document.findings.end()) << bytes;
    EXPECT_EQ(found->severity, Severity::kWarning) << "the document is served: " << bytes;
    EXPECT_FALSE(found->fix) << bytes;
  }
}

TEST(Parse, R70_StrictlyAPromptNeedsFrontmatter) {
  const auto document =
      parse_document("# No frontmatter\n\nBody.\n", {.lenient = false, .prompt = true});
  EXPECT_FALSE(document.has_frontmatter);
  EXPECT_EQ(document.description, std::nullopt);
  ASSERT_THAT(codes(document), ElementsAre("prompt_undescribed"));
  EXPECT_EQ(document.findings[0].severity, Severity::kError);
}

TEST(Parse, APromptWithoutFrontmatterShowsItsFirstParagraph) {
  const auto document = parse_document("# No frontmatter\n\nBody.\n", kPrompt);
  EXPECT_FALSE(document.has_frontmatter);
  EXPECT_THAT(document.description, Optional(std::string("Body.")));
  ASSERT_THAT(codes(document), ElementsAre("prompt_no_frontmatter"));
  EXPECT_EQ(document.findings[0].severity, Severity::kInfo);
  EXPECT_THAT(parse_document("# Only a heading\n", kPrompt).description,
              Optional(std::string("Only a heading")));
  EXPECT_THAT(codes(parse_document("\n", kPrompt)), ElementsAre("prompt_undescribed"));
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
  ASSERT_THAT(codes(document), ElementsAre("prompt_undescribed"));
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

// A block indicator in the text, as a generator wrote it into thousands of files.
TEST(Parse, AStrayBlockIndicatorIsNotPartOfADescription) {
  for (const std::string_view value :
       {"\"| Use when X breaks\"", "'>- Use when X breaks'", "| Use when X breaks",
        "> Use when X breaks", ">- Use when X breaks", "|\n  > Use when X breaks",
        "\"|\\n  Use when X breaks\""}) {
    const std::string bytes =
        "---\nname: x\ndescription: " + std::string(value) + "\ntype: how-to\n---\n# H\n\nText.\n";
    const auto document = parse_document(bytes, kLenient);
    EXPECT_THAT(document.description, Optional(std::string("Use when X breaks"))) << bytes;
    EXPECT_THAT(document.type, Optional(std::string("how-to"))) << bytes;
    ASSERT_THAT(codes(document), ElementsAre("description_stub")) << bytes;
    EXPECT_EQ(document.findings[0].line, 3U) << bytes;
  }
  EXPECT_THAT(codes(mended("---\ndescription: \"| Use when X breaks\"\n---\nb")),
              ElementsAre("description_stub"));
  EXPECT_THAT(codes(mended("---\ndescription: >- Use when X breaks\n---\nb")),
              ElementsAre("description_stub"));
  EXPECT_THAT(codes(mended("---\ndescription: >\n  | Use when X\n  breaks\n---\nb")),
              ElementsAre("description_stub"));
}

TEST(Parse, AStubGivesWayToTheFirstParagraph) {
  for (const std::string_view value :
       {"|", ">-", "\"|\"", "'> '", "\"| Use when …\"", "> Use when...", "| Use when"}) {
    const std::string bytes =
        "---\ndescription: " + std::string(value) + "\nname: x\n---\n# H\n\nText.\n";
    const auto document = parse_document(bytes, kLenient);
    EXPECT_EQ(document.description, std::nullopt) << bytes;
    EXPECT_EQ(document.teaser, "Text.");
    ASSERT_THAT(codes(document), ElementsAre("description_stub")) << bytes;
    EXPECT_FALSE(document.findings[0].fix) << bytes;
  }
  // Without a paragraph the rest is better than nothing.
  EXPECT_THAT(parse_document("---\ndescription: '| Use when …'\n---\n# H\n", kLenient).description,
              Optional(std::string("Use when …")));
}

TEST(Parse, TextThatOnlyLooksLikeAStub) {
  for (const std::string_view value :
       {"> 90 % of cases", ">= 3 is needed here", "| a | b | c |", "|x| is the norm of x"}) {
    const auto document =
        parse_document("---\ndescription: \"" + std::string(value) + "\"\n---\nb", kLenient);
    EXPECT_THAT(document.description, Optional(std::string(value)));
    EXPECT_THAT(document.findings, IsEmpty());
  }
}

TEST(Parse, StrictlyAStubIsTheDescriptionAndIsMentioned) {
  const auto document = parse_document("---\ndescription: '| Use when X'\n---\nText.\n", kStrict);
  EXPECT_THAT(document.description, Optional(std::string("| Use when X")));
  EXPECT_THAT(codes(document), ElementsAre("description_stub"));
}

TEST(Parse, AHashDoesNotCutADescription) {
  const auto document = mended("---\nname: x\ndescription: Use C  # and F#, too \n---\nb");
  EXPECT_THAT(document.description, Optional(std::string("Use C  # and F#, too")));
  ASSERT_THAT(codes(document), ElementsAre("description_cut"));
  EXPECT_EQ(document.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(document.findings[0].line, 3U);
  EXPECT_EQ(document.findings[0].column, 14U);
  EXPECT_THAT(mended("---\ndescription: Für C\n  — und # C\n---\nb").description,
              Optional(std::string("Für C — und # C")));
  EXPECT_THAT(mended("---\ndescription: one # two\n  three\n---\nb").description,
              Optional(std::string("one # two three")));
  EXPECT_THAT(mended("---\ntitle: a: b\ndescription: one # two\n---\nb").description,
              Optional(std::string("one # two")));
  EXPECT_THAT(mended("---\r\ndescription: one # two\r\n---\r\nb").description,
              Optional(std::string("one # two")));
  EXPECT_THAT(parse_document("---\ndescription: one # two\n---\nb", kStrict).description,
              Optional(std::string("one")));
}

TEST(Parse, CommentsThatCutNothing) {
  for (const std::string_view lines :
       {"description: \"one\" # two", "description: > # two\n  one", "# two\ndescription: one",
        "name: x # two\ndescription: one", "description: one\n# two"}) {
    const auto document = parse_document("---\n" + std::string(lines) + "\n---\nb", kLenient);
    EXPECT_THAT(document.description, Optional(std::string("one"))) << lines;
    EXPECT_THAT(document.findings, IsEmpty()) << lines;
  }
}

TEST(Parse, FrontmatterBehindAnHtmlComment) {
  const std::string_view bytes =
      "<!-- Copyright\n     me -->\n\n<!-- x -->\n---\ntitle: T\ntype: how-to\n---\n# H\n";
  const auto document = mended(bytes);
  EXPECT_THAT(document.title, Optional(std::string("T")));
  EXPECT_EQ(body(bytes, document), "# H\n");
  ASSERT_THAT(codes(document), ElementsAre("comment_before_fence"));
  EXPECT_EQ(document.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(
      apply_fixes(bytes, document.findings),
      "---\n# <!-- Copyright\n#      me -->\n# <!-- x -->\ntitle: T\ntype: how-to\n---\n# H\n");
  EXPECT_THAT(codes(mended("\xef\xbb\xbf<!-- x -->\r\n---\r\ntitle: T\r\n---\r\nb")),
              ElementsAre("bom", "comment_before_fence"));
  for (const std::string_view plain :
       {"<!-- x -->\n---\n\ntext\n\n---\n", "<!-- x --> y\n---\ntitle: T\n---\n",
        "<!-- x\n---\ntitle: T\n---\n", "<!-- x -->\n---\nNote: a text\n---\n"}) {
    EXPECT_FALSE(parse_document(plain, kLenient).has_frontmatter) << plain;
    EXPECT_THAT(parse_document(plain, kLenient).findings, IsEmpty()) << plain;
  }
}

TEST(Parse, AnUnclosedBlockKeepsTheKeysBehindAnEmptyLine) {
  const std::string_view bytes =
      "---\nname: x\ndescription: |\n  One.\n\n  Two.\n\nlicense: MIT\n\ntype: how-to\n\n# "
      "Title\n\n"
      "text\n";
  const auto document = mended(bytes);
  EXPECT_THAT(document.description, Optional(std::string("One.\n\nTwo.")));
  EXPECT_THAT(document.type, Optional(std::string("how-to")));
  EXPECT_EQ(body(bytes, document), "\n# Title\n\ntext\n");
  EXPECT_THAT(codes(document), ElementsAre("frontmatter_unclosed"));
  // The same with a rule further down, which is not the missing fence.
  const std::string with_rule = std::string(bytes) + "\n---\n\nmore\n";
  const auto ruled = mended(with_rule);
  EXPECT_THAT(ruled.type, Optional(std::string("how-to")));
  EXPECT_EQ(body(with_rule, ruled), "\n# Title\n\ntext\n\n---\n\nmore\n");
  // Text that merely has a colon is text.
  const std::string_view prose = "---\nname: x\n\nNote: a text\n\nmore\n";
  EXPECT_EQ(body(prose, mended(prose)), "\nNote: a text\n\nmore\n");
}

TEST(Parse, ManyEmptyLinesInAnUnclosedBlockAreCheap) {
  std::string bytes = "---\n";
  while (bytes.size() < kMaxFrontmatter - 100) bytes += "a: b\n\n";
  bytes += "title: T\n\ntext\n";
  EXPECT_THAT(parse_document(bytes, kLenient).title, Optional(std::string("T")));
}

TEST(Parse, AFixThatWouldLoseTextIsNotOffered) {
  for (const std::string_view bytes :
       {"---\ndescription: a: b\n# a comment\n  c\n---\nb",
        "---\ntitle: x\n\tdescription: one # two\n---\nb", "---\nname: a: b\nlost\n  c\n---\nb"}) {
    const auto document = parse_document(bytes, kLenient);
    EXPECT_FALSE(document.findings.empty()) << bytes;
    const std::string fixed = apply_fixes(bytes, document.findings);
    for (const std::string_view word : {"a comment", "two", "lost"}) {
      EXPECT_EQ(bytes.find(word) == std::string_view::npos, fixed.find(word) == std::string::npos)
          << bytes << "\n=>\n"
          << fixed;
    }
  }
}

TEST(Parse, KeepsTextLooksAtEverythingButSyntax) {
  EXPECT_TRUE(keeps_text(">-\n  one \"two\"", "\"one \\\"two\\\"\""));
  EXPECT_TRUE(keeps_text("\xef\xbb\xbf", ""));
  EXPECT_TRUE(keeps_text(" \t\r\n", ""));
  EXPECT_FALSE(keeps_text("one # two", "\"one\""));
  EXPECT_FALSE(keeps_text("one two", "two one"));
  EXPECT_FALSE(keeps_text("a\n--\nb", "\"a b\""));
}

TEST(Parse, ALongFirstParagraphIsCut) {
  const std::string paragraph = [] {
    std::string out;
    for (int i = 0; i < 400; ++i) out += "wörter und ";
    return out;
  }();
  const auto document = parse_document("# H\n\n" + paragraph + "\n", kLenient);
  EXPECT_LE(document.teaser.size(), 1024U);
  EXPECT_GT(document.teaser.size(), 1000U);
  EXPECT_TRUE(document.teaser.ends_with("und…") || document.teaser.ends_with("wörter…"));
  ASSERT_THAT(codes(document), ElementsAre("teaser_cut"));
  EXPECT_EQ(document.findings[0].severity, Severity::kInfo);
  // Nothing is cut where there is a description, and a description is never cut.
  const auto described =
      parse_document("---\ndescription: " + paragraph + "\n---\n" + paragraph + "\n", kLenient);
  EXPECT_GT(described.description.value_or("").size(), 4000U);
  EXPECT_THAT(described.findings, IsEmpty());
}

TEST(Parse, DisableModelInvocation) {
  for (const std::string_view value : {"true", "True", "'TRUE'", "\"yes\"", "on", "[x]", "maybe"}) {
    for (const std::string_view more : {"", "\ntitle: a: b"}) {
      const std::string bytes = "---\nname: x\ndisable-model-invocation: " + std::string(value) +
                                std::string(more) + "\n---\nb";
      EXPECT_FALSE(parse_document(bytes, kLenient).for_agents) << bytes;
      EXPECT_FALSE(parse_document(bytes, kStrict).for_agents) << bytes;
    }
  }
  for (const std::string_view value : {"false", "no", "", "~", "'False'"}) {
    for (const std::string_view more : {"", "\ntitle: a: b"}) {
      const std::string bytes = "---\nname: x\ndisable-model-invocation: " + std::string(value) +
                                std::string(more) + "\n---\nb";
      EXPECT_TRUE(parse_document(bytes, kLenient).for_agents) << bytes;
    }
  }
  EXPECT_THAT(codes(parse_document("---\ndisable-model-invocation: maybe\n---\nb", kLenient)),
              ElementsAre("permission_unreadable"));
  EXPECT_TRUE(parse_document("b", kLenient).for_agents);
}

}  // namespace
}  // namespace iii::content
