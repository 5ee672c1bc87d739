#include "base/log.h"

#include <gtest/gtest.h>

namespace iii {
namespace {

TEST(Log, PeerTextCannotForgeASecondLine) {
  testing::internal::CaptureStderr();
  log_warn("peer said {}", "x\n2026-01-01 error forged\x1b[31m");
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
}

TEST(Log, LevelsBelowTheThresholdAreSilent) {
  testing::internal::CaptureStderr();
  set_log_level(LogLevel::kError);
  log_warn("nothing");
  set_log_level(LogLevel::kInfo);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(LogOnce, SaysItOnce) {
  testing::internal::CaptureStderr();
  LogOnce once;
  for (int i = 0; i < 3; ++i) once.warn("too large: {}", i);
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_NE(out.find("too large: 0"), std::string::npos);
  EXPECT_EQ(out.find("too large: 1"), std::string::npos);
}

}  // namespace
}  // namespace iii
