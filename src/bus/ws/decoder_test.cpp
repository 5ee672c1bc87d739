#include "bus/ws/decoder.h"

#include <gmock/gmock.h>

#include "bus/ws/frames_for_test.h"

namespace iii::ws {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Limits kSmall{.max_frame = 1000, .max_message = 3000};

Seen text(std::string payload) { return {EventKind::kText, std::move(payload), 0}; }
Seen binary(std::string payload) { return {EventKind::kBinary, std::move(payload), 0}; }

// The close code a server would have to give, or 0 when nothing is wrong.
uint16_t fault(const std::string& bytes, Limits limits = {}, Role role = Role::kServer) {
  const std::vector<Seen> seen = decode(role, limits, bytes);
  return !seen.empty() && seen.back().kind == EventKind::kError ? seen.back().code : uint16_t{0};
}

TEST(Decoder, ReadsTheExamplesOfTheStandard) {
  using namespace std::string_literals;
  EXPECT_THAT(decode(Role::kClient, {}, "\x81\x05Hello"), ElementsAre(text("Hello")));
  EXPECT_THAT(decode(Role::kServer, {}, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"),
              ElementsAre(text("Hello")));
  EXPECT_THAT(decode(Role::kClient, {}, "\x01\x03Hel\x80\x02lo"), ElementsAre(text("Hello")));
  EXPECT_THAT(decode(Role::kClient, {}, "\x89\x05Hello"),
              ElementsAre(Seen{EventKind::kPing, "Hello", 0}));
  EXPECT_THAT(decode(Role::kClient, {}, "\x82\x7e\x01\x00"s + std::string(256, 'b')),
              ElementsAre(binary(std::string(256, 'b'))));
  EXPECT_THAT(decode(Role::kClient, {}, "\x82\x7f\0\0\0\0\0\x01\0\0"s + std::string(65536, 'b')),
              ElementsAre(binary(std::string(65536, 'b'))));
}

TEST(Decoder, DeliversControlFramesBetweenFragments) {
  const std::string bytes = RawFrame{.opcode = 1, .payload = "one ", .fin = false}.bytes() +
                            RawFrame{.opcode = 9, .payload = "ping"}.bytes() +
                            RawFrame{.opcode = 0, .payload = "two ", .fin = false}.bytes() +
                            RawFrame{.opcode = 10, .payload = ""}.bytes() +
                            RawFrame{.opcode = 0, .payload = "three"}.bytes();
  EXPECT_THAT(decode(Role::kServer, {}, bytes),
              ElementsAre(Seen{EventKind::kPing, "ping", 0}, Seen{EventKind::kPong, "", 0},
                          text("one two three")));
}

TEST(Decoder, JoinsACharacterCutByFragments) {
  const std::string bytes = RawFrame{.opcode = 1, .payload = "\xe2\x82", .fin = false}.bytes() +
                            RawFrame{.opcode = 0, .payload = "\xac"}.bytes();
  EXPECT_THAT(decode(Role::kServer, {}, bytes), ElementsAre(text("€")));
}

TEST(Decoder, ReadsEmptyMessagesAndEmptyFragments) {
  const std::string bytes =
      RawFrame{.opcode = 1}.bytes() + RawFrame{.opcode = 2, .fin = false}.bytes() +
      RawFrame{.opcode = 0, .fin = false}.bytes() + RawFrame{.opcode = 0}.bytes();
  EXPECT_THAT(decode(Role::kServer, {}, bytes), ElementsAre(text(""), binary("")));
}

TEST(Decoder, RefusesReservedBits) {
  for (const int rsv : {1, 2, 4, 7}) {
    EXPECT_EQ(fault(RawFrame{.rsv = static_cast<uint8_t>(rsv)}.bytes()), 1002);
  }
}

TEST(Decoder, RefusesUnknownOpcodes) {
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    EXPECT_EQ(fault(RawFrame{.opcode = static_cast<uint8_t>(opcode)}.bytes()), 1002) << opcode;
  }
}

TEST(Decoder, HoldsEachRoleToItsMaskingRule) {
  const std::string masked = RawFrame{.payload = "x", .masked = true}.bytes();
  const std::string plain = RawFrame{.payload = "x", .masked = false}.bytes();
  EXPECT_EQ(fault(masked, {}, Role::kServer), 0);
  EXPECT_EQ(fault(plain, {}, Role::kServer), 1002);
  EXPECT_EQ(fault(masked, {}, Role::kClient), 1002);
  EXPECT_EQ(fault(plain, {}, Role::kClient), 0);
}

TEST(Decoder, RefusesFragmentsOutOfOrder) {
  EXPECT_EQ(fault(RawFrame{.opcode = 0}.bytes()), 1002);
  const std::string begun = RawFrame{.opcode = 1, .payload = "x", .fin = false}.bytes();
  EXPECT_EQ(fault(begun + RawFrame{.opcode = 1}.bytes()), 1002);
  EXPECT_EQ(fault(begun + RawFrame{.opcode = 2}.bytes()), 1002);
  EXPECT_EQ(fault(begun + RawFrame{.opcode = 0}.bytes() + RawFrame{.opcode = 0}.bytes()), 1002);
}

TEST(Decoder, RefusesFragmentedAndLongControlFrames) {
  for (const uint8_t opcode : {uint8_t{8}, uint8_t{9}, uint8_t{10}}) {
    EXPECT_EQ(fault(RawFrame{.opcode = opcode, .fin = false}.bytes()), 1002);
    EXPECT_EQ(fault(RawFrame{.opcode = opcode, .payload = std::string(126, 'x')}.bytes()), 1002);
  }
  EXPECT_EQ(fault(RawFrame{.opcode = 9, .payload = std::string(125, 'x')}.bytes()), 0);
}

TEST(Decoder, RefusesLengthsNotInTheirShortestForm) {
  EXPECT_EQ(fault(RawFrame{.payload = std::string(125, 'x'), .length_bytes = 2}.bytes()), 1002);
  EXPECT_EQ(fault(RawFrame{.payload = std::string(126, 'x'), .length_bytes = 2}.bytes()), 0);
  EXPECT_EQ(fault(RawFrame{.payload = std::string(65535, 'x'), .length_bytes = 8}.bytes()), 1002);
  EXPECT_EQ(fault(RawFrame{.payload = std::string(65536, 'x'), .length_bytes = 8}.bytes()), 0);
}

TEST(Decoder, RefusesHugeLengthsWithoutOverflow) {
  using namespace std::string_literals;
  EXPECT_EQ(fault("\x82\xff\x80\0\0\0\0\0\0\0"s), 1002);
  EXPECT_EQ(fault("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff"s), 1002);
  EXPECT_EQ(fault("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff"s), 1009);
  const Limits none{.max_frame = SIZE_MAX, .max_message = SIZE_MAX};
  const std::string begun = RawFrame{.opcode = 2, .payload = "x", .fin = false}.bytes();
  EXPECT_EQ(fault(begun + "\x80\xff\x7f\xff\xff\xff\xff\xff\xff\xff"s, none), 0);
}

TEST(Decoder, FrameLimitIsInclusive) {
  EXPECT_EQ(fault(RawFrame{.payload = std::string(1000, 'x')}.bytes(), kSmall), 0);
  EXPECT_EQ(fault(RawFrame{.payload = std::string(1001, 'x')}.bytes(), kSmall), 1009);
}

TEST(Decoder, MessageLimitIsInclusive) {
  const std::string begun =
      RawFrame{.opcode = 1, .payload = std::string(1000, 'x'), .fin = false}.bytes() +
      RawFrame{.opcode = 0, .payload = std::string(1000, 'x'), .fin = false}.bytes();
  const RawFrame last{.opcode = 0, .payload = std::string(1000, 'x')};
  EXPECT_THAT(decode(Role::kServer, kSmall, begun + last.bytes()),
              ElementsAre(text(std::string(3000, 'x'))));
  const std::string one{RawFrame{.opcode = 0, .payload = "x", .fin = false}.bytes()};
  EXPECT_EQ(fault(begun + one + last.bytes(), kSmall), 1009);
  const Limits narrow{.max_frame = 1000, .max_message = 500};
  EXPECT_EQ(fault(RawFrame{.payload = std::string(500, 'x')}.bytes(), narrow), 0);
  EXPECT_EQ(fault(RawFrame{.payload = std::string(501, 'x')}.bytes(), narrow), 1009);
}

TEST(Decoder, DefaultLimitsAreThoseOfTheEngine) {
  constexpr size_t kMiB = 1024 * 1024;
  const auto frame = [](uint8_t opcode, size_t size, bool fin) {
    return RawFrame{
        .opcode = opcode, .payload = std::string(size, 'x'), .fin = fin, .masked = false}
        .bytes();
  };
  const auto client_fault = [](const std::string& bytes) {
    return fault(bytes, {}, Role::kClient);
  };
  EXPECT_EQ(client_fault(frame(2, 16 * kMiB, true)), 0);
  EXPECT_EQ(client_fault(frame(2, 16 * kMiB + 1, true)), 1009);
  std::string four = frame(2, 16 * kMiB, false);
  for (int i = 0; i < 3; ++i) four += frame(0, 16 * kMiB, false);
  EXPECT_EQ(client_fault(four + frame(0, 0, true)), 0);
  EXPECT_EQ(client_fault(four + frame(0, 1, true)), 1009);
}

TEST(Decoder, RefusesALimitBeforeThePayloadArrives) {
  const std::string header = RawFrame{.payload = std::string(1001, 'x')}.bytes().substr(0, 4);
  EXPECT_EQ(fault(header, kSmall), 1009);
}

TEST(Decoder, ChecksUtf8OfTexts) {
  EXPECT_EQ(fault(RawFrame{.opcode = 1, .payload = "\xff"}.bytes()), 1007);
  EXPECT_EQ(fault(RawFrame{.opcode = 1, .payload = "\xed\xa0\x80"}.bytes()), 1007);  // surrogate
  EXPECT_EQ(fault(RawFrame{.opcode = 1, .payload = "\xe2\x82"}.bytes()), 1007);      // cut short
  EXPECT_EQ(fault(RawFrame{.opcode = 1, .payload = "\xf4\x90\x80\x80"}.bytes()), 1007);
  EXPECT_EQ(fault(RawFrame{.opcode = 2, .payload = "\xff"}.bytes()), 0);
  EXPECT_EQ(fault(RawFrame{.opcode = 1, .payload = "a", .fin = false}.bytes() +
                  RawFrame{.opcode = 0, .payload = "\x80"}.bytes()),
            1007);
}

TEST(Decoder, ReadsCloseFrames) {
  const auto close = [](std::string payload) {
    return decode(Role::kServer, {}, RawFrame{.opcode = 8, .payload = std::move(payload)}.bytes());
  };
  EXPECT_THAT(close(""), ElementsAre(Seen{EventKind::kClose, "", kCloseNone}));
  EXPECT_THAT(close("\x03\xe8"), ElementsAre(Seen{EventKind::kClose, "", 1000}));
  EXPECT_THAT(close("\x03\xf4grüße"), ElementsAre(Seen{EventKind::kClose, "grüße", 1012}));
  EXPECT_EQ(close("\x03").back().code, 1002);
  EXPECT_EQ(close("\x03\xe8\xff").back().code, 1007);
}

TEST(Decoder, KnowsWhichCloseCodesMayTravel) {
  const auto accepted = [](int code) {
    const std::string payload{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
    return fault(RawFrame{.opcode = 8, .payload = payload}.bytes()) == 0;
  };
  for (const int code : {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014,
                         3000, 3999, 4000, 4999}) {
    EXPECT_TRUE(accepted(code)) << code;
  }
  for (const int code : {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65535}) {
    EXPECT_FALSE(accepted(code)) << code;
  }
}

TEST(Decoder, YieldsNothingAfterItsEnd) {
  for (const std::string& last : {RawFrame{.opcode = 8}.bytes(), RawFrame{.opcode = 3}.bytes()}) {
    Decoder decoder(Role::kServer, {});
    const std::string bytes = last + RawFrame{.payload = "late"}.bytes();
    EXPECT_EQ(decode(decoder, bytes, [] { return SIZE_MAX; }).size(), 1u);
    EXPECT_THAT(decode(decoder, bytes, [] { return SIZE_MAX; }), IsEmpty());
  }
}

TEST(Decoder, GivesMessagesPaddingToReadBehindThem) {
  Decoder decoder(Role::kServer, {});
  // Exactly as many bytes as a block holds, so that the padding is all there is behind the message.
  const size_t size = BlockPool::kBlockSize - kPadding - 8;
  for (const bool fin : {true, false}) {
    std::string bytes =
        RawFrame{.opcode = 2, .payload = std::string(size, 'x'), .fin = fin}.bytes();
    if (!fin) bytes += RawFrame{.opcode = 0}.bytes();
    const std::span<char> room = decoder.prepare();
    ASSERT_GE(room.size(), BlockPool::kBlockSize - kPadding);
    size_t fed = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), fed);
    decoder.commit(fed);
    Event event = decoder.next();
    if (event.kind == EventKind::kNeedMore) {
      const std::span<char> more = decoder.prepare();
      std::memcpy(more.data(), bytes.data() + fed, bytes.size() - fed);
      decoder.commit(bytes.size() - fed);
      event = decoder.next();
    }
    ASSERT_EQ(event.kind, EventKind::kBinary);
    volatile char sum = 0;  // the address sanitizer judges these reads
    for (size_t i = 0; i < kPadding; ++i)
      sum = static_cast<char>(sum + event.payload.data()[size + i]);
    EXPECT_EQ(decoder.next().kind, EventKind::kNeedMore);
  }
}

