// Our line scanner beside md4c, a whole Markdown parser: which heading is the title.
#include <gmock/gmock.h>
#include <md4c.h>

#include <random>

#include "directory/content/markdown.h"

namespace iii::content {
namespace {

// The text of the first top-level H1 that md4c sees.
struct Oracle {
  int depth = 0;  // lists and quotes around
  bool inside = false;
  bool done = false;
  std::string text;

  static int enter(MD_BLOCKTYPE type, void* detail, void* self) {
    auto& oracle = *static_cast<Oracle*>(self);
    if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_UL || type == MD_BLOCK_OL) ++oracle.depth;
    if (type == MD_BLOCK_H && static_cast<MD_BLOCK_H_DETAIL*>(detail)->level == 1 &&
        oracle.depth == 0 && !oracle.done) {
      oracle.inside = true;
    }
    return 0;
  }
  static int leave(MD_BLOCKTYPE type, void*, void* self) {
    auto& oracle = *static_cast<Oracle*>(self);
    if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_UL || type == MD_BLOCK_OL) --oracle.depth;
    if (type == MD_BLOCK_H && oracle.inside) {
      oracle.inside = false;
      oracle.done = true;
    }
    return 0;
  }
  static int span(MD_SPANTYPE, void*, void*) { return 0; }
  static int add(MD_TEXTTYPE, const MD_CHAR* text, MD_SIZE size, void* self) {
    auto& oracle = *static_cast<Oracle*>(self);
    if (oracle.inside) oracle.text.append(text, size);
    return 0;
  }
};

std::string md4c_heading(const std::string& body) {
  Oracle oracle;
  const MD_PARSER parser = {
      0,           0,       Oracle::enter, Oracle::leave, Oracle::span, Oracle::span,
      Oracle::add, nullptr, nullptr};
  EXPECT_EQ(md_parse(body.data(), static_cast<MD_SIZE>(body.size()), &parser, &oracle), 0);
  return oracle.text;
}

// Blocks as they stand in real documents. Each heading has a number, so that the right one is told
// from others.
std::string block(std::mt19937& random, int number) {
  const std::string h = "# H" + std::to_string(number) + "\n";
  const std::vector<std::string> blocks = {
      "Some prose\nin two lines.\n\n",
      "## Second level\n\n",
      h,
      "   " + h,
      "prose, directly before\n" + h,
      "```sh\n" + h + "```\n",
      "~~~\n" + h + "```\n" + h + "~~~\n\n",
      "````md\n```\n" + h + "```\n" + h + "````\n",
      "   ```\n" + h + "   ```\n",
      "prose\n\n    " + h + "\nmore\n\n",
      "prose\n    " + h + "\n",
      "\t" + h + "\n",
      "> " + h + "> ```\n> " + h + "\n",
      "- item\n  ```\n  " + h + "  ```\n\nprose\n\n",
      "- ```\n  " + h + "  ```\n\nprose\n\n",
      "1. ```\n   " + h + "\nprose ends the item\n\n",
      "1. one\n\n   ```\n   " + h + "   ```\n2. two\n\nprose\n\n",
      "<!--\n" + h + "```\n-->\n\n",
      "<!-- note -->\n\n",
      "`` ` `` and ```code``` in a line\n\n",
      "```a`b is no fence\n\n",
      "#no-space\n\n",
      "| a |\n|---|\n| # |\n\n",
      "***\n\n",
  };
  return blocks[random() % blocks.size()];
}

TEST(MarkdownOracle, TheTitleIsTheOneAWholeParserFinds) {
  std::mt19937 random(3);
  size_t found = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string body;
    const int blocks = static_cast<int>(random() % 6);
    for (int i = 0; i < blocks; ++i) body += block(random, i);
    const std::string expected = md4c_heading(body);
    ASSERT_EQ(summarise(body).heading, expected) << body;
    found += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 3'000U);
}

}  // namespace
}  // namespace iii::content
