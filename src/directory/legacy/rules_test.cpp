// The pure rules of skills 0.1.5, named after the rows of its checklist (skills-legacy §10, A).
#include <gtest/gtest.h>

#include <string>

#include "directory/legacy/documents.h"
#include "directory/legacy/names.h"
#include "directory/legacy/resource.h"
#include "directory/legacy/skill_text.h"
#include "directory/library/testing.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

using Kind = ResourceUri::Kind;

std::string reason(const Result<void>& result) { return result ? "" : result.error().message; }

std::string repeat(std::string_view text, size_t count) {
  std::string out;
  while (count-- > 0) out += text;
  return out;
}

SectionText section(std::string_view output) { return section_text(json::parse(output).value()); }

size_t count_messages(std::string_view output) {
  const auto messages = prompt_messages(output);
  return messages ? messages->size() : 0;
}

// The file of a worker that is not installed is hidden; what was registered under its id is not.
TEST(LegacyLists, ARegistrationBehindAHiddenFileIsShown) {
  const content::GenerationPtr files =
      make_generation({{"mail/index"}, {"seen/index"}, {"gone/index"}});
  const auto registrations = std::make_shared<Registrations>();
  for (const char* key : {"BAD id", "mail"}) {
    registrations->skills.push_back(
        std::make_shared<const RegisteredDocument>(RegisteredDocument{.key = key}));
  }
  const auto ids = [&](NamesPtr installed) {
    std::string out;
    for (const auto& skill : skills_in({View(files, std::move(installed)), registrations})) {
      out += skill.id + " " + skill.origin + ", ";
    }
    return out;
  };
  EXPECT_EQ(ids(std::make_shared<const NameSet>(NameSet{"seen"})), "mail registered, seen file, ");
  EXPECT_EQ(ids(nullptr), "gone file, mail file, seen file, ") << "a file that is shown wins";
}

}  // namespace

TEST(LegacyText, A01_TitleIsTheFirstHeading) {
  EXPECT_EQ(heading_of("# my skill\n\nbody"), "my skill");
  EXPECT_EQ(heading_of("text\n   # later \r\n"), "later");
  EXPECT_EQ(heading_of("# Title #"), "Title #");
  EXPECT_EQ(heading_of("# "), "");
}

TEST(LegacyText, A02_OtherHeadingsAreNoTitle) {
  for (const char* text : {"## two\n\nbody", "#Hash", "#\tx", "#\u00a0x", "##", "> # q", "- # x",
                           "#", "\ufeff# x", ""}) {
    EXPECT_EQ(heading_of(text), std::nullopt) << text;
  }
}

TEST(LegacyText, A03_DescriptionIsTheFirstParagraph) {
  EXPECT_EQ(paragraph_of("# t\n\nfirst paragraph here.\n\nsecond"), "first paragraph here.");
  EXPECT_EQ(paragraph_of("a\nb\n\nc"), "a b");
  EXPECT_EQ(paragraph_of("para\n# h\nmore"), "para");
  EXPECT_EQ(paragraph_of("---\nname: x\n---"), "--- name: x ---");
}

TEST(LegacyText, A04_HeadingsBeforeTheTextAreSkipped) {
  EXPECT_EQ(paragraph_of("# a\n## b\n### c\n\nfinally text."), "finally text.");
  EXPECT_EQ(paragraph_of("#x\ntext"), "text");
}

TEST(LegacyText, A05_NothingButHeadingsHasNoDescription) {
  EXPECT_EQ(paragraph_of("# a\n\n## b\n"), "");
  EXPECT_EQ(paragraph_of(" \u3000\n\u00a0\n"), "");
}

TEST(LegacyText, A06_CutsByCharactersAndSaysSo) {
  const std::string cut = cut_text(repeat("áéíóú", 50), 5);
  EXPECT_EQ(cut, "áéíóú...");
  EXPECT_EQ(utf8_length(cut), 8U);
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("a", 0), "...");
  EXPECT_EQ(cut_text("", 0), "");
  EXPECT_EQ(paragraph_of(repeat("é", 140)), repeat("é", 140));
  EXPECT_EQ(paragraph_of(repeat("é", 141)), repeat("é", 140) + "...");
}

