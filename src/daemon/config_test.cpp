#include "daemon/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/write.h"

namespace iii::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Config, EmptyTextGivesTheDefaultsOf080) {
  for (const char* text : {"", "{}", "~", "# nothing"}) {
    const ConfigReading reading = parse_config(text, {});
    EXPECT_EQ(reading.config, DirectoryConfig{}) << text;
    EXPECT_THAT(reading.warnings, IsEmpty()) << text;
  }
  EXPECT_EQ(DirectoryConfig{}.skills_folder, "~/.iii/skills");
  EXPECT_EQ(DirectoryConfig{}.local_skills_folder, "./.iii/skills");
  EXPECT_TRUE(DirectoryConfig{}.filter_unregistered);
  EXPECT_EQ(DirectoryConfig{}.registry_cache_ttl_ms, 60'000U);
}

TEST(Config, ReadsEveryKindOfKey) {
  const ConfigReading reading = parse_config(
      "skills_folder: /a\nregistry_cache_ttl_ms: 5\nfilter_unregistered: false\n"
      "extra_skills_folders: [~/.agents/skills, /x]\n",
      {});
  EXPECT_THAT(reading.warnings, IsEmpty());
  EXPECT_EQ(reading.config.skills_folder, "/a");
  EXPECT_EQ(reading.config.registry_cache_ttl_ms, 5U);
  EXPECT_FALSE(reading.config.filter_unregistered);
  EXPECT_THAT(reading.config.extra_skills_folders, ElementsAre("~/.agents/skills", "/x"));
}

TEST(Config, UnknownKeysAreNamedWithASuggestion) {
  const ConfigReading reading = parse_config("skill_folder: /a\n", {});
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("Did you mean skills_folder?")));
}

TEST(Config, ABadFileGivesTheDefaultsAndOneWarning) {
  for (const char* text :
       {"- a\n- b\n", "a: [", "registry_cache_ttl_ms: soon", "filter_unregistered: 5",
        "registry_cache_ttl_ms: -1", "extra_skills_folders: x"}) {
    const ConfigReading reading = parse_config(std::string("skills_folder: /a\n") + text, {});
    const ConfigReading alone = parse_config(text, {});
    EXPECT_EQ(alone.config, DirectoryConfig{}) << text;
    EXPECT_EQ(alone.warnings.size(), 1U) << text;
    EXPECT_FALSE(reading.warnings.empty()) << text;
  }
}

TEST(Config, TheEnvironmentOverridesTheFile) {
  ConfigReading reading = parse_config("skills_folder: /a\nlenient: true\n", {});
  apply_environment(reading, [](const std::string& name) -> std::optional<std::string> {
    if (name == "III_DIRECTORY_SKILLS_FOLDER") return "/b";
    if (name == "III_DIRECTORY_LENIENT") return "false";
    if (name == "III_DIRECTORY_BUILTIN_DOCS") return "perhaps";
    return std::nullopt;
  });
  EXPECT_EQ(reading.config.skills_folder, "/b");
  EXPECT_FALSE(reading.config.lenient);
  EXPECT_TRUE(reading.config.builtin_docs);
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("III_DIRECTORY_BUILTIN_DOCS")));
}

