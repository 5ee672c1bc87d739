#include "app/daemon/verbs/function_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/daemon/verbs/function_examples.h"

namespace iii::daemon {
namespace {

using testing::HasSubstr;

TEST(FunctionPage, HasEveryExampleUnderItsFunction) {
  const Result<std::string> page = function_page();
  ASSERT_TRUE(page) << page.error().message;
  for (const FunctionExample& example : function_examples()) {
    const std::string id(example.id);
    EXPECT_THAT(*page, HasSubstr("\n## " + id + "\n"));
    EXPECT_THAT(*page, HasSubstr("\n$ iii-directory trigger " + id + " " +
                                 std::string(example.words) + "\n"));
  }
  EXPECT_THAT(*page, HasSubstr("On the command line: `iii-directory search TEXT"));
  EXPECT_THAT(*page, HasSubstr("| `skills[].id` * | string |"));
}

TEST(FunctionPage, IsTheSameEveryTime) { EXPECT_EQ(*function_page(), *function_page()); }

}  // namespace
}  // namespace iii::daemon