TEST(Decoder, HoldsLittleMemoryWhenIdle) {
  BlockPool pool;
  for (BlockPool* const shared : {static_cast<BlockPool*>(nullptr), &pool}) {
    Decoder decoder(Role::kServer, {}, shared);
    const auto feed = [&](const std::string& bytes) {
      return decode(decoder, bytes, [] { return size_t{30000}; });
    };
    feed(RawFrame{.payload = "small"}.bytes());
    EXPECT_LE(decoder.buffered(), 4096u);
    EXPECT_EQ(feed(RawFrame{.payload = std::string(8 << 20, 'x')}.bytes()).size(), 1u);
    EXPECT_LE(decoder.buffered(), 4096u);
    EXPECT_EQ(feed(RawFrame{.payload = std::string(8 << 20, 'x'), .fin = false}.bytes() +
                   RawFrame{.opcode = 0, .payload = "end"}.bytes())
                  .size(),
              1u);
    EXPECT_LE(decoder.buffered(), 4096u);
    feed(RawFrame{.payload = std::string(2000, 'x')}.bytes().substr(0, 1500));
    EXPECT_LE(decoder.buffered(), 4096u);
  }
}

TEST(Decoder, ReservesLittleForAnAnnouncedFrame) {
  Decoder decoder(Role::kServer, {});
  const std::string frame = RawFrame{.payload = std::string(16 << 20, 'x')}.bytes();
  EXPECT_THAT(decode(decoder, frame.substr(0, 100), [] { return SIZE_MAX; }), IsEmpty());
  static_cast<void>(decoder.prepare());
  EXPECT_LE(decoder.buffered(), size_t{1100 * 1024});
}

