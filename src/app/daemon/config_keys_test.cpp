#include "app/daemon/config_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "directory/sources/bundle.h"
#include "directory/sources/downloads.h"
#include "foundation/json/write.h"

namespace iii::daemon {
namespace {

using testing::HasSubstr;
using testing::Not;

bool sets(const char* name, const json::Value& value) {
  DirectoryConfig config;
  std::vector<std::string> warnings;
  return set_key(config, *find_config_key(name), value, warnings).has_value();
}

TEST(ConfigKeys, EveryKeyHasANameADescriptionAndADefaultThatItAccepts) {
  std::set<std::string_view> names;
  for (const ConfigKey& key : config_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.description.empty()) << key.name;
    EXPECT_TRUE(sets(std::string(key.name).c_str(), value_of({}, key))) << key.name;
  }
  EXPECT_EQ(names.size(), config_keys().size());
}

TEST(ConfigKeys, EveryNumberIsAcceptedFromItsLowestToItsHighestValueOnly) {
  for (const ConfigKey& key : config_keys()) {
    if (!std::holds_alternative<ConfigKey::Of<uint64_t>>(key.member)) continue;
    const std::string name(key.name);
    EXPECT_TRUE(sets(name.c_str(), key.low)) << name;
    EXPECT_TRUE(sets(name.c_str(), key.high)) << name;
    EXPECT_FALSE(sets(name.c_str(), key.high + 1)) << name;
    EXPECT_FALSE(sets(name.c_str(), static_cast<int64_t>(key.low) - 1)) << name;
    EXPECT_FALSE(sets(name.c_str(), "5")) << name;
  }
}

TEST(ConfigKeys, LimitsThatWouldForbidEverythingAreRefused) {
  for (const char* name :
       {"max_file_bytes", "max_downloads", "max_bundle_files", "max_bundle_bytes",
        "max_bundle_file_bytes", "max_bundle_depth", "max_clone_bytes", "download_timeout_ms",
        "state_timeout_ms", "auto_download_jobs"}) {
    EXPECT_FALSE(sets(name, 0)) << name;
  }
  for (const char* name : {"registry_cache_ttl_ms", "registry_retries", "answer_repeat_ms"}) {
    EXPECT_TRUE(sets(name, 0)) << name;
  }
}

// Whoever meets a limit is told the key that raises it.
TEST(ConfigKeys, EveryLimitOfADownloadNamesItsKey) {
  using sources::BundleLimits;
  const auto refusal = [](const std::string& path, BundleLimits limits) {
    const sources::Bundle bundle{.source = {},
                                 .resolved = {},
                                 .branch = {},
                                 .folder = {},
                                 .files = {{.path = path, .bytes = "0123456789"}},
                                 .skipped = {}};
    const auto result = sources::checked(bundle, limits);
    return result ? std::string("accepted") : result.error().message;
  };
  const struct {
    const char* key;
    uint64_t BundleLimits::* limit;
    uint64_t value;
  } kRows[] = {{"max_bundle_files", &BundleLimits::max_files, 0},
               {"max_bundle_file_bytes", &BundleLimits::max_file_bytes, 9},
               {"max_bundle_bytes", &BundleLimits::max_bundle_bytes, 9},
               {"max_bundle_depth", &BundleLimits::max_depth, 1},
               {"max_bundle_path_bytes", &BundleLimits::max_path_bytes, 2}};
  for (const auto& row : kRows) {
    BundleLimits limits;
    limits.*row.limit = row.value;
    EXPECT_THAT(refusal("a/b", limits), HasSubstr("`" + std::string(row.key) + "`")) << row.key;
    // The key is there, and it is this limit that it sets.
    ASSERT_NE(find_config_key(row.key), nullptr) << row.key;
    DirectoryConfig config;
    std::vector<std::string> warnings;
    ASSERT_TRUE(set_key(config, *find_config_key(row.key), 7, warnings));
    EXPECT_EQ(downloads_options(config, "/home/x").git.limits.*row.limit, 7U) << row.key;
    EXPECT_EQ(downloads_options(config, "/home/x").registry.limits.*row.limit, 7U) << row.key;
  }
}

TEST(ConfigKeys, AURLOfARegistryIsCheckedAndNeverReplacedByTheDefault) {
  for (const char* url : {"https://r.example", "http://127.0.0.1:1/", "https://[::1]:8/x"}) {
    EXPECT_TRUE(sets("registry_url", url)) << url;
  }
  for (const char* url : {"", "r.example", "htps://r.example", "https://", "https://:80/",
                          "https://me:word@r.example", "https://a b", "file:///etc"}) {
    EXPECT_FALSE(sets("registry_url", url)) << url;
  }
  DirectoryConfig config;
  std::vector<std::string> warnings;
  EXPECT_FALSE(set_key(config, *find_config_key("registry_url"), "htps://mine", warnings));
  EXPECT_EQ(config.registry_url, "htps://mine");
  EXPECT_FALSE(set_key(config, *find_config_key("registry_url"), 5, warnings));
  EXPECT_EQ(config.registry_url, "5");
}

TEST(ConfigKeys, TheLogLevelIsOneOfTheWords) {
  EXPECT_TRUE(sets("log_level", "debug"));
  EXPECT_FALSE(sets("log_level", "loud"));
  EXPECT_FALSE(sets("log_level", 1));
}

TEST(ConfigKeys, TheToolsOfMcpAreOneOfTheWords) {
  for (const char* mode : {"minimal", "directory", "all"}) EXPECT_TRUE(sets("mcp_tools", mode));
  EXPECT_FALSE(sets("mcp_tools", "bogus"));
  EXPECT_FALSE(sets("mcp_tools", ""));
  DirectoryConfig config;
  std::vector<std::string> warnings;
  const auto refused = set_key(config, *find_config_key("mcp_tools"), "minmal", warnings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "mcp_tools must be a choice of minimal, directory, all, not \"minmal\" (did you mean "
            "minimal?)");
}

TEST(ConfigKeys, AnErrorSaysWhatIsExpectedAndWhatWasFound) {
  DirectoryConfig config;
  std::vector<std::string> warnings;
  const auto refused = set_key(config, *find_config_key("max_downloads"), "many", warnings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "max_downloads must be a whole number, 1 to 64, not \"many\"");
}

TEST(ConfigKeys, ScanAndItsOverridesNameActionsAndCodes) {
  DirectoryConfig config;
  std::vector<std::string> warnings;
  const auto set = [&](std::string_view key, const json::Value& value) {
    return set_key(config, *find_config_key(key), value, warnings).has_value();
  };
  EXPECT_TRUE(set("scan", "block"));
  EXPECT_EQ(config.scan, sources::ScanAction::kBlock);
  EXPECT_TRUE(set("scan", false));
  EXPECT_EQ(config.scan, sources::ScanAction::kOff);
  EXPECT_FALSE(set("scan", "on"));
  EXPECT_FALSE(set("scan", true));
  EXPECT_TRUE(set("scan_overrides", json::Object{{"raw_address", "off"}, {"raw_adress", "off"}}));
  EXPECT_EQ(config.scan_overrides, (ScanOverrides{{"raw_address", sources::ScanAction::kOff}}));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("Did you mean raw_address?"), std::string::npos);
  EXPECT_FALSE(set("scan_overrides", json::Object{{"raw_address", "loud"}}));
  EXPECT_FALSE(set("scan_overrides", "block"));
}

