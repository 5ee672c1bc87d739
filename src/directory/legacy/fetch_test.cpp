// Addresses of iii-directory 0.4.1: which are taken, what they mean, how texts are put together.
#include "directory/legacy/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/legacy/directory_041.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = FetchTarget::Kind;
using Uris = std::optional<std::vector<std::string>>;

std::string refusal(const auto& result) { return result ? "accepted" : result.error().message; }

TEST(Fetch, SeveralWinOverOneUnlessThereAreNone) {
  EXPECT_THAT(*wanted_addresses("iii://a", Uris({"iii://b", " iii://c "})),
              ElementsAre("iii://b", "iii://c"));
  EXPECT_THAT(*wanted_addresses("iii://a", Uris(std::vector<std::string>())),
              ElementsAre("iii://a"));
  EXPECT_THAT(*wanted_addresses(" iii://a\n", std::nullopt), ElementsAre("iii://a"));
  EXPECT_THAT(*wanted_addresses(std::nullopt, Uris({"", "iii://b"})), ElementsAre("iii://b"));
}

TEST(Fetch, NothingToReadAndOtherSchemesAreRefused) {
  EXPECT_THAT(refusal(wanted_addresses(std::nullopt, std::nullopt)), HasSubstr("Provide uri"));
  EXPECT_THAT(refusal(wanted_addresses("iii://a", Uris({" "}))), HasSubstr("Provide uri"));
  EXPECT_THAT(refusal(wanted_addresses(std::nullopt, Uris({"iii://a", "https://b"}))),
              HasSubstr("https://b"));
  EXPECT_THAT(refusal(wanted_addresses("III://a", std::nullopt)), HasSubstr("iii://"));
}

TEST(Fetch, AHundredAddressesAreReadAndNotOneMore) {
  EXPECT_TRUE(wanted_addresses(std::nullopt, std::vector<std::string>(100, "iii://a")));
  EXPECT_THAT(refusal(wanted_addresses(std::nullopt, std::vector<std::string>(101, "iii://a"))),
              HasSubstr("at most 100"));
}

TEST(Fetch, AddressesMeanTheIndexASkillOrAFunction) {
  EXPECT_EQ(parse_address("iii://skills")->kind, Kind::kIndex);
  EXPECT_EQ(parse_address("iii://a/b/c")->kind, Kind::kSkill);
  EXPECT_EQ(parse_address("iii://a/b/c")->id, "a/b/c");
  EXPECT_EQ(parse_address("iii://skills/x")->id, "skills/x");
  EXPECT_EQ(parse_address("iii://fn/mem/observe")->kind, Kind::kFunction);
  EXPECT_EQ(parse_address("iii://fn/mem/observe")->id, "mem::observe");
  EXPECT_EQ(parse_address("iii://fn/one")->id, "one");
}

TEST(Fetch, BrokenAddressesSayWhatIsWrong) {
  EXPECT_THAT(refusal(parse_address("iii://")), HasSubstr("missing"));
  EXPECT_THAT(refusal(parse_address("iii://a//b")), HasSubstr("empty"));
  EXPECT_THAT(refusal(parse_address("iii://fn")), HasSubstr("missing a function path"));
  EXPECT_THAT(refusal(parse_address("iii://fn/")), HasSubstr("empty"));
  EXPECT_THAT(refusal(parse_address("iii://A")), HasSubstr("D114"));
  EXPECT_THAT(refusal(parse_address("iii://fn/a::b")), HasSubstr("D114"));
}

TEST(Fetch, SectionsAreHeadedByTheirAddressAndDividedByRules) {
  EXPECT_EQ(join_sections({{"iii://a", "\n# A\n\n\n"}}), "# iii://a\n\n\n# A");
  EXPECT_EQ(join_sections({{"iii://a", "A"}, {"iii://b", ""}, {"iii://c", "C \t\n"}}),
            "# iii://a\n\nA\n\n---\n\n# iii://b\n\n\n\n---\n\n# iii://c\n\nC");
}

TEST(Fetch, TheIndexIndentsByDepth) {
  const std::string page =
      fetch_index({{.id = "a", .title = "Alpha", .description = "First."}, {.id = "a/b"}});
  EXPECT_THAT(page, testing::StartsWith("# Skills\n\n"));
  EXPECT_THAT(page, HasSubstr("\n- [`a`](iii://a) — Alpha — First.\n"));
  EXPECT_THAT(page, HasSubstr("\n  - [`a/b`](iii://a/b) — a/b\n"));
  EXPECT_THAT(fetch_index({}), HasSubstr("\n_"));
}

// Callers of 0.4.1 look for the status in the message.
TEST(Download041, WhatTheRegistryDoesNotHaveIsCalled404) {
  EXPECT_EQ(with_status_041({"invocation_failed", "D310 not_found: no bundle."}).message,
            "D310 not_found: HTTP 404: no bundle.");
  EXPECT_EQ(with_status_041({"invocation_failed", "D320 registry_error: x"}).message,
            "D320 registry_error: x");
}

TEST(Download041, AWorkerNeedsAVersionOrTag) {
  EXPECT_THAT(refusal(source_041({.worker = "mail"})), HasSubstr("version or tag"));
  EXPECT_THAT(refusal(source_041({.worker = "mail", .version = " "})), HasSubstr("version or tag"));
  EXPECT_TRUE(source_041({.worker = "mail", .tag = "latest"}));
  EXPECT_THAT(refusal(source_041({.repo = "https://h/x", .skill = "s", .worker = "mail"})),
              HasSubstr("not both"));
  EXPECT_THAT(refusal(source_041({})), HasSubstr("specify either"));
  EXPECT_THAT(refusal(source_041({.worker = "m", .version = "1", .tag = "t"})),
              HasSubstr("either version OR tag"));
}

}  // namespace
}  // namespace iii::directory
