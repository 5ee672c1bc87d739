#include "bus/net/output_queue.h"

#include <gmock/gmock.h>

#include <array>
#include <random>

namespace iii::net {
namespace {

SharedBytes shared(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {owner, *owner};
}

// Takes up to `most` bytes out of the queue, as a socket would.
std::string take(OutputQueue& queue, size_t most) {
  std::array<iovec, 4> parts;
  const OutputQueue::Gathered gathered = queue.gather(parts, most);
  std::string out;
  for (size_t i = 0; i < gathered.parts; ++i) {
    out.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  }
  EXPECT_EQ(out.size(), gathered.bytes);
  queue.consume(out.size());
  return out;
}

TEST(OutputQueue, KeepsTheOrderOfCopiesAndSharedBytes) {
  OutputPool pool;
  OutputQueue queue(pool);
  queue.tail() += "head ";
  const SharedBytes body = shared("body");
  queue.append(body);
  EXPECT_EQ(body.owner.use_count(), 2);
  queue.tail() += " tail";
  EXPECT_EQ(queue.bytes(), 14u);
  EXPECT_EQ(take(queue, 7), "head bo");
  EXPECT_EQ(take(queue, 100), "dy tail");
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_EQ(body.owner.use_count(), 1) << "kept after it was written";
}

TEST(OutputQueue, GivesBackEverythingWhenCleared) {
  OutputPool pool;
  OutputQueue queue(pool);
  const SharedBytes body = shared("body");
  queue.append(body);
  queue.tail() += "rest";
  queue.clear();
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_EQ(body.owner.use_count(), 1);
}

TEST(OutputQueue, DoesNotGrowOneBufferWithoutEnd) {
  OutputPool pool;
  OutputQueue queue(pool);
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 100; ++i) {
    queue.tail() += piece;
    EXPECT_LE(queue.tail().capacity(), size_t{3} << 20);
  }
  EXPECT_EQ(queue.bytes(), 10'000'000u);
}

TEST(OutputQueue, AnySequenceComesOutAsItWentIn) {
  std::mt19937_64 random(20261116);
  for (int round = 0; round < 200; ++round) {
    OutputPool pool;
    OutputQueue queue(pool);
    std::string in;
    std::string out;
    for (int step = 0; step < 100; ++step) {
      const std::string piece(random() % 200, static_cast<char>('a' + random() % 26));
      switch (random() % 3) {
        case 0:
          queue.tail() += piece;
          in += piece;
          break;
        case 1:
          queue.append(shared(piece));
          in += piece;
          break;
        case 2:
          out += take(queue, 1 + random() % 500);
          break;
      }
      ASSERT_EQ(queue.bytes(), in.size() - out.size());
    }
    while (queue.bytes() > 0) out += take(queue, 1 + random() % 500);
    ASSERT_EQ(out, in);
  }
}

}  // namespace
}  // namespace iii::net