TEST(ConfigKeys, TheSchemaOfTheEntryAllowsNothingToBeSetAndNamesEveryKey) {
  const json::Value schema = entry_schema();
  EXPECT_EQ(json::to_text(*schema.find("type")), R"(["object","null"])");
  const json::Object& properties = *schema.find("properties")->as_object();
  EXPECT_EQ(properties.size(), config_keys().size() - 2);
  for (const char* name : {"git_credential_helper", "configuration_entry"}) {
    EXPECT_FALSE(properties.contains(name)) << name;
  }
  const auto type = [&](const char* name) {
    return json::to_text(*properties.at(name).find("type"));
  };
  EXPECT_EQ(type("skills_folder"), R"(["string","null"])");
  EXPECT_EQ(type("extra_skills_folders"), R"(["array","null"])");
  EXPECT_EQ(type("scopes"), R"(["object","null"])");
  EXPECT_EQ(type("scan"), R"(["string","null"])");
  EXPECT_EQ(type("auto_download"), R"(["boolean","null"])");
  EXPECT_EQ(json::to_text(*properties.at("worker_list_timeout_ms").find("minimum")), "1");
}

TEST(ConfigKeys, TheManifestShowsTheKeysOf080) {
  EXPECT_EQ(default_config_json(),
            R"({"auto_download":true,"download_timeout_ms":60000,"filter_unregistered":true,)"
            R"("local_skills_folder":"./.iii/skills","registry_cache_ttl_ms":60000,)"
            R"("registry_url":"https://api.workers.iii.dev","skills_folder":"~/.iii/skills"})");
}

TEST(ConfigKeys, TheHelpHasEveryKeyAndNoLinks) {
  EXPECT_THAT(keys_help(), HasSubstr("max_downloads: whole number, 1 to 64; default 4"));
  EXPECT_THAT(keys_help(), Not(HasSubstr("below"))) << "there is nothing below in a terminal";
}

TEST(ConfigKeys, TheseDecideAboutAccess) {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : config_keys()) {
    if (key.access) names.push_back(key.name);
  }
  EXPECT_THAT(names,
              testing::ElementsAre("mcp_tools", "mcp_hidden", "mcp_allow", "scan", "scan_overrides",
                                   "git_private_hosts", "git_credential_helper", "legacy_open_fn"));
}

}  // namespace
}  // namespace iii::daemon
