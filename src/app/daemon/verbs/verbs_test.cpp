#include "app/daemon/verbs/verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/daemon/verbs/config_file.h"
#include "app/daemon/verbs/schemas.h"
#include "faces/cli/verbs.h"
#include "faces/mcp/connect.h"
#include "foundation/base/text.h"
#include "foundation/json/schema_check.h"

namespace iii::daemon {
namespace {

TEST(Verbs, EachHasARunner) {
  for (const cli::Verb& verb : cli::verbs()) EXPECT_NE(runner_of(verb.name), nullptr) << verb.name;
  EXPECT_EQ(runner_of("no such verb"), nullptr);
}

TEST(Verbs, EveryHarnessCanBeChosen) {
  const auto& options = cli::find_verb("mcp")->options;
  const auto option = std::ranges::find(options, "print-config", &cli::Option::name);
  ASSERT_NE(option, options.end());
  EXPECT_EQ(option->choices, join(mcp::harnesses(), " "));
}

TEST(Verbs, EachWithJsonHasAValidSchema) {
  for (const cli::Verb& verb : cli::verbs()) {
    if (!verb.json) continue;
    const auto schema = json::parse(verb_schema(verb));
    ASSERT_TRUE(schema) << verb.name;
    EXPECT_TRUE(json::Schema::compile(*schema)) << verb.name;
  }
}

TEST(ConfigFile, ReplacesOneKeyAndKeepsTheRest) {
  EXPECT_EQ(with_key("", "watch", false), "watch: false\n");
  EXPECT_EQ(with_key("# mine\nwatch: true # yes\nlenient: true", "watch", false),
            "# mine\nwatch: false\nlenient: true\n");
  EXPECT_EQ(with_key("watcher: 1\n", "watch", false), "watcher: 1\nwatch: false\n");
  EXPECT_EQ(with_key("extra_skills_folders:\n  - a\n  - b\nwatch: true\n", "extra_skills_folders",
                     json::Array{"c"}),
            "extra_skills_folders: [\"c\"]\nwatch: true\n");
}

TEST(ConfigFile, AnEnginesFileHasNoneOfOurKeys) {
  EXPECT_FALSE(has_own_key(""));
  EXPECT_FALSE(has_own_key("workers:\n  - watch: true\nport: 1\n# watch: true\n"));
  EXPECT_TRUE(has_own_key("workers: []\nwatch: true\n"));
  EXPECT_TRUE(has_own_key("watch : [\n")) << "not valid, but ours";
}

}  // namespace
}  // namespace iii::daemon
