#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace iii::cli {
namespace {

TEST(ProgressText, ShowsABarWhenTheTotalIsKnown) {
  EXPECT_EQ(progress_text("resend", "fetching", 50, 100),
            "resend: fetching [############------------] 50 %");
  EXPECT_EQ(progress_text("resend", "fetching", 300, 100),
            "resend: fetching [########################] 100 %");
}

TEST(ProgressText, CountsWhenItIsNot) {
  EXPECT_EQ(progress_text("resend", "fetching", 12'345, 0), "resend: fetching 12 k");
  EXPECT_EQ(progress_text("resend", "asking", 0, 0), "resend: asking");
}

}  // namespace
}  // namespace iii::cli
