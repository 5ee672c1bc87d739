#include "directory/search/find.h"

#include <gmock/gmock.h>

#include "directory/search/function_document.h"
#include "directory/search/judged_for_test.h"
#include "directory/search/skill_document.h"

namespace iii::search {
namespace {

const Index& catalogue() {
  static const Index index = [] {
    const auto function = [](std::string_view id, std::string_view description) {
      return function_document(
          {.id = id, .description = description, .parameters = {{.name = "bed_id"}}});
    };
    return index_of(
        function_profile(),
        {function("vault::secret::rotate", "Rotate a secret and revoke the old value."),
         function("vault::secret::read", "Read the current value of a secret."),
         function("mail::send", "Send an e-mail with attachments to several people."),
         function("darkroom::thumbnail", "Make a small preview of an image."),
         function("greenhouse::sensors::read", "Read temperature and humidity of a bed."),
         function("lexicon::translate", "Translate a text into another language.")});
  }();
  return index;
}

Answer ask(std::string_view query, const Options& options = {}) {
  const auto answer = find(catalogue(), query, options);
  EXPECT_TRUE(answer.has_value());
  return answer.value_or(Answer{});
}

std::string code(std::string_view query, const Options& options = {}) {
  const auto answer = find(catalogue(), query, options);
  return answer ? "" : answer.error().code;
}

TEST(Find, BestFirstWithReasons) {
  const Answer answer = ask("erase... no, rotate secrets");
  ASSERT_EQ(answer.kind, Answer::Kind::kFound);
  ASSERT_FALSE(answer.hits.empty());
  const Hit& hit = answer.hits[0];
  EXPECT_EQ(hit.key, "vault::secret::rotate");
  EXPECT_GT(hit.f, 0.3);
  ASSERT_EQ(hit.matches.size(), 2U);
  EXPECT_EQ(hit.matches[0].word, "rotate");
  EXPECT_EQ(hit.matches[1].word, "secrets");
  EXPECT_EQ(hit.matches[1].found, "secret");
  EXPECT_EQ(hit.matches[1].kind, Match::Kind::kSame);
  EXPECT_THAT(field_names(function_profile(), hit.matches[1].fields),
              testing::ElementsAre("name", "description"));
}

TEST(Find, SynonymsAndCorrectionsAreReasonsOfTheirOwn) {
  const Answer picture = ask("preview of a picture");
  ASSERT_FALSE(picture.hits.empty());
  EXPECT_EQ(picture.hits[0].key, "darkroom::thumbnail");
  EXPECT_THAT(picture.hits[0].matches,
              testing::Contains(testing::AllOf(
                  testing::Field(&Match::word, "picture"), testing::Field(&Match::found, "imag"),
                  testing::Field(&Match::kind, Match::Kind::kSynonym))));
  const Answer typo = ask("thumnail of an image");
  ASSERT_FALSE(typo.hits.empty());
  EXPECT_EQ(typo.hits[0].matches.at(0).kind, Match::Kind::kSimilar);
  const Answer prefix = ask("gree", {.floor = false});
  ASSERT_FALSE(prefix.hits.empty());
  EXPECT_EQ(prefix.hits[0].key, "greenhouse::sensors::read");
  EXPECT_EQ(prefix.hits[0].matches.at(0).kind, Match::Kind::kPrefix);
}

TEST(Find, AnIdIsLookedUp) {
  const Answer exact = ask("  mail::send ");
  EXPECT_EQ(exact.kind, Answer::Kind::kExact);
  ASSERT_EQ(exact.hits.size(), 1U);
  EXPECT_EQ(exact.hits[0].key, "mail::send");
  const Answer unknown = ask("vault::secret::explode");
  EXPECT_EQ(unknown.kind, Answer::Kind::kUnknownId);
  EXPECT_TRUE(unknown.hits.empty());
  EXPECT_THAT(unknown.nearest, testing::Contains("vault::secret::rotate"));
  EXPECT_EQ(ask("mail::send", {.accept = [](std::string_view) { return false; }}).kind,
            Answer::Kind::kUnknownId);
}

TEST(Find, NothingFits) {
  const Answer answer = ask("xqzt vrrbl plonk");
  EXPECT_EQ(answer.kind, Answer::Kind::kNothing);
  EXPECT_TRUE(answer.hits.empty());
  EXPECT_TRUE(answer.nearest.empty());
  EXPECT_EQ(ask("the of and").kind, Answer::Kind::kNothing);
  EXPECT_EQ(ask("!!! ???").kind, Answer::Kind::kNothing);
}

// Somebody who knows a word finds the document that has it, however long the text around it is.
TEST(Find, ALongTextIsFoundByAWordThatItMentionsOnce) {
  std::string body = "# Operations\n\nHow to run it. Import the Grafana dashboard.\n\n";
  for (int i = 0; i < 400; ++i) body += "Logs and health of service " + std::to_string(i) + ".\n";
  std::vector<Document> documents{skill_document({.id = "operations",
                                                  .title = "Operations",
                                                  .description = "Run it as a service.",
                                                  .body = body})};
  for (int i = 0; i < 20; ++i) {
    const std::string id = "cook" + std::to_string(i);
    documents.push_back(skill_document({.id = id,
                                        .title = "Cooking",
                                        .description = "How to cook a meal for many guests.",
                                        .body = "Import the salt, then stir."}));
  }
  const Index index = index_of(skill_profile(), std::move(documents));
  for (const std::string_view query : {"grafana", "import the grafana dashboard", "Dashboards"}) {
    const auto answer = find(index, query, {});
    ASSERT_TRUE(answer) << query;
    ASSERT_EQ(answer->hits.size(), 1U) << query;
    EXPECT_EQ(answer->hits[0].key, "operations");
  }
  // One of two words is not enough.
  EXPECT_TRUE(find(index, "grafana quantum", {})->hits.empty());
}

TEST(Find, WhatAModelDoesItselfNeedsMore) {
  // A function is named so: the ordinary floor.
  EXPECT_EQ(ask("translate this letter").kind, Answer::Kind::kFound);
  EXPECT_TRUE(ask("summarize the temperature chapter").hits.empty());
}

TEST(Find, OnlyAcceptedDocumentsCount) {
  const Options options{.accept = [](std::string_view key) { return key.ends_with("read"); }};
  const Answer answer = ask("rotate or read a secret", options);
  ASSERT_EQ(answer.hits.size(), 1U);
  EXPECT_EQ(answer.hits[0].key, "vault::secret::read");
}

TEST(Find, LimitsOfAQuery) {
  EXPECT_EQ(code(std::string(kMaxQueryBytes, 'x')), "");
  EXPECT_EQ(code(std::string(kMaxQueryBytes + 1, 'x')), "query_too_long");
  EXPECT_EQ(code(std::string(64 * 1024, ' ')), "query_too_long");
  EXPECT_EQ(code(""), "query_empty");
  EXPECT_EQ(code(" \t\u3000\n"), "query_empty");
  EXPECT_EQ(code("mail \xff"), "query_not_utf8");
  EXPECT_EQ(code("mail", {.limit = 0}), "limit_out_of_range");
  EXPECT_EQ(code("mail", {.limit = kMaxLimit}), "");
  EXPECT_EQ(code("mail", {.limit = kMaxLimit + 1}), "limit_out_of_range");
}

TEST(Find, OfManyWordsTheFirstCount) {
  std::string query;
  for (size_t i = 0; i < kMaxQueryUnits - 1; ++i) query += "qx" + std::to_string(1000 + i) + "q ";
  // Each of these is several words; `mail` is far behind the last that counts.
  const auto is_found = [&](const std::string& text) {
    const Answer answer = ask(text, {.floor = false});
    return !answer.hits.empty() && answer.hits[0].lexical > 0;
  };
  EXPECT_FALSE(is_found(query + " thumbnail"));
  EXPECT_TRUE(is_found("thumbnail " + query));
}

TEST(Find, HostileUnicodeIsBoundedWork) {
  std::string marks = "a";
  while (marks.size() + 2 <= kMaxQueryBytes) marks += "\u0301";
  EXPECT_EQ(code(marks), "");
  std::string ligatures;
  while (ligatures.size() + 3 <= kMaxQueryBytes) ligatures += "\uFDFA";
  EXPECT_EQ(code(ligatures), "");
}

TEST(FindAll, RowsComeInTurn) {
  const std::vector<std::string> capabilities{"rotate a secret", "send mail", "small preview"};
  const auto merged = find_all(catalogue(), capabilities);
  ASSERT_TRUE(merged.has_value());
  ASSERT_EQ(merged->answers.size(), 3U);
  ASSERT_GE(merged->rows.size(), 3U);
  EXPECT_EQ(merged->rows[0].key, "vault::secret::rotate");
  EXPECT_EQ(merged->rows[1].key, "mail::send");
  EXPECT_EQ(merged->rows[1].capability, 1U);
  EXPECT_EQ(merged->rows[2].key, "darkroom::thumbnail");
  std::vector<std::string> keys;
  for (const MergedHit& row : merged->rows) keys.push_back(row.key);
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::unique(keys).begin(), keys.end());
}

TEST(FindAll, AnErrorOfOneIsThatOfAll) {
  const auto bad = find_all(catalogue(), std::vector<std::string>{"mail", ""});
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().code, "query_empty");
  EXPECT_TRUE(find_all(catalogue(), {})->rows.empty());
}

}  // namespace
}  // namespace iii::search
