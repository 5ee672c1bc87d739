#include "bus/ws/encoder.h"

#include <gmock/gmock.h>

#include <set>

#include "bus/ws/frames_for_test.h"

namespace iii::ws {
namespace {

using ::testing::ElementsAre;

Role other(Role role) { return role == Role::kServer ? Role::kClient : Role::kServer; }

class EncoderOf : public ::testing::TestWithParam<Role> {};
INSTANTIATE_TEST_SUITE_P(Roles, EncoderOf, ::testing::Values(Role::kServer, Role::kClient));

TEST_P(EncoderOf, WritesWhatTheOtherRoleReads) {
  Encoder encoder(GetParam());
  std::string out;
  std::vector<Seen> expected;
  constexpr size_t kSizes[] = {0, 1, 125, 126, 127, 65535, 65536, 300000};
  for (const size_t size : kSizes) {
    const std::string payload(size, 'x');
    encoder.message(out, size % 2 == 0 ? Opcode::kText : Opcode::kBinary, payload);
    expected.push_back({size % 2 == 0 ? EventKind::kText : EventKind::kBinary, payload, 0});
  }
  encoder.control(out, Opcode::kPing, "ping");
  encoder.control(out, Opcode::kPong, "");
  encoder.close(out, 1012, "later");
  expected.push_back({EventKind::kPing, "ping", 0});
  expected.push_back({EventKind::kPong, "", 0});
  expected.push_back({EventKind::kClose, "later", 1012});
  EXPECT_EQ(decode(other(GetParam()), {}, out), expected);
}

TEST_P(EncoderOf, AppendsToWhatIsThere) {
  Encoder encoder(GetParam());
  std::string out = "before";
  encoder.message(out, Opcode::kText, "x");
  encoder.message(out, Opcode::kText, std::string(500, 'y'));
  ASSERT_TRUE(out.starts_with("before"));
  EXPECT_THAT(decode(other(GetParam()), {}, out.substr(6)),
              ElementsAre(Seen{EventKind::kText, "x", 0},
                          Seen{EventKind::kText, std::string(500, 'y'), 0}));
}

TEST_P(EncoderOf, SplitsAboveTheFrameLimitOnly) {
  Encoder encoder(GetParam(), 10);
  const size_t header = GetParam() == Role::kClient ? 6 : 2;
  std::string at_limit;
  encoder.message(at_limit, Opcode::kText, "0123456789");
  EXPECT_EQ(at_limit.size(), header + 10);
  std::string above;
  encoder.message(above, Opcode::kText, "0123456789abcdefghijK");
  EXPECT_EQ(above.size(), 3 * header + 21);
  const Limits limits{.max_frame = 10, .max_message = 21};
  EXPECT_THAT(decode(other(GetParam()), limits, above),
              ElementsAre(Seen{EventKind::kText, "0123456789abcdefghijK", 0}));
}

TEST_P(EncoderOf, CutsControlPayloads) {
  Encoder encoder(GetParam());
  std::string out;
  encoder.control(out, Opcode::kPing, std::string(126, 'p'));
  EXPECT_THAT(decode(other(GetParam()), {}, out),
              ElementsAre(Seen{EventKind::kPing, std::string(125, 'p'), 0}));
}

TEST(Encoder, ClosesWithoutACode) {
  Encoder encoder(Role::kServer);
  std::string out;
  encoder.close(out, kCloseNone, "not sent");
  EXPECT_EQ(out, std::string("\x88\0", 2));
}

TEST(Encoder, CutsCloseReasonsBetweenCharacters) {
  const auto reason = [](const std::string& text) {
    Encoder encoder(Role::kServer);
    std::string out;
    encoder.close(out, 1000, text);
    return decode(Role::kClient, {}, out).at(0).payload;
  };
  EXPECT_EQ(reason(std::string(123, 'r')).size(), 123u);
  EXPECT_EQ(reason(std::string(124, 'r')).size(), 123u);
  EXPECT_EQ(reason(std::string(121, 'r') + "€").size(), 121u);
  EXPECT_EQ(reason(std::string(120, 'r') + "€").size(), 123u);
}

TEST(Encoder, MasksEveryFrameWithANewKey) {
  Encoder encoder(Role::kClient);
  std::set<std::string> keys;
  for (int i = 0; i < 100; ++i) {
    std::string out;
    encoder.message(out, Opcode::kText, "");
    keys.insert(out.substr(2));
  }
  EXPECT_EQ(keys.size(), 100u);
}

}  // namespace
}  // namespace iii::ws
