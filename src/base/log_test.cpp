#include "base/log_sink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

TEST(Log, ASinkGetsTheLinesInsteadOfStderr) {
  std::vector<std::pair<LogLevel, std::string>> lines;
  testing::internal::CaptureStderr();
  set_log_sink([&](LogLevel level, std::string_view text) { lines.emplace_back(level, text); });
  log_debug("below the threshold");
  log_warn("a {} line\nforged", 1);
  log_error("another");
  set_log_sink({});
  log_info("on stderr again");
  const std::string err = testing::internal::GetCapturedStderr();
  const std::vector<std::pair<LogLevel, std::string>> wanted{
      {LogLevel::kWarn, "a 1 line\\x0aforged"}, {LogLevel::kError, "another"}};
  EXPECT_EQ(lines, wanted);
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  EXPECT_NE(err.find("info  on stderr again"), std::string::npos) << err;
}

TEST(Log, ASinkMayLogThrowAndReplaceItself) {
  int calls = 0;
  testing::internal::CaptureStderr();
  set_log_sink([&](LogLevel, std::string_view) {
    ++calls;
    log_info("from the sink");
    set_log_sink({});
    throw std::runtime_error("thrown by the sink");
  });
  log_info("first");
  log_info("second");
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_EQ(calls, 1);
  EXPECT_NE(err.find("from the sink"), std::string::npos) << err;
  EXPECT_NE(err.find("second"), std::string::npos) << err;
  EXPECT_EQ(err.find("first"), std::string::npos) << err;
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