TEST(LegacyUri, A07_TheIndex) { EXPECT_EQ(parse_resource_uri("iii://skills")->kind, Kind::kIndex); }

TEST(LegacyUri, A08_ASkill) {
  const auto uri = parse_resource_uri("iii://brain");
  EXPECT_EQ(uri->kind, Kind::kSkill);
  EXPECT_EQ(uri->skill_id, "brain");
  for (const char* text : {"iii://SKILLS", "iii://a::b", "iii://a?x=1", "iii://skills?x"}) {
    EXPECT_EQ(parse_resource_uri(text)->kind, Kind::kSkill) << text;
  }
}

TEST(LegacyUri, A09_ASection) {
  const auto uri = parse_resource_uri("iii://brain/brain::summarize");
  EXPECT_EQ(uri->kind, Kind::kSection);
  EXPECT_EQ(uri->skill_id, "brain");
  EXPECT_EQ(uri->function_id, "brain::summarize");
}

TEST(LegacyUri, A10_OtherSchemesAreRefusedByName) {
  for (const char* text : {"brain", "", "III://a", " iii://a", "iii:/a", "https://example.com"}) {
    const auto uri = parse_resource_uri(text);
    ASSERT_FALSE(uri) << text;
    EXPECT_NE(uri.error().message.find("iii://"), std::string::npos);
    EXPECT_NE(uri.error().message.find(text), std::string::npos);
  }
}

TEST(LegacyUri, A11_NothingBelowASection) {
  for (const char* text : {"iii://x/y/z", "iii://a//b", "iii://a/b/"}) {
    const auto uri = parse_resource_uri(text);
    ASSERT_FALSE(uri) << text;
    EXPECT_NE(uri.error().message.find("more than one path segment"), std::string::npos);
    EXPECT_NE(uri.error().message.find(text), std::string::npos);
  }
  for (const char* text : {"iii://", "iii:///", "iii:///fn", "iii://a/", "iii://skills/"}) {
    const auto uri = parse_resource_uri(text);
    ASSERT_FALSE(uri) << text;
    EXPECT_NE(uri.error().message.find("missing"), std::string::npos);
  }
}

TEST(LegacyNames, A12_GoodIds) {
  for (const std::string& id : {std::string("my-skill-1"), std::string("a"), std::string("-"),
                                std::string("_"), std::string("skills"), std::string(64, 'a')}) {
    EXPECT_EQ(reason(check_key(ChangeKind::kSkill, id)), "") << id;
  }
}

TEST(LegacyNames, A13_BadIds) {
  for (const char* id : {"UpperCase", "a b", "a/b", "a::b", "a.b", "é", "a\n"}) {
    EXPECT_NE(reason(check_key(ChangeKind::kSkill, id)).find("lowercase"), std::string::npos) << id;
  }
  EXPECT_EQ(reason(check_key(ChangeKind::kSkill, "")), "id must be non-empty");
}

TEST(LegacyNames, A14_LongIdsAreCountedInBytes) {
  const std::string text = reason(check_key(ChangeKind::kSkill, std::string(65, 'a')));
  EXPECT_NE(text.find("too long"), std::string::npos);
  EXPECT_NE(text.find("65"), std::string::npos);
  EXPECT_NE(text.find("64"), std::string::npos);
  EXPECT_NE(reason(check_key(ChangeKind::kSkill, repeat("é", 40))).find("80"), std::string::npos);
  EXPECT_NE(reason(check_key(ChangeKind::kSkill, repeat("é", 32))).find("lowercase"),
            std::string::npos);
}

TEST(LegacyNames, A15_GoodPromptNames) {
  EXPECT_TRUE(check_key(ChangeKind::kPrompt, "send-email"));
}

TEST(LegacyNames, A16_BadPromptNames) { EXPECT_FALSE(check_key(ChangeKind::kPrompt, "mcp::send")); }

TEST(LegacyNames, A17_ArgumentsAreDistinct) {
  RegisteredDocument prompt{.key = "p",
                            .description = "d",
                            .arguments = {{.name = "to"}, {.name = "to"}},
                            .function_id = "f"};
  EXPECT_EQ(reason(check_registration(ChangeKind::kPrompt, prompt)),
            "duplicate argument name \"to\"");
  prompt.arguments[1].name = "To";
  EXPECT_TRUE(check_registration(ChangeKind::kPrompt, prompt));
}