TEST(Config, EachEarlierGenerationHasASwitchThatTheEnvironmentKnowsToo) {
  ConfigReading reading = parse_config("legacy_directory_051: false\nlegacy_open_fn: true\n", {});
  EXPECT_TRUE(reading.config.legacy_directory_041);
  EXPECT_FALSE(reading.config.legacy_directory_051);
  EXPECT_TRUE(reading.config.legacy_open_fn);
  apply_environment(reading, [](const std::string& name) -> std::optional<std::string> {
    if (name == "III_DIRECTORY_LEGACY_DIRECTORY_041") return "false";
    return std::nullopt;
  });
  EXPECT_FALSE(reading.config.legacy_directory_041);
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(Config, ScopesAreTextAndEitherMayBeLeftOut) {
  const auto scopes = [](std::string_view yaml) {
    const DirectoryConfig config = parse_config(yaml, {}).config;
    return config.skills_scope + "|" + config.prompts_scope;
  };
  EXPECT_EQ(scopes(""), "skills|prompts");
  EXPECT_EQ(scopes("scopes:\n"), "skills|prompts");
  EXPECT_EQ(scopes("scopes: {skills: mine}\n"), "mine|prompts");
  EXPECT_EQ(scopes("scopes: {skills: 5, prompts: \"\", other: x}\n"), "5|");
  EXPECT_EQ(scopes("scopes: [a]\n"), "skills|prompts");
  // One wrong value takes the whole file with it.
  EXPECT_EQ(scopes("scopes: {skills: a}\nstate_timeout_ms: \"10\"\n"), "skills|prompts");
  EXPECT_EQ(scopes("scopes: {skills: [a]}\n"), "skills|prompts");
  ConfigReading reading = parse_config("", {});
  apply_environment(reading, [](const std::string& name) -> std::optional<std::string> {
    if (name == "III_DIRECTORY_SCOPES") return "{skills: env}";
    return std::nullopt;
  });
  EXPECT_EQ(reading.config.skills_scope, "env");
}

TEST(Config, EveryCallToStateHasABoundThatIsNeitherNothingNorForEver) {
  const auto timeout = [](std::string_view yaml) {
    return registered_options(parse_config(yaml, {}).config).timeout.count();
  };
  EXPECT_EQ(timeout(""), 10'000);
  EXPECT_EQ(timeout("state_timeout_ms: 400\n"), 400);
  EXPECT_EQ(timeout("state_timeout_ms: 0\n"), 1);
  EXPECT_EQ(timeout("state_timeout_ms: 9000000000000\n"), 3'600'000);
  EXPECT_EQ(timeout("state_timeout_ms: -1\n"), 10'000);
}

TEST(Config, AnOperatorsEntryComesAfterTheFileAndBeforeTheEnvironment) {
  ConfigReading reading = parse_config("lenient: true\nfilter_unregistered: true\n", {});
  const json::Value entry = json::Object{{"lenient", false}, {"filter_unregistered", false}};
  apply_entry(reading, entry);
  apply_environment(reading, [](const std::string& name) -> std::optional<std::string> {
    if (name == "III_DIRECTORY_FILTER_UNREGISTERED") return "true";
    return std::nullopt;
  });
  EXPECT_FALSE(reading.config.lenient);
  EXPECT_TRUE(reading.config.filter_unregistered);
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(Config, AnEntryCannotSayWhereFilesComeFrom) {
  ConfigReading reading = parse_config("skills_folder: /a\n", {});
  const json::Value entry = json::Object{{"skills_folder", "/etc"},
                                         {"registry_url", "http://elsewhere"},
                                         {"extra_skills_folders", json::Array{"/etc"}},
                                         {"max_file_bytes", 1'000'000'000},
                                         {"inject_hint", true},
                                         {"lenient", "no"}};
  const DirectoryConfig before = reading.config;
  apply_entry(reading, entry);
  EXPECT_EQ(reading.config, before);
  EXPECT_EQ(reading.warnings.size(), 6U);
  apply_entry(reading, json::Value("text"));
  apply_entry(reading, json::Value());
  EXPECT_EQ(reading.warnings.size(), 7U);
}

TEST(Config, TheSchemaOfTheEntryAllowsNothingToBeSetAndNamesEveryKey) {
  const json::Value schema = entry_schema();
  EXPECT_EQ(json::to_text(*schema.find("type")), R"(["object","null"])");
  EXPECT_EQ(schema.find("properties")->as_object()->size(), 6U);
}

TEST(Config, EveryKeyOf080IsKnownAndHasItsDefault) {
  const ConfigReading reading = parse_config(
      "skills_folder: ~/.iii/skills\nlocal_skills_folder: ./.iii/skills\n"
      "registry_url: https://api.workers.iii.dev\ndownload_timeout_ms: 60000\n"
      "registry_cache_ttl_ms: 60000\nfilter_unregistered: true\nauto_download: true\n",
      {});
  EXPECT_THAT(reading.warnings, IsEmpty());
  EXPECT_EQ(reading.config, DirectoryConfig{});
}

TEST(Config, ATildeInFrontOfANameIsTheHomeFolderToo) {
  EXPECT_EQ(expand_path("~x/y", "/h"), "/h/x/y");
  EXPECT_EQ(expand_path("~/x", ""), std::filesystem::absolute("~/x")) << "no home: as it stands";
}

TEST(Config, PathsStartAtHomeOrAtTheWorkingDirectory) {
  EXPECT_EQ(expand_path("~/x", "/h"), "/h/x");
  EXPECT_EQ(expand_path("~", "/h"), "/h/");
  EXPECT_EQ(expand_path("/abs", "/h"), "/abs");
  EXPECT_EQ(expand_path("rel", "/h"), std::filesystem::absolute("rel"));
}

}  // namespace
}  // namespace iii::daemon
