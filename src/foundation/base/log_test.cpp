#include "foundation/base/log_format.h"
#include "foundation/base/log_sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

TEST(Log, PeerTextCannotDriveATerminal) {
  testing::internal::CaptureStderr();
  log_warn("peer said {}", "a\u009b31m\u202eb\xffz");
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_THAT(out, testing::HasSubstr("a\\u009b31m\\u202eb\\xffz"));
}

TEST(Log, JsonLinesAreOneObjectEach) {
  testing::internal::CaptureStderr();
  set_log_format(LogFormat::kJson);
  log_warn("peer said {}", "\"quoted\" \\ and\nmore");
  set_log_format(LogFormat::kText);
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_THAT(out, testing::StartsWith("{\"time\":\"2"));
  EXPECT_THAT(out, testing::EndsWith("Z\",\"level\":\"warn\",\"message\":\"peer said "
                                     "\\\"quoted\\\" \\\\ and\\\\x0amore\"}\n"));
}

TEST(Log, AJsonLineIsCutBetweenEscapes) {
  for (size_t before = 0; before < 4; ++before) {
    testing::internal::CaptureStderr();
    set_log_format(LogFormat::kJson);
    log_warn("{}{}", std::string(before, 'x'), std::string(2 * kMaxLogLine, '"'));
    set_log_format(LogFormat::kText);
    const std::string out = testing::internal::GetCapturedStderr();
    EXPECT_LE(out.size(), kMaxLogLine);
    EXPECT_GT(out.size(), kMaxLogLine - 16);
    EXPECT_THAT(out, testing::EndsWith("\\\" ...\"}\n"));
  }
}

TEST(Log, WordsOfLevelsAndFormats) {
  for (const auto level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError, LogLevel::kOff}) {
    EXPECT_EQ(parse_log_level(log_level_word(level)), level);
  }
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
  EXPECT_EQ(parse_log_format("json"), LogFormat::kJson);
  EXPECT_EQ(parse_log_format("text"), LogFormat::kText);
  EXPECT_EQ(parse_log_format("xml"), std::nullopt);
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

// stderr is a pipe whose read end the test holds; put back at the end.
class StderrPipe {
 public:
  StderrPipe() : before_(::dup(STDERR_FILENO)) {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    ::dup2(ends_[1], STDERR_FILENO);
    ::close(ends_[1]);
    handler_ = ::signal(SIGPIPE, SIG_IGN);
  }
  ~StderrPipe() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    close_reader();
    ::signal(SIGPIPE, handler_);
  }
  StderrPipe(const StderrPipe&) = delete;
  StderrPipe& operator=(const StderrPipe&) = delete;

  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  // What has been written since the last call.
  std::string read() {
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string all;
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = ::read(ends_[0], block.data(), block.size())) > 0;) {
      all.append(block.data(), static_cast<size_t>(got));
    }
    return all;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  int before_;
  void (*handler_)(int) = nullptr;
};

TEST(Log, NobodyWaitsForAReaderOfStderr) {
  StderrPipe pipe;
  // Far more than a pipe holds: without a bound this would never return.
  const std::string text(1'000, 'x');
  for (int i = 0; i < 200; ++i) log_warn("{}", text);
  const std::string before = pipe.read();
  EXPECT_LT(before.size(), 150'000U);
  EXPECT_EQ(before.size() % (before.find('\n') + 1), 0U) << "only whole lines";
  log_warn("read again");
  const std::string after = pipe.read();
  const size_t lost = 200 - static_cast<size_t>(std::ranges::count(before, '\n'));
  EXPECT_THAT(after, testing::HasSubstr(std::to_string(lost) + " log lines were lost"));
  EXPECT_THAT(after, testing::HasSubstr("read again"));
  log_warn("told once");
  EXPECT_THAT(pipe.read(), testing::Not(testing::HasSubstr("lost")));
}

TEST(Log, AClosedStderrIsSurvived) {
  {
    StderrPipe pipe;
    pipe.close_reader();
    log_warn("to nobody");
    ::close(STDERR_FILENO);
    log_warn("to nowhere");
  }
  testing::internal::CaptureStderr();
  log_warn("to somebody");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("2 log lines were lost"));
}

TEST(Log, LinesAreCut) {
  testing::internal::CaptureStderr();
  log_warn("{}", std::string(100'000, '\n'));
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_LE(out.size(), kMaxLogLine);
  EXPECT_GT(out.size(), kMaxLogLine - 64);
  EXPECT_TRUE(out.ends_with(" ...\n"));
}

TEST(LogOnce, SaysItOnce) {
  testing::internal::CaptureStderr();
  LogOnce once;
  for (int i = 0; i < 3; ++i) once.warn("too large: {}", i);
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_NE(out.find("too large: 0"), std::string::npos);
  EXPECT_EQ(out.find("too large: 1"), std::string::npos);
}

TEST(LogBudget, SoManyInASecond) {
  LogBudget budget(2);
  const auto start = LogBudget::Clock::time_point(std::chrono::hours(1));
  EXPECT_TRUE(budget.take(start));
  EXPECT_TRUE(budget.take(start));
  EXPECT_FALSE(budget.take(start + std::chrono::milliseconds(999)));
  EXPECT_TRUE(budget.take(start + std::chrono::milliseconds(1'000)));
}

}  // namespace
}  // namespace iii
