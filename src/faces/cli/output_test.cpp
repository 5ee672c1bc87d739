#include "faces/cli/output.h"

#include <gtest/gtest.h>

namespace iii::cli {
namespace {

TEST(Output, ArgumentsAddNeitherLinesNorEscapes) {
  testing::internal::CaptureStdout();
  print("{} {}: {} intact\n", std::string("mail\nforged"), "1.0\x1b]52;c;eA==\x07", 2);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "mail\\x0aforged 1.0\\x1b]52;c;eA==\\x07: 2 intact\n");
}

TEST(Output, TextKeepsItsLinesOnly) {
  testing::internal::CaptureStdout();
  print_text("one\n\ttwo \u202e\u009b\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\n\ttwo \\u202e\\u009b\n");
}

TEST(Output, AnErrorGivesTheExitCodeAndCannotDriveTheTerminalEither) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(complain({"usage", "no \x1b[2J"}), 2);
  EXPECT_EQ(complain({"D110", "no"}), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "Error: no \\x1b[2J\nError: no\n");
}

TEST(Output, ADocumentIsWholeInAPipeAndHarmlessOnATerminal) {
  constexpr std::string_view kText = "one\r\ntwo\x0c\rthree \x1b[2J";
  testing::internal::CaptureStdout();
  print_document(kText, Screen{});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), kText);
  testing::internal::CaptureStdout();
  print_document(kText, Screen{.terminal = true});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\ntwo\\x0c\\x0dthree \\x1b[2J\n");
}

}  // namespace
}  // namespace iii::cli
