#include "app/daemon/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "foundation/base/log_sink.h"
#include "foundation/base/temp_folder_for_test.h"
#include "foundation/json/write.h"

namespace iii::daemon {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ConfigurationTest : public testing::Test {
 protected:
  ConfigurationTest() {
    set_log_sink([this](LogLevel level, std::string_view text) {
      if (level >= LogLevel::kWarn) problems.emplace_back(text);
      if (level == LogLevel::kInfo) lines.emplace_back(text);
    });
  }
  ~ConfigurationTest() override { set_log_sink({}); }

  void write(std::string_view yaml) const { std::ofstream(file()) << yaml; }
  std::string file() const { return (folder.path() / "c.yaml").string(); }
  Configuration start() const {
    return *Configuration::start({.file = file(),
                                  .defaults = {},
                                  .home = "/home/me",
                                  .environment = {},
                                  .skills = {},
                                  .extra_skills = {}});
  }

  TempFolder folder;
  std::vector<std::string> problems;
  std::vector<std::string> lines;
};

TEST_F(ConfigurationTest, AtStartOnlyTheBadKeyIsIgnored) {
  write("skills_folder: /mine\nlenient: perhaps\n");
  const Configuration configuration = start();
  EXPECT_EQ(configuration.now().skills_folder, "/mine");
  EXPECT_TRUE(configuration.now().lenient);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("c.yaml, line 2: lenient must be a boolean")));
}

TEST_F(ConfigurationTest, WithoutItsRulesAboutAccessNothingStarts) {
  const auto refusal = [this](std::string_view yaml, FileRule rule = FileRule::kMustBeRead,
                              Environment environment = {}) {
    write(yaml);
    const auto started = Configuration::start({.file = file(),
                                               .defaults = {},
                                               .home = "/home/me",
                                               .environment = std::move(environment),
                                               .skills = {},
                                               .extra_skills = {},
                                               .rule = rule});
    if (!started) EXPECT_EQ(started.error().code, "bad_configuration");
    return started ? "" : started.error().message;
  };
  EXPECT_EQ(refusal("lenient: perhaps\nmcp_hidden: [\"billing::\"]\n"), "") << "it opens nothing";
  EXPECT_THAT(
      refusal("lenient: true\nmcp_hidden: \"billing::\"\n"),
      AllOf(HasSubstr("c.yaml, line 2: mcp_hidden must be a list of texts, not "
                      "\"billing::\"\n  2 | mcp_hidden: \"billing::\"\n    |             ^\n"),
            HasSubstr("Next: correct this")));
  EXPECT_THAT(refusal("watch: true\nmcp_hidden: [billing::\n"),
              AllOf(HasSubstr("c.yaml, line 3: the file is not valid YAML"), HasSubstr("  3 | ")));
  EXPECT_THAT(refusal("- mcp_hidden\n"), HasSubstr("  1 | - mcp_hidden\n    | ^"));
  EXPECT_THAT(refusal("mcp_hiden: [\"billing::\"]\n"),
              HasSubstr("unknown key `mcp_hiden`. Did you mean mcp_hidden?\n  1 | mcp_hiden: "));
  EXPECT_THAT(refusal("scan_overrides: {downlod_run: block}\n"),
              HasSubstr("Did you mean download_run?"));
  EXPECT_THAT(refusal("scan: blok\ngit_private_hosts: 5\n"),
              AllOf(HasSubstr("line 1: scan"), HasSubstr("line 2: git_private_hosts")));
  EXPECT_THAT(refusal("", FileRule::kMustBeRead, {{"III_DIRECTORY_MCP_TOOLS", "everything"}}),
              HasSubstr("III_DIRECTORY_MCP_TOOLS: mcp_tools must be"));
  // A worker of somebody else's engine is started by that engine, and opens no door itself.
  EXPECT_EQ(refusal("mcp_hidden: [\n", FileRule::kNeverPrevents), "");
}

TEST_F(ConfigurationTest, AFileWithErrorsChangesNothingAtReload) {
  write("skills_folder: /mine\nlenient: false\n");
  Configuration configuration = start();
  const DirectoryConfig before = configuration.now();
  for (const char* broken : {"skills_folder: [\n", "skills_folder: /other\nlenient: perhaps\n",
                             "registry_url: nothing\n", "ca_file: /nowhere/ca.pem\n"}) {
    problems.clear();
    write(broken);
    configuration.reload();
    EXPECT_EQ(configuration.now(), before) << broken;
    EXPECT_THAT(problems, ElementsAre(HasSubstr("c.yaml, line "),
                                      HasSubstr("what was in force stays in force")))
        << broken;
  }
  problems.clear();
  std::filesystem::remove(file());
  configuration.reload();
  EXPECT_EQ(configuration.now(), before);
  EXPECT_THAT(problems, Contains(HasSubstr("cannot be read")));
}

TEST_F(ConfigurationTest, KeysThatNeedARestartAreNamedAndKeepTheirValue) {
  write("max_downloads: 2\n");
  Configuration configuration = start();
  write("max_downloads: 3\nauto_download: false\nlenient: false\n");
  configuration.reload();
  EXPECT_EQ(configuration.now().max_downloads, 2U);
  EXPECT_TRUE(configuration.now().auto_download);
  EXPECT_FALSE(configuration.now().lenient);
  EXPECT_THAT(problems, ElementsAre(AllOf(HasSubstr("restart"), HasSubstr("max_downloads"),
                                          HasSubstr("auto_download"))));
  EXPECT_THAT(lines, Contains(HasSubstr("lenient applied")));
  problems.clear();
  configuration.reload();
  EXPECT_EQ(problems.size(), 1U) << "until it is restarted";
  write("max_downloads: 2\nlenient: false\n");
  configuration.reload();
  EXPECT_EQ(problems.size(), 1U);
  EXPECT_THAT(lines, Contains(HasSubstr("nothing changed")));
}

TEST_F(ConfigurationTest, AtTheStartAnEntryDecidesKeysThatNeedARestartToo) {
  write("skills_folder: /mine\nmax_downloads: 3\nlenient: false\n");
  Configuration configuration = start();
  configuration.start_with(json::Object{{"auto_download", false}, {"max_downloads", 2}});
  EXPECT_FALSE(configuration.now().auto_download);
  EXPECT_EQ(configuration.now().max_downloads, 2U);
  EXPECT_EQ(configuration.now().skills_folder, "/mine");
  EXPECT_THAT(problems, ElementsAre(AllOf(HasSubstr("max_downloads is used in place of"),
                                          HasSubstr("c.yaml, line 2"))));
  configuration.reload();
  EXPECT_EQ(configuration.now().max_downloads, 2U) << "the entry is still there";
}

TEST_F(ConfigurationTest, TheSettingsOfANamedFileAreKnownByKey) {
  write("skills_folder: /mine\nlenient: perhaps\ngit_credential_helper: store\nwatch: false\n");
  const Configuration configuration = start();
  EXPECT_EQ(json::to_text(configuration.named_settings()),
            R"({"skills_folder":"/mine","watch":false})");
}

TEST_F(ConfigurationTest, AnEntryIsAppliedOnTopOfTheLastGoodFile) {
  write("skills_folder: /mine\n");
  Configuration configuration = start();
  write("skills_folder: [\n");
  configuration.reload();
  configuration.use_entry(json::Object{{"lenient", false}});
  EXPECT_EQ(configuration.now().skills_folder, "/mine");
  EXPECT_FALSE(configuration.now().lenient);
  configuration.use_entry({});
  EXPECT_TRUE(configuration.now().lenient);
}

}  // namespace
}  // namespace iii::daemon
