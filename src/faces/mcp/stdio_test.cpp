// MCP on real pipes.
#include "faces/mcp/stdio.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "faces/mcp/fixture_for_test.h"

namespace iii::mcp {
namespace {

using testing::HasSubstr;

class McpStdioTest : public McpTest {
 protected:
  McpStdioTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(in_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out_.data(), O_CLOEXEC), 0);
  }
  ~McpStdioTest() override {
    stdio_.reset();
    for (const int fd : {in_[0], in_[1], out_[0], out_[1]}) {
      if (fd >= 0) ::close(fd);
    }
  }
  void TearDown() override {
    stdio_.reset();
    McpTest::TearDown();
  }
  void begin(StdioOptions stdio_options = {}) {
    start();
    stdio_ = std::make_unique<Stdio>(
        loop, *server, in_[0], out_[1], [this] { ended_ = true; }, stdio_options);
  }
  void send(std::string_view text) {
    ASSERT_EQ(::write(in_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_input() {
    ::close(in_[1]);
    in_[1] = -1;
  }
  std::string received() {
    std::array<char, 65536> block{};
    const ssize_t count = ::read(out_[0], block.data(), block.size());
    return {block.data(), static_cast<size_t>(std::max<ssize_t>(count, 0))};
  }

  std::array<int, 2> in_{-1, -1};
  std::array<int, 2> out_{-1, -1};
  bool ended_ = false;
  std::unique_ptr<Stdio> stdio_;
};

TEST_F(McpStdioTest, N57N63LinesInLinesOutAndTheEndOfInput) {
  begin();
  send(stateless("1", "server/discover") + "\n\r\n" + stateless("\"b\"", "server/discover"));
  close_input();
  run_until([&] { return ended_; });
  stdio_->flush(std::chrono::seconds(5));
  const std::string text = received();
  EXPECT_THAT(text, HasSubstr("\"id\":1,"));
  EXPECT_THAT(text, HasSubstr("\"id\":\"b\","));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(McpStdioTest, N64ALineThatIsTooLongIsRefusedAndTheNextOneServed) {
  begin({.duplex = {.max_line_bytes = 1'000}});
  send(std::string(5'000, 'x') + "\n" + stateless("1", "server/discover", R"("a":1)") + "\n");
  close_input();
  run_until([&] { return ended_; });
  stdio_->flush(std::chrono::seconds(5));
  const std::string text = received();
  EXPECT_THAT(text, HasSubstr("-32600"));
  EXPECT_THAT(text, HasSubstr("\"id\":1"));
}

TEST_F(McpStdioTest, AClientThatClosesItsEndIsNoticed) {
  begin();
  ::close(out_[0]);
  out_[0] = -1;
  send(stateless("1", "server/discover") + "\n");
  run_until([&] { return ended_; });
}

TEST_F(McpStdioTest, AClientThatReadsNothingIsNotReadAndThenGivenUp) {
  begin({.high_water = 100'000, .max_queued = 1'000'000});
  ::fcntl(in_[1], F_SETFL, O_NONBLOCK);
  const std::string line = stateless("1", "server/discover") + "\n";
  size_t written = 0;
  // Its pipe fills up, because nobody reads it any more.
  for (int quiet = 0; quiet < 3;) {
    const ssize_t count = ::write(in_[1], line.data(), line.size());
    written += count > 0 ? static_cast<size_t>(count) : 0;
    if (count < 0) {
      settle();
      ++quiet;
    }
  }
  EXPECT_LT(written, 10U * 1024 * 1024);
}

}  // namespace
}  // namespace iii::mcp
