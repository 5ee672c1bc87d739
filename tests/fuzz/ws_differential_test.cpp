// Random streams through our decoder and through Boost.Beast: the same messages, or both refuse.
#include <gmock/gmock.h>

#include "beast_peer.h"

namespace iii::ws {
namespace {

void compare_random(Role role, bool broken, uint64_t seed) {
  std::mt19937_64 random(seed);
  size_t messages = 0;
  size_t refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string bytes = random_stream(random, role == Role::kServer, broken);
    const size_t limit = round % 3 == 0 ? 1000 : 1'000'000;
    ASSERT_EQ(compare_with_beast(role, limit, bytes), "")
        << "round " << round << " of seed " << seed;
    const std::vector<Seen> seen = decode(role, {.max_frame = limit, .max_message = limit}, bytes);
    messages += seen.size();
    if (!seen.empty() && seen.back().kind == EventKind::kError) ++refused;
  }
  // The comparison is worth something only if both kinds of streams came up.
  EXPECT_GT(messages, 1000u);
  EXPECT_GT(refused, broken ? 200u : 0u);
}

TEST(Differential, ServerAgreesWithBeastOnValidStreams) { compare_random(Role::kServer, false, 1); }
TEST(Differential, ServerAgreesWithBeastOnBrokenStreams) { compare_random(Role::kServer, true, 2); }
TEST(Differential, ClientAgreesWithBeastOnValidStreams) { compare_random(Role::kClient, false, 3); }
TEST(Differential, ClientAgreesWithBeastOnBrokenStreams) { compare_random(Role::kClient, true, 4); }

TEST(Differential, BeastSeesWhatTheTestSent) {
  const std::string bytes = RawFrame{.payload = "one", .fin = false}.bytes() +
                            RawFrame{.opcode = 9, .payload = "p"}.bytes() +
                            RawFrame{.opcode = 0, .payload = "two"}.bytes() +
                            RawFrame{.opcode = 8, .payload = "\x03\xe8why"}.bytes();
  const BeastResult result = beast_decode(Role::kServer, 1000, bytes);
  EXPECT_THAT(result.seen, ::testing::ElementsAre(Seen{EventKind::kPing, "p", 0},
                                                  Seen{EventKind::kText, "onetwo", 0},
                                                  Seen{EventKind::kClose, "why", 1000}));
  EXPECT_EQ(result.ending, Ending::kClosed);
}

}  // namespace
}  // namespace iii::ws
