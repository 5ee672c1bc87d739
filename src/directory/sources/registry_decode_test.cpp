// Decoding of bundles, lists and details, against what the published worker was recorded to write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "directory/sources/registry_decode.h"
#include "foundation/json/write.h"

namespace iii::sources {
namespace {

using json::Value;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Result<Bundle> decode(const std::string& worker, const std::string& body,
                      const BundleLimits& limits = {}) {
  EXPECT_TRUE(json::validate(body)) << body;
  return decode_bundle({.worker = worker, .version = {}, .tag = "latest"}, body, limits);
}
std::string refusal(const std::string& body, const BundleLimits& limits = {}) {
  const auto bundle = decode("w", body, limits);
  return bundle ? "taken" : bundle.error().message;
}
std::vector<std::string> paths(const Bundle& bundle) {
  std::vector<std::string> out;
  for (const BundleFile& file : bundle.files) out.push_back(file.path);
  return out;
}
std::string bytes(const Bundle& bundle, const std::string& path) {
  for (const BundleFile& file : bundle.files) {
    if (file.path == path) return file.bytes;
  }
  return "(none)";
}

TEST(RegistryBundle, PromptsBecomeFilesAsRecorded) {
  const auto bundle = decode("resend", R"({"name":"resend","version":"1.2.3","skills":[
      {"path":"index.md","content":"# resend\n\nResend overview.\n"},
      {"path":"skills/emails/send-email.md","content":"# send\n\nSend.\n"}],
      "prompts":[{"name":"send-email","description":"  Compose and send.  ","content":"Write to {{to}}.",
        "args_schema":{"type":"object","properties":{"to":{"type":"string"}}}}]})");
  ASSERT_TRUE(bundle);
  EXPECT_EQ(bundle->resolved, "1.2.3");
  EXPECT_THAT(paths(*bundle),
              ElementsAre("index.md", "emails/send-email.md", "prompts/send-email.md"));
  EXPECT_EQ(bytes(*bundle, "index.md"), "# resend\n\nResend overview.\n");
  EXPECT_EQ(bytes(*bundle, "prompts/send-email.md"),
            "---\nname: send-email\ndescription: Compose and send.\nargs_schema:\n  properties:\n"
            "    to:\n      type: string\n  type: object\n---\nWrite to {{to}}.\n");
}

TEST(RegistryBundle, OddPromptsBecomeFilesAsRecorded) {
  const auto bundle = decode("promptvar", R"({"name":"promptvar","prompts":[
      {"name":"nodesc","content":"no newline"},
      {"name":"multi","description":"line one\nline two: x","content":"with newline\n"},
      {"name":"tricky","description":"- dash: \"q\" # h","args_schema":null,"content":""},
      {"name":"arr","description":"d","args_schema":[1,{"a":null}],"content":"c\n\n"}]})");
  ASSERT_TRUE(bundle);
  EXPECT_EQ(bytes(*bundle, "prompts/nodesc.md"),
            "---\nname: nodesc\ndescription: ''\n---\nno newline\n");
  EXPECT_EQ(bytes(*bundle, "prompts/multi.md"),
            "---\nname: multi\ndescription: |-\n  line one\n  line two: x\n---\nwith newline\n");
  EXPECT_EQ(bytes(*bundle, "prompts/tricky.md"),
            "---\nname: tricky\ndescription: '- dash: \"q\" # h'\n---\n\n");
  EXPECT_EQ(bytes(*bundle, "prompts/arr.md"),
            "---\nname: arr\ndescription: d\nargs_schema:\n- 1\n- a: null\n---\nc\n\n");
}

