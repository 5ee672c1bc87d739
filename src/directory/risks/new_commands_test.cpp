#include "directory/risks/new_commands.h"

#include "directory/risks/scan_for_test.h"

namespace iii::risks {
namespace {

std::vector<std::string> shown(const std::vector<Risk>& risks) {
  std::vector<std::string> out;
  for (const Risk& risk : risks) {
    EXPECT_EQ(risk.code, "new_command");
    out.push_back(std::to_string(risk.line) + " " +
                  (risk.excerpt.empty() ? risk.message : risk.excerpt));
  }
  return out;
}
using Texts = std::vector<std::string>;

TEST(NewCommands, OfCodeBlocks) {
  const std::string before = "# A\n\n```bash\nmake  build\n```\n";
  const std::string after =
      "# A\n\nText changed: rm x\n\n```bash\nmake build\nmake deploy\n```\n\n```json\n{}\n```\n";
  EXPECT_EQ(shown(new_commands("SKILL.md", before, after)), Texts{"7 make deploy"});
  EXPECT_EQ(shown(new_commands("SKILL.md", after, before)), Texts{});
  EXPECT_EQ(shown(new_commands("SKILL.md", after, after)), Texts{});
}

TEST(NewCommands, OfScripts) {
  EXPECT_EQ(
      shown(new_commands("a.sh", "#!/bin/sh\necho a\n", "#!/bin/sh\n# why\necho a\necho b\n")),
      Texts{"4 echo b"});
  EXPECT_EQ(shown(new_commands("a.sh", "", "echo a\necho a\n")), Texts{"1 echo a"});
  EXPECT_EQ(shown(new_commands("a.py", "x = 1\n", "x = 2\n")),
            Texts{"0 a program that has changed"});
  EXPECT_EQ(shown(new_commands("a.py", "", "x = 2\n")), Texts{"0 a new program"});
  EXPECT_EQ(shown(new_commands("a.json", "", "{}")), Texts{});
}

TEST(NewCommands, AreBounded) {
  std::string script;
  for (size_t i = 0; i < kMaxNewCommands; ++i) script += "echo " + std::to_string(i) + "\n";
  EXPECT_EQ(new_commands("a.sh", "", script).size(), kMaxNewCommands);
  const auto more = new_commands("a.sh", "", script + "echo x\necho y\n");
  ASSERT_EQ(more.size(), kMaxNewCommands + 1);
  EXPECT_EQ(more.back().message, "2 more new commands");
}

}  // namespace
}  // namespace iii::risks
