#include "directory/sources/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace iii::sources {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view path, const BundleLimits& limits = {}) {
  const auto clean = clean_path(path, limits);
  if (clean) return "taken as " + *clean;
  EXPECT_EQ(clean.error().code, "D312");
  EXPECT_THAT(clean.error().message, HasSubstr("invalid skill path"));
  return clean.error().message;
}

Bundle bundle_of(std::vector<BundleFile> files) {
  Bundle bundle{.source = RegistrySource{.worker = "w", .version = {}, .tag = "latest"}};
  bundle.files = std::move(files);
  for (BundleFile& file : bundle.files) file.role = role_of(file.path);
  return bundle;
}

std::string refusal(std::vector<BundleFile> files, const BundleLimits& limits = {}) {
  const auto result = checked(bundle_of(std::move(files)), limits);
  if (result) return "taken";
  EXPECT_EQ(result.error().code, "D312");
  EXPECT_TRUE(result.error().message.starts_with("D312 invalid_bundle: "));
  return result.error().message;
}

TEST(Bundle, CleanPathDropsWhatMeansNothing) {
  EXPECT_EQ(*clean_path("foo.md", {}), "foo.md");
  EXPECT_EQ(*clean_path("a/b/c.md", {}), "a/b/c.md");
  EXPECT_EQ(*clean_path("./a/./b.md", {}), "a/b.md");
  EXPECT_EQ(*clean_path("a//b.md", {}), "a/b.md");
  EXPECT_EQ(*clean_path("Ünï/❤.md", {}), "Ünï/❤.md");
  EXPECT_EQ(*clean_path("a..b/c...md", {}), "a..b/c...md");
}

TEST(Bundle, PathsThatLeadElsewhereAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("non-empty"));
  EXPECT_THAT(refusal("."), HasSubstr("names nothing"));
  EXPECT_THAT(refusal("./"), HasSubstr("names nothing"));
  EXPECT_THAT(refusal("/etc/passwd"), HasSubstr("absolute"));
  EXPECT_THAT(refusal("../x"), HasSubstr("'..'"));
  EXPECT_THAT(refusal("a/../b"), HasSubstr("'..'"));
  EXPECT_THAT(refusal("a\\..\\b"), HasSubstr("'\\'"));
  EXPECT_THAT(refusal(std::string_view("a\0b.md", 6)), HasSubstr("control"));
  EXPECT_THAT(refusal("a\nb.md"), HasSubstr("control"));
  EXPECT_THAT(refusal("a\x7f.md"), HasSubstr("control"));
  EXPECT_THAT(refusal("a\u202edm.exe"), HasSubstr("control"));
  EXPECT_THAT(refusal("a\xff.md"), HasSubstr("UTF-8"));
}

TEST(Bundle, W5_HiddenNamesAreRefused) {
  for (const char* path : {".iii-skill-complete", ".git/config", "a/.hidden/b.md", "..."}) {
    EXPECT_THAT(refusal(path), HasSubstr("hidden")) << path;
  }
  EXPECT_TRUE(is_hidden_path("a/.b/c.md"));
  EXPECT_FALSE(is_hidden_path("./a/../b.md"));
}

