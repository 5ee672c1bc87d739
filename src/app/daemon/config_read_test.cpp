#include "app/daemon/config_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/daemon/config_keys.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii::daemon {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ConfigSources sources(Environment environment = {}) {
  return {.file = {},
          .defaults = {},
          .home = "/home/me",
          .environment = std::move(environment),
          .skills = {},
          .extra_skills = {}};
}

ConfigReading parse(std::string_view yaml) { return parse_config(yaml, "c.yaml", sources()); }

std::vector<std::string> errors_of(const ConfigReading& reading) {
  std::vector<std::string> out;
  for (const ConfigError& error : reading.errors) out.push_back(error.what + "; " + error.effect);
  return out;
}

TEST(ConfigRead, EmptyTextGivesTheDefaultsOf080) {
  for (const char* text : {"", "{}", "~", "# nothing"}) {
    const ConfigReading reading = parse(text);
    EXPECT_EQ(reading.config, DirectoryConfig{}) << text;
    EXPECT_THAT(reading.warnings, IsEmpty()) << text;
    EXPECT_THAT(reading.errors, IsEmpty()) << text;
  }
  EXPECT_EQ(DirectoryConfig{}.skills_folder, "~/.iii/skills");
  EXPECT_EQ(DirectoryConfig{}.local_skills_folder, "./.iii/skills");
  EXPECT_TRUE(DirectoryConfig{}.filter_unregistered);
  EXPECT_EQ(DirectoryConfig{}.registry_cache_ttl_ms, 60'000U);
}

TEST(ConfigRead, ReadsEveryKindOfKeyAndKnowsWhereItStands) {
  const ConfigReading reading = parse(
      "skills_folder: /a\nregistry_cache_ttl_ms: 5\nfilter_unregistered: false\n"
      "extra_skills_folders: [~/.agents/skills, /x]\nwatch:\n");
  EXPECT_THAT(reading.warnings, IsEmpty());
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_EQ(reading.config.skills_folder, "/a");
  EXPECT_EQ(reading.config.registry_cache_ttl_ms, 5U);
  EXPECT_FALSE(reading.config.filter_unregistered);
  EXPECT_THAT(reading.config.extra_skills_folders, ElementsAre("~/.agents/skills", "/x"));
  EXPECT_EQ(reading.origins.at("filter_unregistered"), "c.yaml, line 3");
  EXPECT_FALSE(reading.origins.contains("watch")) << "without a value it has its default";
}

TEST(ConfigRead, UnknownKeysAreNamedWithTheirLineAndASuggestion) {
  EXPECT_THAT(parse("\nskill_folder: /a\n").warnings,
              ElementsAre("c.yaml, line 2: unknown key `skill_folder` is ignored. Did you mean "
                          "skills_folder?"));
}

TEST(ConfigRead, ABadKeyCostsItselfOnly) {
  for (const char* line :
       {"registry_cache_ttl_ms: soon", "filter_unregistered: 5", "registry_cache_ttl_ms: -1",
        "max_downloads: 0", "extra_skills_folders: x", "extra_skills_folders: [5]",
        "local_skills_folder: 7", "state_timeout_ms: \"10\"", "scopes: [a]",
        "scopes: {skills: [a]}", "registry_retries: 99999999999999999999", "lenient: 0.5"}) {
    const ConfigReading reading =
        parse("skills_folder: /a\n" + std::string(line) + "\nwatch: false\n");
    DirectoryConfig wanted;
    wanted.skills_folder = "/a";
    wanted.watch = false;
    EXPECT_EQ(reading.config, wanted) << line;
    const std::string key(std::string_view(line).substr(0, std::string_view(line).find(':')));
    EXPECT_THAT(errors_of(reading),
                ElementsAre(AllOf(HasSubstr("c.yaml, line 2: " + key + " must be a "),
                                  HasSubstr("; the key is ignored"))))
        << line;
  }
}

TEST(ConfigRead, TextThatIsNotYAMLIsAnErrorWithItsLine) {
  EXPECT_THAT(errors_of(parse("skills_folder: /a\nwatch: [\n")),
              ElementsAre(HasSubstr("c.yaml, line 3: the file is not valid YAML: ")));
  EXPECT_THAT(errors_of(parse("watch: true\nwatch: false\n")),
              ElementsAre(HasSubstr("line 2: the file is not valid YAML: the key `watch` is "
                                    "repeated; the file is ignored")));
  EXPECT_THAT(errors_of(parse("- a\n")), ElementsAre(HasSubstr("is not a mapping")));
  EXPECT_THAT(errors_of(parse("a: " + std::string(70'000, 'x'))),
              ElementsAre(HasSubstr("larger than 64 KiB")));
  EXPECT_EQ(parse("skills_folder: /a\nwatch: [\n").config, DirectoryConfig{});
}

TEST(ConfigRead, WhatDecidesWhomToTrustIsNeverReplacedByTheDefault) {
  const ConfigReading url = parse("registry_url: htps://mine\n");
  EXPECT_EQ(url.config.registry_url, "htps://mine");
  EXPECT_THAT(errors_of(url), ElementsAre(HasSubstr("line 1: registry_url must be a URL")));
  const ConfigReading file = parse("ca_file: /nowhere/ca.pem\n");
  EXPECT_EQ(file.config.ca_file, "/nowhere/ca.pem");
  EXPECT_THAT(errors_of(file), ElementsAre("c.yaml, line 1: ca_file /nowhere/ca.pem cannot be read "
                                           "(No such file or directory); downloads fail until it "
                                           "can be read"));
  EXPECT_THAT(errors_of(parse("ca_file: /\n")), ElementsAre(HasSubstr("it is a folder")));
  EXPECT_THAT(errors_of(parse("ca_file: \"\"\n")), IsEmpty());
}

TEST(ConfigRead, ScopesAreTextAndEitherMayBeLeftOut) {
  const auto scopes = [](std::string_view yaml) {
    const Scopes read = parse(yaml).config.scopes;
    return read.skills + "|" + read.prompts;
  };
  EXPECT_EQ(scopes(""), "skills|prompts");
  EXPECT_EQ(scopes("scopes:\n"), "skills|prompts");
  EXPECT_EQ(scopes("scopes: {skills: mine}\n"), "mine|prompts");
  EXPECT_EQ(scopes("scopes: {skills: 5, prompts: \"\", other: x}\n"), "5|");
  EXPECT_THAT(
      parse("scopes: {skils: mine}\n").warnings,
      ElementsAre("c.yaml, line 1: scopes: there is no scope `skils`. Did you mean skills?"));
}

TEST(ConfigRead, TheEnvironmentOverridesTheFile) {
  ConfigReading reading = parse("skills_folder: /a\nlenient: true\n");
  apply_environment(reading, {{"III_DIRECTORY_SKILLS_FOLDER", "5"},
                              {"III_DIRECTORY_LENIENT", "false"},
                              {"III_DIRECTORY_SCOPES", "{skills: env}"},
                              {"III_DIRECTORY_LEGACY_DIRECTORY_041", "false"},
                              {"III_DIRECTORY_BUILTIN_DOCS", "perhaps"}});
  EXPECT_EQ(reading.config.skills_folder, "5");
  EXPECT_FALSE(reading.config.lenient);
  EXPECT_EQ(reading.config.scopes.skills, "env");
  EXPECT_FALSE(reading.config.legacy_directory_041);
  EXPECT_TRUE(reading.config.builtin_docs);
  EXPECT_EQ(reading.origins.at("lenient"), "III_DIRECTORY_LENIENT");
  EXPECT_THAT(
      errors_of(reading),
      ElementsAre("III_DIRECTORY_BUILTIN_DOCS: builtin_docs must be a boolean, not \"perhaps\"; "
                  "the key is ignored"));
}

TEST(ConfigRead, AVariableThatNamesNoKeyIsToldWithASuggestion) {
  ConfigReading reading = parse("");
  apply_environment(reading, {{"III_DIRECTORY_SKILL_FOLDER", "/x"}});
  EXPECT_THAT(reading.warnings,
              ElementsAre("unknown environment variable III_DIRECTORY_SKILL_FOLDER is ignored. Did "
                          "you mean III_DIRECTORY_SKILLS_FOLDER?"));
  reading = parse("");
  apply_environment(reading, {{"III_DIRECTORY_FOO", "1"}});
  EXPECT_THAT(reading.warnings,
              ElementsAre("unknown environment variable III_DIRECTORY_FOO is ignored"));
}

TEST(ConfigRead, AnOperatorsEntryComesAfterTheFileAndBeforeTheEnvironment) {
  const json::Value entry = json::Object{{"lenient", false}, {"filter_unregistered", false}};
  const auto reading =
      complete_config(parse("lenient: true\nfilter_unregistered: true\n"),
                      sources({{"III_DIRECTORY_FILTER_UNREGISTERED", "true"}}), entry);
  ASSERT_TRUE(reading);
  EXPECT_FALSE(reading->config.lenient);
  EXPECT_TRUE(reading->config.filter_unregistered);
  EXPECT_EQ(reading->warnings.size(), 2U) << "what replaces a line of the file";
}

TEST(ConfigRead, AnEntrySetsEveryKeyButThoseThatNameAProgram) {
  ConfigReading reading = parse("skills_folder: /a\n");
  const json::Value entry = json::Object{{"skills_folder", "/b"},
                                         {"registry_url", "http://elsewhere"},
                                         {"extra_skills_folders", json::Array{"/c"}},
                                         {"scopes", json::Object{{"skills", "mine"}}},
                                         {"auto_download", false},
                                         {"watch", nullptr},
                                         {"git_credential_helper", "!touch x"},
                                         {"inject_hint", true},
                                         {"lenient", "no"}};
  apply_entry(reading, entry);
  DirectoryConfig wanted;
  wanted.skills_folder = "/b";
  wanted.registry_url = "http://elsewhere";
  wanted.extra_skills_folders = {"/c"};
  wanted.scopes.skills = "mine";
  wanted.auto_download = false;
  EXPECT_EQ(reading.config, wanted);
  EXPECT_THAT(reading.warnings,
              ElementsAre(HasSubstr("git_credential_helper is ignored"),
                          HasSubstr("unknown key `inject_hint` is ignored"),
                          "configuration entry iii-directory: skills_folder is used in place of "
                          "c.yaml, line 1"));
  EXPECT_EQ(reading.errors.size(), 1U);
  apply_entry(reading, json::Value("text"));
  apply_entry(reading, json::Value());
  EXPECT_EQ(reading.errors.size(), 2U);
}

TEST(ConfigRead, OptionsOfTheCommandLineWin) {
  ConfigSources all = sources({{"III_DIRECTORY_SKILLS_FOLDER", "/env"}});
  all.skills = "/option";
  all.extra_skills = {"/more"};
  all.auto_download = true;
  all.defaults = serve_defaults();
  const auto reading =
      complete_config(parse_config("extra_skills_folders: [/one]\n", "c.yaml", all), all);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->config.skills_folder, "/option");
  EXPECT_THAT(reading->config.extra_skills_folders, ElementsAre("/one", "/more"));
  EXPECT_TRUE(reading->config.auto_download);
  EXPECT_FALSE(reading->config.filter_unregistered);
  EXPECT_EQ(reading->origins.at("skills_folder"), "--skills");
}

TEST(ConfigRead, WithoutAHomeFolderAPathMustNotNeedOne) {
  ConfigSources homeless = sources();
  homeless.home = "";
  const auto read = [&](std::string_view yaml) {
    return complete_config(parse_config(yaml, "c.yaml", homeless), homeless);
  };
  const auto refused = read("");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("skills_folder is \"~/.iii/skills\""),
                                             HasSubstr("III_DIRECTORY_SKILLS_FOLDER")));
  EXPECT_TRUE(read("skills_folder: /a\n"));
  EXPECT_FALSE(read("skills_folder: /a\nextra_skills_folders: [/b, ~/c]\n"));
}

TEST(ConfigRead, InWorkerModeAFileThatCannotBeReadIsAWarningAndTheDefaults) {
  TempFolder folder;
  ConfigSources named = sources();
  named.rule = FileRule::kNeverPrevents;
  const std::string missing = (folder.path() / "none.yaml").string();
  const std::string broken = (folder.path() / "broken.yaml").string();
  const std::string list = (folder.path() / "list.yaml").string();
  std::ofstream(broken) << "skills_folder: [\n";
  std::ofstream(list) << "- 1\n";
  for (const std::string& file : {missing, broken, list, folder.path().string()}) {
    named.file = file;
    const auto reading = read_config_file(named);
    ASSERT_TRUE(reading) << file;
    EXPECT_EQ(reading->config, DirectoryConfig{}) << file;
    ASSERT_EQ(reading->errors.size(), 1U) << file;
    EXPECT_TRUE(reading->errors[0].whole_file) << file;
    EXPECT_EQ(reading->errors[0].effect, "the file is ignored");
  }
}

TEST(ConfigRead, ARelativeSkillsFolderStartsAtTheFolderOfTheFileThatWasNamed) {
  TempFolder folder;
  ConfigSources named = sources();
  named.file = (folder.path() / "c.yaml").string();
  const auto skills_folder = [&](const std::string& yaml) {
    std::ofstream(*named.file) << yaml;
    return read_config_file(named)->config.skills_folder;
  };
  EXPECT_EQ(skills_folder("skills_folder: ./skills\n"), (folder.path() / "skills").string());
  EXPECT_EQ(skills_folder("skills_folder: ../s\n"), (folder.path().parent_path() / "s").string());
  EXPECT_EQ(skills_folder("skills_folder: /a/b\n"), "/a/b");
  EXPECT_EQ(skills_folder("skills_folder: ~/b\n"), "~/b");
  EXPECT_EQ(skills_folder("watch: false\n"), "~/.iii/skills") << "not the default";
  named.generated = true;
  EXPECT_EQ(skills_folder("skills_folder: ./skills\n"), "./skills") << "a place of the engine";
  EXPECT_EQ(parse("skills_folder: ./skills\n").config.skills_folder, "./skills") << "not named";
}

TEST(ConfigRead, HOMEIsUsedAndElseTheUsersHomeFolder) {
  const char* before = std::getenv("HOME");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("HOME", "/elsewhere", 1);
  EXPECT_EQ(home_folder(), "/elsewhere");
  ::unsetenv("HOME");
  EXPECT_NE(home_folder(), "/elsewhere");
  if (before != nullptr) ::setenv("HOME", kept.c_str(), 1);
}

TEST(ConfigRead, AFileThatWasNamedMustBeThere) {
  TempFolder folder;
  ConfigSources named = sources();
  named.file = (folder.path() / "none.yaml").string();
  const auto missing = read_config_file(named);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "usage");
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr("none.yaml"), HasSubstr("--config")));
  named.file = folder.path().string();
  EXPECT_FALSE(read_config_file(named)) << "a folder";
  named.file = (folder.path() / "some.yaml").string();
  std::ofstream(*named.file) << "watch: false\n";
  const auto found = read_config_file(named);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->config.watch);
  EXPECT_TRUE(read_config_file(sources())) << "./config.yaml may be missing";
  named.file = "/nowhere/c.yaml";
  named.rule = FileRule::kNeverPrevents;
  const auto booted = read_config_file(named);
  ASSERT_TRUE(booted);
  ASSERT_EQ(booted->errors.size(), 1U);
  EXPECT_TRUE(booted->errors[0].whole_file);
}

}  // namespace
}  // namespace iii::daemon