TEST(Decoder, HandsTheMemoryOfALargeMessageOver) {
  Decoder decoder(Role::kServer, {});
  const std::string payload(5 << 20, 'x');
  std::string bytes = RawFrame{.payload = payload.substr(0, 3 << 20), .fin = false}.bytes() +
                      RawFrame{.opcode = 0, .payload = payload.substr(3 << 20)}.bytes();
  Event event;
  size_t fed = 0;
  while (fed < bytes.size()) {
    const std::span<char> room = decoder.prepare();
    const size_t count = std::min(room.size(), bytes.size() - fed);
    std::memcpy(room.data(), bytes.data() + fed, count);
    decoder.commit(count);
    fed += count;
    event = decoder.next();
  }
  ASSERT_EQ(event.kind, EventKind::kText);
  OwnedMessage message = decoder.take_message();
  EXPECT_EQ(message.view().data(), event.payload.data()) << "the bytes were copied";
  EXPECT_EQ(decoder.buffered(), 0u);
  EXPECT_EQ(decoder.next().kind, EventKind::kNeedMore);
  EXPECT_EQ(message.view(), payload);
  const char* const where = message.view().data();
  const SharedBytes shared = std::move(message).share();
  EXPECT_EQ(shared.bytes.data(), where);
  volatile char sum = 0;
  for (size_t i = 0; i < kPadding; ++i) sum = static_cast<char>(sum + where[payload.size() + i]);
  EXPECT_EQ(decode(decoder, RawFrame{.payload = "next"}.bytes(), [] { return SIZE_MAX; }).size(),
            1u);
}