TEST(Bundle, W6_LengthAndDepthAtAndAboveTheLimit) {
  const BundleLimits limits{.max_depth = 3, .max_path_bytes = 10};
  EXPECT_EQ(*clean_path("a/b/c", limits), "a/b/c");
  EXPECT_EQ(*clean_path("./a/b/c", limits), "a/b/c");
  EXPECT_THAT(refusal("a/b/c/d", limits), HasSubstr("more than 3 parts"));
  EXPECT_EQ(*clean_path("1234567890", limits), "1234567890");
  EXPECT_THAT(refusal("12345678901", limits), HasSubstr("longer than 10 bytes"));
  EXPECT_TRUE(clean_path(std::string(255, 'a'), {}));
  EXPECT_THAT(refusal(std::string(256, 'a')), HasSubstr("longer than 255"));
  EXPECT_LT(refusal(std::string(100'000, 'a')).size(), 400U);
}

TEST(Bundle, W6_CountsAndSizesAtAndAboveTheLimit) {
  const BundleLimits limits{.max_files = 2, .max_file_bytes = 4, .max_bundle_bytes = 6};
  EXPECT_EQ(refusal({{"a.png", "1234"}, {"b.png", "12"}}, limits), "taken");
  EXPECT_THAT(refusal({{"a", ""}, {"b", ""}, {"c", ""}}, limits), HasSubstr("3 files, at most 2"));
  EXPECT_THAT(refusal({{"a.png", "12345"}}, limits), HasSubstr("5 bytes, at most 4"));
  EXPECT_THAT(refusal({{"a.png", "1234"}, {"b.png", "123"}}, limits), HasSubstr("in total"));
}

TEST(Bundle, W7_LargeDocumentsAreTakenAsReadersServeThemInParts) {
  const auto result = checked(bundle_of({{"SKILL.md", std::string(300'000, 'x')}}), {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->files.size(), 1U);
  EXPECT_TRUE(result->skipped.empty());
}

TEST(Bundle, PathsThatAreOneFileSomewhereAreRefused) {
  EXPECT_THAT(refusal({{"a.md", "1"}, {"a.md", "2"}}), HasSubstr("occurs twice"));
  EXPECT_THAT(refusal({{"a.md", "1"}, {"A.md", "2"}}), HasSubstr("are the same file"));
  EXPECT_THAT(refusal({{"straße.md", "1"}, {"STRASSE.md", "2"}}), HasSubstr("are the same file"));
  // é as one code point, and as e with an accent.
  EXPECT_THAT(refusal({{"\u00e9.md", "1"}, {"e\u0301.md", "2"}}), HasSubstr("are the same file"));
  EXPECT_EQ(refusal({{"e.md", "1"}, {"\u00e9.md", "2"}}), "taken");
}

TEST(Bundle, AFileWhereAnotherNeedsAFolderIsRefused) {
  EXPECT_THAT(refusal({{"a", "1"}, {"a/b.md", "2"}}), HasSubstr("needs a folder"));
  EXPECT_THAT(refusal({{"x/A/b/c.md", "1"}, {"x/a", "2"}}), HasSubstr("needs a folder"));
  EXPECT_EQ(refusal({{"a.md", "1"}, {"a/b.md", "2"}, {"ab/c.md", "3"}}), "taken");
}

TEST(Bundle, PathsAreCheckedAgainWithTheWhole) {
  EXPECT_THAT(refusal({{"../a.md", "1"}}), HasSubstr("'..'"));
  EXPECT_THAT(refusal({{"./a.md", "1"}}), HasSubstr("clean form"));
}

TEST(Bundle, W21_RolesByPlaceAndReportedNames) {
  EXPECT_EQ(role_of("SKILL.md"), FileRole::kSkill);
  EXPECT_EQ(role_of("C++/SKILL.MD"), FileRole::kSkill);
  EXPECT_EQ(role_of("skill.markdown"), FileRole::kSkill);
  EXPECT_EQ(role_of("a/b.md"), FileRole::kSkill);
  EXPECT_EQ(role_of("prompts/p.md"), FileRole::kPrompt);
  EXPECT_EQ(role_of("a/prompts/b/p.md"), FileRole::kPrompt);
  EXPECT_EQ(role_of("promptsx/p.md"), FileRole::kSkill);
  EXPECT_EQ(role_of("prompts/p.txt"), FileRole::kAsset);
  EXPECT_EQ(role_of("img/pic.png"), FileRole::kAsset);
  EXPECT_EQ(role_of("noext"), FileRole::kAsset);
  EXPECT_EQ(reported_name({"a/prompts/b/p.md", "", FileRole::kPrompt}), "p");
  EXPECT_EQ(reported_name({"a/b.md", "", FileRole::kSkill}), "a/b.md");
}

}  // namespace
}  // namespace iii::sources
