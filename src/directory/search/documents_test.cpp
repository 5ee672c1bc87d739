#include <gmock/gmock.h>

#include "directory/search/function_document.h"
#include "directory/search/sentences.h"
#include "directory/search/skill_document.h"
#include "foundation/base/text.h"

namespace iii::search {
namespace {

TEST(Sentences, EndWhereReadersStop) {
  const auto first = [](std::string_view text) { return split_sentences(text).first; };
  EXPECT_EQ(first("List files. Then more."), "List files.");
  EXPECT_EQ(first("Use v1.2 of it, e.g. this one. Next"), "Use v1.2 of it, e.g. this one.");
  EXPECT_EQ(first("Really? `yes`"), "Really?");
  EXPECT_EQ(first("One\n  \nTwo"), "One");
  EXPECT_EQ(first("发布公告。通知部门。"), "发布公告。");
  EXPECT_EQ(first("  no end "), "no end");
  EXPECT_EQ(split_sentences("List files. Then more.").rest, "Then more.");
  EXPECT_EQ(first(""), "");
}

TEST(Sentences, AreCutAtASpace) {
  std::string text(150, 'a');
  text += " bbbbbbbbb ccc";  // the second word ends at 160
  EXPECT_EQ(split_sentences(text).first.size(), 160U);
  EXPECT_EQ(split_sentences(text).rest, "ccc");
  text.insert(0, "x");
  EXPECT_EQ(split_sentences(text).first.size(), 151U);
  EXPECT_EQ(utf8_length(split_sentences(std::string(500, 'a')).first), kSentenceCharacters);
}

TEST(FunctionDocument, SplitsTheId) {
  const auto fields = [](std::string_view id) {
    const Document document = function_document({.id = id});
    return document.fields[function_field::kNamespace] + "|" +
           document.fields[function_field::kName];
  };
  EXPECT_EQ(fields("vault::secret::rotate"), "vault|secret::rotate");
  EXPECT_EQ(fields("a/b.c"), "a|b.c");
  EXPECT_EQ(fields("alone"), "|alone");
  EXPECT_EQ(fields(""), "|");
}

TEST(FunctionDocument, HasParametersAndTheirTexts) {
  const Document document = function_document(
      {.id = "a::b",
       .description = "Reads. And more.",
       .parameters = {{.name = "bed_id", .description = "which bed"}, {.name = "unit"}}});
  EXPECT_EQ(document.fields[function_field::kSentence], "Reads.");
  EXPECT_EQ(document.fields[function_field::kRest], "And more.");
  EXPECT_EQ(document.fields[function_field::kParameters], "bed_id unit");
  EXPECT_EQ(document.fields[function_field::kParameterTexts], "which bed");
}

TEST(FunctionDocument, SomeAreNeverAnswers) {
  EXPECT_FALSE(is_searchable_function("engine::functions::list"));
  EXPECT_FALSE(is_searchable_function("state::claim-namespace"));
  EXPECT_FALSE(is_searchable_function("mail::on-config-change"));
  EXPECT_TRUE(is_searchable_function("state::set"));
}

TEST(SkillDocument, NameAndTitle) {
  const Document document =
      skill_document({.id = "tools/acme--pdf-split", .title = "", .description = "", .body = ""});
  EXPECT_EQ(document.fields[skill_field::kName], "pdf-split");
  EXPECT_EQ(document.fields[skill_field::kTitle], "tools/acme--pdf-split");
}

TEST(SkillDocument, AStubIsReplacedByTheFirstParagraph) {
  const std::string body =
      "# Title\n\n![logo](a.png)\n```sh\nnot this\n```\n- nor this\n\nSplits PDF files\ninto "
      "pages.\n\nMore.\n";
  EXPECT_EQ(skill_description(">-", body), "Splits PDF files into pages.");
  EXPECT_EQ(skill_description("|+ A description that is long enough", body),
            "A description that is long enough");
  EXPECT_EQ(skill_description("No description provided.", body), "Splits PDF files into pages.");
  EXPECT_EQ(skill_description("Short", ""), "Short");
  EXPECT_EQ(skill_description("exactly 20 characte", body), "Splits PDF files into pages.");
  EXPECT_EQ(skill_description("exactly 20 character", body), "exactly 20 character");
}

TEST(SkillDocument, OfTheBodyTheBeginning) {
  const std::string body(10'000, 'b');
  const Document document = skill_document({.id = "a", .title = "t", .body = body});
  EXPECT_EQ(document.fields[skill_field::kBody].size(), kBodyCharacters);
}

TEST(SkillDocument, CopiesAreRecognised) {
  const SkillText one{.id = "a", .title = "T", .description = "The same description of it."};
  SkillText other = one;
  other.id = "b";
  EXPECT_EQ(skill_document(one).copy_of, skill_document(other).copy_of);
  other.title = "U";
  EXPECT_NE(skill_document(one).copy_of, skill_document(other).copy_of);
}

}  // namespace
}  // namespace iii::search