TEST(RegistryBundle, OneLeadingFolderIsStrippedAndTheRestKept) {
  const auto bundle = decode("prefix", R"({"name":"prefix","skills":[
      {"path":"skills/SKILL.md","content":"p"},{"path":"skills/skills/x.md","content":"x"},
      {"path":"./a/./b.md","content":"b"},{"path":"img/pic.png","content":"png"},
      {"path":"Upper/Name.md","content":"U"},{"path":".hidden/h.md","content":"h"},
      {"path":"prompts/inskills.md","content":"i"},{"path":"noext","content":"n"},
      {"path":"back\\slash.md","content":"bs"}]})");
  ASSERT_TRUE(bundle);
  EXPECT_THAT(paths(*bundle), ElementsAre("SKILL.md", "skills/x.md", "a/b.md", "img/pic.png",
                                          "Upper/Name.md", "prompts/inskills.md", "noext"));
  EXPECT_EQ(bundle->files[3].role, FileRole::kAsset);
  EXPECT_EQ(bundle->files[5].role, FileRole::kSkill);
  ASSERT_EQ(bundle->skipped.size(), 2U);
  EXPECT_EQ(bundle->skipped[0].path, ".hidden/h.md");
  EXPECT_EQ(bundle->skipped[1].path, "back\\slash.md");
}

TEST(RegistryBundle, AnIndexBesideAnOverviewIsKept) {
  const auto bundle = decode("both", R"({"name":"both","skills":[
      {"path":"index.md","content":"I"},{"path":"SKILL.md","content":"S"}]})");
  ASSERT_TRUE(bundle);
  EXPECT_THAT(paths(*bundle), ElementsAre("index.md", "SKILL.md"));
}

TEST(RegistryBundle, EmptyBundlesAreBundles) {
  for (const char* body : {"{}", "[]", " [ ] ", R"({"name":null,"version":null})",
                           R"({"name":"w","skills":[],"prompts":[],"zzz":1})"}) {
    const auto bundle = decode("w", body);
    ASSERT_TRUE(bundle) << body;
    EXPECT_TRUE(bundle->files.empty());
  }
}

TEST(RegistryBundle, WhatIsNoBundleIsD320) {
  for (const char* body :
       {"5", "\"x\"", "null", "[1]", R"({"name":5})", R"({"skills":null})", R"({"skills":{}})",
        R"({"skills":["x"]})", R"({"skills":[{"path":"a.md"}]})",
        R"({"skills":[{"path":"a.md","content":5}]})", R"({"prompts":null})",
        R"({"prompts":[{"name":"x","description":null,"content":"c"}]})",
        R"({"prompts":[{"name":"x"}]})", R"({"prompts":[[]]})"}) {
    EXPECT_THAT(refusal(body),
                AllOf(HasSubstr("D320 registry_error:"), HasSubstr("could not be decoded")))
        << body;
  }
}

TEST(RegistryBundle, W5_BadPathsAndNamesRefuseTheWholeBundle) {
  const auto with_path = [](const std::string& path) {
    return R"({"skills":[{"path":"ok.md","content":"x"},{"path":)" + path + R"(,"content":"x"}]})";
  };
  for (const char* path :
       {R"("../evil.md")", R"("/etc/x.md")", R"(".")", R"("")", R"("skills/")", R"("a\u0000.md")",
        R"("..\\evil.md")", R"("\\\\host\\x.md")", R"(".iii-skill-complete")", R"(".git/config")",
        R"("a/.GIT/hooks/x")", R"("skills/.iii-directory/journal")"}) {
    EXPECT_THAT(refusal(with_path(path)),
                AllOf(HasSubstr("D312 invalid_bundle:"), HasSubstr("invalid skill path")))
        << path;
  }
  EXPECT_THAT(refusal(R"({"prompts":[{"name":"Bad Name","content":"c"}]})"),
              AllOf(HasSubstr("D312 invalid_bundle:"), HasSubstr("invalid prompt name")));
  EXPECT_THAT(refusal(R"({"name":"other"})"),
              AllOf(HasSubstr("D312"), HasSubstr("\"other\""), HasSubstr("expected \"w\"")));
  EXPECT_THAT(refusal(R"({"skills":[{"path":"prompts/p.md","content":""}],
                          "prompts":[{"name":"p","content":""}]})"),
              HasSubstr("occurs twice"));
}

TEST(RegistryBundle, W6_EntriesAreCountedBeforeTheyAreKept) {
  EXPECT_THAT(refusal(R"({"skills":[{"path":"a","content":""},{"path":"b","content":""}],
                          "prompts":[{"name":"p","content":""}]})",
                      {.max_files = 2}),
              HasSubstr("3 files, at most 2"));
}

