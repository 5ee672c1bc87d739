#include "faces/cli/progress_line.h"

#include <gtest/gtest.h>

namespace iii::cli {
namespace {

TEST(ProgressText, ShowsABarWhenTheTotalIsKnown) {
  EXPECT_EQ(progress_text("resend", "fetching", 50'000, 100'000),
            "resend: fetching [############------------] 50 %, 50.0 kB of 100.0 kB");
  EXPECT_EQ(progress_text("resend", "writing", 300, 100, std::chrono::seconds(3)),
            "resend: writing [########################] 100 %, 100 of 100 files, 3 s");
}

TEST(ProgressText, CountsWhenItIsNot) {
  EXPECT_EQ(progress_text("resend", "fetching", 12'345'678, 0), "resend: fetching 12.3 MB");
  EXPECT_EQ(progress_text("resend", "asking", 0, 0), "resend: asking");
  EXPECT_EQ(progress_text("", "fetching", 1, 0), "fetching 1 byte");
}

}  // namespace
}  // namespace iii::cli
