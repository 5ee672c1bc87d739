// Which document explains a function, and which others mention it.
#include "directory/discovery/guides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bus/sdk/fake_engine.h"
#include "directory/library/scripted_content_for_test.h"
#include "directory/library/testing.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

GuideDocuments shelf(const std::vector<std::pair<std::string, std::string>>& files) {
  GuideDocuments out;
  for (const auto& [id, text] : files) {
    out.push_back(std::make_shared<GuideDocument>(read_guide(id, {0, id + ".md"}, text, true)));
  }
  return out;
}

std::string guide(const GuideDocuments& documents, std::string_view function_id) {
  const GuideDocument* found = find_guide(documents, function_id);
  return found != nullptr ? found->skill_id : "(none)";
}

std::vector<std::string> related(const GuideDocuments& documents, std::string_view function_id) {
  std::vector<std::string> out;
  for (const RelatedSkill& skill :
       related_to(documents, function_id, find_guide(documents, function_id))) {
    out.push_back(skill.id);
  }
  return out;
}

TEST(Guides, TheFunctionsListOrTheOneFunctionDeclareAGuide) {
  const auto documents = shelf({
      {"a", "---\ntype: how-to\nfunctions: [mem::observe, mem::recall]\n---\n# A\n"},
      {"b", "---\ntype: how-to\nfunction_id: mail::send\n---\n# B\n"},
  });
  EXPECT_EQ(guide(documents, "mem::recall"), "a");
  EXPECT_EQ(guide(documents, "mail::send"), "b");
  EXPECT_EQ(guide(documents, "mem::rec"), "(none)");
  EXPECT_THAT(documents[0]->frontmatter.functions, ElementsAre("mem::observe", "mem::recall"));
}

TEST(Guides, ALinkInTheBodyCountsWhenNothingIsDeclared) {
  const auto documents = shelf({
      {"a", "---\ntype: how-to\n---\nSee [it](iii://fn/mem/observer).\n"},
      {"z", "---\ntype: how-to\nfunction_id: mem::observe\n---\nText.\n"},
  });
  EXPECT_EQ(guide(documents, "mem::observe"), "z");   // declared, though later
  EXPECT_EQ(guide(documents, "mem::observer"), "a");  // linked
  EXPECT_EQ(guide(documents, "mem::obs"), "a");       // a prefix is found too, as ever
  EXPECT_EQ(guide(documents, "other::x"), "(none)");
}

TEST(Guides, TheFirstByIdWins) {
  const auto documents = shelf({
      {"a/one", "---\ntype: how-to\nfunction_id: x::y\n---\nA.\n"},
      {"b/two", "---\ntype: how-to\nfunction_id: x::y\n---\nB.\n"},
  });
  EXPECT_EQ(guide(documents, "x::y"), "a/one");
}

TEST(Guides, OtherTypesAndFilesWithoutFrontmatterAreNoGuides) {
  const auto documents = shelf({
      {"a", "---\ntype: reference\nfunctions: [x::y]\n---\niii://fn/x/y\n"},
      {"b", "# Plain\n\niii://fn/x/y and x::y\n"},
      {"c", "---\ntype: How-To\nfunction_id: x::y\n---\nText.\n"},
  });
  EXPECT_EQ(guide(documents, "x::y"), "(none)");
}

TEST(Guides, EveryOtherDocumentThatMentionsItIsRelated) {
  const auto documents = shelf({
      {"a", "---\ntype: how-to\nfunction_id: x::y\n---\nThe guide.\n"},
      {"b", "---\ntype: reference\nfunctions: [x::y]\ntitle: Beta\n---\nText.\n"},
      {"c", "# Gamma\n\nSee iii://fn/x/y.\n"},
      {"d", "# Delta\n\nCall `x::y` then.\n"},
      {"e", "# Epsilon\n\nNothing about x or y, only x::z.\n"},
  });
  EXPECT_THAT(related(documents, "x::y"), ElementsAre("b", "c", "d"));
  const auto rows = related_to(documents, "x::y", nullptr);
  EXPECT_EQ(rows.at(1).title, "Beta");
  EXPECT_EQ(rows.at(2).title, "Gamma");
}

TEST(Guides, ALoneWordIsNotLookedForInSentences) {
  const auto documents = shelf({{"a", "# A\n\nThis is a list.\n"}, {"b", "iii://fn/list\n"}});
  EXPECT_THAT(related(documents, "list"), ElementsAre("b"));
}

TEST(Guides, ADocumentThatMentionsThousandsStaysSmallInMemory) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "call some::function-" + std::to_string(i) + " now\n";
  const auto documents = shelf({{"a", text}});
  EXPECT_LE(documents[0]->mentioned.size(), 64 * 1024U);
  EXPECT_THAT(related(documents, "some::function-0"), ElementsAre("a"));
  EXPECT_THAT(related(documents, "other::function"), IsEmpty());
}

task::Task<void> look_up(Guides& guides, std::optional<FoundGuides>& out) {
  out = co_await guides.about("x::y");
}

TEST(Guides, DocumentsAreNotReadOnTheLoop) {
  net::Loop loop;
  sdk::FakeEngine engine(loop);
  sdk::Worker worker({.name = "w"}, loop, engine.transport());
  auto own = std::make_unique<ScriptedContent>(make_generation({{"a"}}));
  ScriptedContent& content = *own;
  const std::string text = "---\ntype: how-to\nfunction_id: x::y\n---\nDo it.\n";
  FileBytes file;
  file.bytes = text;
  file.stamp.size = 0;  // as the row has it
  content.file = std::move(file);
  LibraryOptions options;
  options.installed.filter = false;
  Library library(worker, Folders{.content = std::move(own), .gate = nullptr}, options);
  Guides guides(library, [](uint16_t) { return std::filesystem::path("/skills"); });
  std::optional<FoundGuides> found;
  worker.spawn(look_up(guides, found));
  engine.run_until([&] { return found.has_value(); });
  ASSERT_TRUE(found->guide);
  EXPECT_EQ(found->guide->body, "Do it.");
  EXPECT_EQ(found->guide->abs_path, "/skills/a.md");
  EXPECT_FALSE(content.readers.contains(std::this_thread::get_id()));
}

}  // namespace
}  // namespace iii::directory