// Whatever comes is taken whole and clean, or refused with a code; nothing in between.
TEST(RegistryBundle, MutatedBodiesAreTakenCleanOrRefused) {
  const std::string sample = R"({"name":"w","version":"1","skills":[{"path":"skills/a/b.md",
      "content":"x\n"},{"path":"c.md","content":"\u00e9"}],"prompts":[{"name":"p","description":"d",
      "args_schema":{"k":[1,{"a":null}],"\n":"- : #"},"content":"c"}]})";
  const std::string alphabet = "{}[]\",:\\/.u0ea5 \n";
  std::minstd_rand random(7);
  int taken = 0;
  for (int round = 0; round < 8'000; ++round) {
    std::string body = sample;
    for (unsigned changes = 1 + static_cast<unsigned>(random()) % 3; changes > 0; --changes) {
      const size_t at = random() % body.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 3) {
        case 0:
          body[at] = c;
          break;
        case 1:
          body.insert(at, 1, c);
          break;
        default:
          body.erase(at, 1);
      }
    }
    if (!json::validate(body)) continue;
    skills_tree(body);
    const Value value = *json::parse(body);
    map_list(value);
    map_info("w", value, std::nullopt);
    const auto bundle = decode("w", body);
    if (!bundle) {
      ASSERT_TRUE(bundle.error().code == "D312" || bundle.error().code == "D320") << body;
      continue;
    }
    ++taken;
    for (const BundleFile& file : bundle->files) ASSERT_EQ(*clean_path(file.path, {}), file.path);
  }
  EXPECT_GT(taken, 100);
}

TEST(RegistryBundle, W7_LargePromptsAreTakenLargeSchemasAreSkipped) {
  const std::string large(300'000, 'x');
  const auto bundle = decode("w", R"({"prompts":[{"name":"big","content":")" + large +
                                      R"("},{"name":"deep","content":"","args_schema":{"key":")" +
                                      large + R"("}}]})");
  ASSERT_TRUE(bundle);
  ASSERT_EQ(bundle->files.size(), 1U);
  EXPECT_EQ(bundle->files[0].path, "prompts/big.md");
  ASSERT_EQ(bundle->skipped.size(), 1U);
  EXPECT_EQ(bundle->skipped[0].path, "prompts/deep.md");
}

Value parsed(const std::string& text) { return *json::parse(text); }

Value row_of(const std::string& row) {
  const Value list = map_list(parsed(R"({"workers":[)" + row + "]}"));
  return list.find("workers")->as_array()->at(0);
}

TEST(RegistryRows, W18_OneOddFieldNeverDropsARow) {
  const Value plain = row_of(R"({"name":"x"})");
  EXPECT_EQ(
      json::to_text(plain),
      R"({"author":null,"config":{},"dependencies":[],"description":null,"name":"x",)"
      R"("repo":null,"supported_targets":[],"total_downloads":0,"type":null,"version":null})");
  for (const char* odd :
       {R"("supported_targets":null)", R"("dependencies":null)", R"("total_downloads":-1)",
        R"("total_downloads":1.5)", R"("author":null)", R"("version":3)", R"("image":null)",
        R"("description":[])", R"("license":"MIT","tags":["a"])"}) {
    EXPECT_EQ(row_of(R"({"name":"x",)" + std::string(odd) + "}"), plain) << odd;
  }
  EXPECT_EQ(json::to_text(
                *row_of(R"({"name":"x","author":{"name":"a","verified":null}})").find("author")),
            R"({"name":"a","pfp":null,"verified":false})");
  EXPECT_EQ(json::to_text(*row_of(R"({"name":"x","dependencies":[{"name":"d"},{"version":"1"},5]})")
                               .find("dependencies")),
            R"([{"name":"d","version":""}])");
  EXPECT_EQ(
      json::to_text(*row_of(R"({"name":"x","dependencies":{"d":"^1"}})").find("dependencies")),
      R"([{"name":"d","version":"^1"}])");
  EXPECT_TRUE(row_of(R"({"name":"x","config":null})").find("config")->is_null());
  EXPECT_EQ(*row_of(R"({"name":"x","image":"i:1"})").find("image"), Value("i:1"));
  EXPECT_EQ(
      *row_of(R"({"name":"x","total_downloads":18446744073709551615})").find("total_downloads"),
      Value(uint64_t{18446744073709551615U}));
}

