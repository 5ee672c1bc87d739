// A server over a small tree: one skill with a script and an image, a note, a prompt.
#pragma once

#include <chrono>

#include "faces/mcp/fixture_for_test.h"

namespace iii::mcp {

class McpServerTest : public McpTest {
 protected:
  McpServerTest() {
    tree.put("global/demo/SKILL.md", kSkill);
    tree.put("global/demo/scripts/run.py", "print(1)\n");
    tree.put("global/demo/logo.png", "\x89PNG\r\n\x1a\n\xff");
    tree.put("global/notes.md", "# Notes\n\nAbout deployment.\n");
    tree.put("global/prompts/review.md",
             "---\nname: review\ndescription: Reviews.\narguments:\n  - name: pr\n    required: "
             "true\n    values: [one, two]\n---\nReview {{pr}} in {{tone}}.\n");
  }

  // Reports twice, the second time right before the answer.
  task::Task<directory::Answer> report(directory::Context context) {
    reports = static_cast<bool>(context.progress);
    if (reports) context.progress({.step = "one", .done = 5, .total = 10});
    co_await worker.sleep(std::chrono::milliseconds(1));
    if (reports) context.progress({.step = "two", .done = 2, .total = 10});
    co_return directory::Answer(json::Raw{"{}"});
  }
  bool reports = false;
};

}  // namespace iii::mcp