// So that no read makes more work than its own bytes: a 64 MiB text is not checked at its end.
TEST(Decoder, ChecksALargeTextWhileItArrives) {
  for (const bool fragments : {false, true}) {
    Decoder decoder(Role::kServer, {});
    std::string begun(4 << 20, 'x');
    begun[1 << 20] = '\xff';
    RawFrame frame{.payload = begun, .fin = !fragments};
    std::string bytes = frame.bytes();
    if (!fragments) bytes.resize(2 << 20);
    const std::vector<Seen> seen = decode(decoder, bytes, [] { return SIZE_MAX; });
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].code, 1007);
    EXPECT_LE(decoder.buffered(), size_t{4 << 20});
  }
}

TEST(Decoder, ReadsALargeFrameInBoundedPieces) {
  Decoder decoder(Role::kServer, {});
  const std::string bytes = RawFrame{.payload = std::string(8 << 20, 'x')}.bytes();
  size_t fed = 0;
  while (fed < bytes.size()) {
    const std::span<char> room = decoder.prepare();
    ASSERT_LE(room.size(), Decoder::kMaxRead);
    const size_t count = std::min(room.size(), bytes.size() - fed);
    std::memcpy(room.data(), bytes.data() + fed, count);
    decoder.commit(count);
    fed += count;
    const Event event = decoder.next();
    EXPECT_EQ(event.kind, fed < bytes.size() ? EventKind::kNeedMore : EventKind::kText);
    if (fed < bytes.size()) EXPECT_LE(decoder.buffered(), 2 * fed + (1100 << 10));
  }
}