TEST(LegacyNames, A18_ArgumentsHaveNames) {
  const RegisteredDocument prompt{
      .key = "p", .description = "d", .arguments = {{.name = "\u00a0 "}}, .function_id = "f"};
  EXPECT_EQ(reason(check_registration(ChangeKind::kPrompt, prompt)),
            "argument name must be non-empty");
}

TEST(LegacyOutputs, A19_AStringIsMarkdown) {
  EXPECT_EQ(section(R"("hello")").mime_type, "text/markdown");
  EXPECT_EQ(section(R"("hello")").text, "hello");
}

TEST(LegacyOutputs, A20_ContentIsMarkdown) {
  EXPECT_EQ(section(R"({"content":"hi","more":1})").mime_type, "text/markdown");
  EXPECT_EQ(section(R"({"content":"hi","more":1})").text, "hi");
}

TEST(LegacyOutputs, A21_AnythingElseIsPrettyJson) {
  EXPECT_EQ(section(R"({"x":1})").mime_type, "application/json");
  EXPECT_EQ(section(R"({"x":1})").text, "{\n  \"x\": 1\n}");
  EXPECT_EQ(section("null").text, "null");
  EXPECT_EQ(section(R"([1,"a",[],{},{"b":1,"a":[]}])").text,
            "[\n  1,\n  \"a\",\n  [],\n  {},\n  {\n    \"a\": [],\n    \"b\": 1\n  }\n]");
  for (const auto& [in, out] : std::vector<std::pair<const char*, const char*>>{
           {"1e21", "1e+21"},
           {"1e-7", "1e-7"},
           {"123456789012345680000", "1.2345678901234568e+20"},
           {"18446744073709552000", "1.8446744073709552e+19"},
           {"0.00001", "0.00001"},
           {"123456789.123", "123456789.123"},
           {"-1.5", "-1.5"},
           {"1.0", "1.0"},
           {"1e100", "1e+100"}}) {
    EXPECT_EQ(section(in).text, out);
  }
}

TEST(LegacyOutputs, A22_APromptFromAString) { EXPECT_EQ(count_messages(R"("hi")"), 1U); }

TEST(LegacyOutputs, A23_APromptWithMessages) {
  EXPECT_EQ(count_messages(R"({"messages":[{"role":"user"},{"role":"assistant"}],"content":"x"})"),
            2U);
  EXPECT_TRUE(prompt_messages(R"({"messages":[]})"));
}

TEST(LegacyOutputs, A24_OtherPromptsAreRefused) {
  for (const char* output : {R"({"x":1})", "null", "[]", "5", R"({"messages":1})"}) {
    const auto messages = prompt_messages(output);
    ASSERT_FALSE(messages) << output;
    EXPECT_NE(messages.error().message.find("unsupported shape"), std::string::npos);
  }
}

TEST(LegacyGuard, A25_A33_ReservedFunctions) {
  for (const char* id :
       {"state::get", "engine::workers", "stream::publish", "iii.on_foo", "iii::internal",
        "mcp::handler", "a2a::send", "skills::register", "prompts::register"}) {
    EXPECT_TRUE(is_reserved_function(id)) << id;
  }
}

TEST(LegacyGuard, A34_A36_OtherFunctions) {
  for (const char* id :
       {"mem::observe", "brain::summarize", "my-worker::my-fn", "engine", "iii", "Engine::x"}) {
    EXPECT_FALSE(is_reserved_function(id)) << id;
  }
}

TEST(LegacyText, TheIndexNamesEverySkillAndFallsBackToItsId) {
  const std::string page =
      index_page({{.id = "a", .title = "A", .description = "about a"}, {.id = "b"}}, "");
  EXPECT_EQ(page.substr(0, 9), "# Skills\n");
  EXPECT_NE(page.find("\n\n- [`a`](iii://a) — A — about a\n- [`b`](iii://b) — b\n"),
            std::string::npos);
  EXPECT_NE(index_page({}, "").find("\n\n_"), std::string::npos);
  EXPECT_NE(index_page({}, "state::list: x").find("state::list: x"), std::string::npos);
}

}  // namespace iii::directory