TEST(RegistryRows, W18_RowsWithoutANameAndOtherShapesGiveNothing) {
  const Value list = map_list(parsed(R"({"workers":[{},{"name":5},"x",null,{"name":""}]})"));
  EXPECT_EQ(list.find("workers")->as_array()->size(), 1U);
  for (const char* body :
       {"{}", "[]", R"({"workers":null,"pagination":null})", "5", R"([{"name":"x"}])"}) {
    EXPECT_EQ(json::to_text(map_list(parsed(body))),
              R"({"pagination":{"has_more":false,"next_cursor":null,"page_size":0},"workers":[]})");
  }
}

TEST(RegistryRows, W18_PagesAreReadFieldByField) {
  const auto page = [](const std::string& given) {
    return json::to_text(*map_list(parsed(R"({"pagination":)" + given + "}")).find("pagination"));
  };
  EXPECT_EQ(page(R"({"next_cursor":"n","has_more":true,"page_size":20})"),
            R"({"has_more":true,"next_cursor":"n","page_size":20})");
  EXPECT_EQ(page(R"({"next_cursor":5,"has_more":true,"page_size":-1})"),
            R"({"has_more":true,"next_cursor":null,"page_size":0})");
}

TEST(RegistryRows, W18_DetailsKeepWhatIsRight) {
  const Value info = map_info("oddd", parsed(R"({"worker":{"name":"oddd","supported_targets":null,
      "version":"1","readme":5,"functions":[{"name":"ok","description":"d"},{"description":"no name"}],
      "triggers":[{"name":"t","invocation_schema":{"type":"object"}}]}})"),
                              std::nullopt);
  EXPECT_EQ(*info.find("worker")->find("version"), Value("1"));
  EXPECT_EQ(info.find("readme"), nullptr);
  EXPECT_EQ(json::to_text(*info.find("api_reference")),
            R"({"functions":[{"description":"d","metadata":null,"name":"ok","request_schema":null,)"
            R"("response_schema":null}],"triggers":[{"description":null,"invocation_schema":)"
            R"({"type":"object"},"metadata":null,"name":"t","return_schema":null}]})");
}

TEST(RegistryRows, DetailsInTheOlderFlatForm) {
  const Value info = map_info("flat", parsed(R"({"name":"flat","readme":"# flat\n",
      "api_reference":{"functions":[{"name":"f1"}]},
      "skillsTree":{"skills":[{"path":"a.md"},{}],"prompts":[{"name":"p"}]}})"),
                              std::nullopt);
  EXPECT_EQ(*info.find("readme"), Value("# flat\n"));
  EXPECT_EQ(info.find("api_reference")->find("functions")->as_array()->size(), 1U);
  EXPECT_EQ(json::to_text(*info.find("skills_tree")),
            R"({"prompts":[{"description":null,"name":"p"}],"skills":[{"path":"a.md"}]})");
  EXPECT_EQ(*map_info("n", parsed("[]"), std::nullopt).find("worker")->find("name"), Value("n"));
}

TEST(RegistryRows, TreesAreReadLenientlyAndWithoutContents) {
  EXPECT_EQ(
      json::to_text(skills_tree(R"({"skills":[{"path":"skills/S.md","content":"x"},{"nopath":1},
      {"path":5}],"prompts":[{"name":"p","description":null},{"description":"x"},
      {"name":"q","description":"Q"}]})")),
      R"({"prompts":[{"description":null,"name":"p"},{"description":"Q","name":"q"}],)"
      R"("skills":[{"path":"skills/S.md"}]})");
  EXPECT_EQ(json::to_text(skills_tree("[]")), R"({"prompts":[],"skills":[]})");
}

}  // namespace
}  // namespace iii::sources