TEST(Decoder, JoinsCharactersCutAnywhereInALargeText) {
  std::string text;
  while (text.size() < 300'000) text += "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  const std::string bytes = RawFrame{.payload = text, .fin = false}.bytes() +
                            RawFrame{.opcode = 0, .payload = text}.bytes();
  for (const size_t piece : {1u, 2u, 3u, 4095u, 65537u}) {
    const std::vector<Seen> seen = decode(Role::kServer, {}, bytes, piece);
    ASSERT_EQ(seen.size(), 1u) << piece;
    EXPECT_EQ(seen[0].kind, EventKind::kText);
    EXPECT_EQ(seen[0].payload, text + text);
  }
  const std::string cut = RawFrame{.payload = text + "\xf0\x9f\x98"}.bytes();
  EXPECT_EQ(fault(cut), 1007);
}

TEST(Block, KeepsItsBytesWhileItGrowsAndShrinks) {
  Block block;
  block.resize(100);
  std::memset(block.data(), 'a', 100);
  for (const size_t size : {size_t{1} << 20, size_t{4} << 20, size_t{64} << 20, size_t{3} << 20,
                            size_t{1000}, size_t{10} << 20}) {
    block.resize(size);
    ASSERT_EQ(block.size(), size);
    ASSERT_EQ(std::string_view(block.data(), 100), std::string(100, 'a')) << size;
    block.data()[size - 1] = 'z';
  }
  Block other = std::move(block);
  EXPECT_EQ(block.data(), nullptr);
  EXPECT_EQ(other.data()[0], 'a');
}

TEST(Decoder, AnySplitGivesTheSameEvents) {
  std::mt19937_64 random(20261115);
  BlockPool pool;
  for (int round = 0; round < 200; ++round) {
    const bool masked = round % 2 == 0;
    const Role role = masked ? Role::kServer : Role::kClient;
    const std::string bytes = random_stream(random, masked, round % 4 < 2);
    const Limits limits =
        round % 8 < 4 ? Limits{} : Limits{.max_frame = 66000, .max_message = 70000};
    const std::vector<Seen> whole = decode(role, limits, bytes);
    if (bytes.size() < 20000) {
      ASSERT_EQ(decode(role, limits, bytes, 1), whole) << "byte by byte, round " << round;
    }
    for (const size_t most : {size_t{3}, size_t{300}, size_t{50000}}) {
      if (bytes.size() / most > 20000) continue;
      Decoder decoder(role, limits, &pool);
      const auto piece = [&] { return 1 + random() % most; };
      ASSERT_EQ(decode(decoder, bytes, piece), whole) << "at most " << most << ", round " << round;
    }
  }
}

TEST(Decoder, TakesAnyNumberOfReadsBeforeItIsAsked) {
  const std::string frame = RawFrame{.payload = std::string(5000, 'x')}.bytes();
  Decoder decoder(Role::kServer, {});
  for (int i = 0; i < 1000; ++i) {
    std::string_view left = frame;
    while (!left.empty()) {
      const std::span<char> room = decoder.prepare();
      const size_t count = std::min(room.size(), left.size());
      std::memcpy(room.data(), left.data(), count);
      decoder.commit(count);
      left.remove_prefix(count);
    }
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(decoder.next().payload.size(), 5000u);
  EXPECT_EQ(decoder.next().kind, EventKind::kNeedMore);
}

}  // namespace
}  // namespace iii::ws
