// Fuzz target: whatever arrives, the decoder neither crashes nor depends on how it was cut into
// reads, and what it delivers survives our encoder.
//
// Input: one byte of choices (bit 0 role, bits 1–2 limits), one byte that seeds the cuts, then the
// stream.
#include <cstdint>
#include <cstring>

#include "bus/ws/encoder.h"
#include "bus/ws/frames_for_test.h"
#include "foundation/base/check.h"

namespace {

using namespace iii::ws;

constexpr Limits kLimits[] = {
    {},
    {.max_frame = 1000, .max_message = 3000},
    {.max_frame = 70'000, .max_message = 70'000},
    {.max_frame = 100, .max_message = 10},
};

void check_round_trip(const std::vector<Seen>& seen, Role from) {
  Encoder encoder(from == Role::kServer ? Role::kClient : Role::kServer, 50'000);
  std::string bytes;
  std::vector<Seen> expected;
  for (const Seen& event : seen) {
    switch (event.kind) {
      case EventKind::kText:
        encoder.message(bytes, Opcode::kText, event.payload);
        break;
      case EventKind::kBinary:
        encoder.message(bytes, Opcode::kBinary, event.payload);
        break;
      case EventKind::kPing:
        encoder.control(bytes, Opcode::kPing, event.payload);
        break;
      case EventKind::kPong:
        encoder.control(bytes, Opcode::kPong, event.payload);
        break;
      case EventKind::kClose:
        encoder.close(bytes, event.code, event.payload);
        break;
      default:
        continue;
    }
    expected.push_back(event);
  }
  III_CHECK(decode(from, {}, bytes) == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const Role role = (data[0] & 1) == 0 ? Role::kServer : Role::kClient;
  const Limits limits = kLimits[(data[0] >> 1) & 3];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

  const std::vector<Seen> whole = decode(role, limits, bytes);
  std::minstd_rand random(data[1] + 1u);
  const size_t most = 1 + data[1] * data[1];
  BlockPool pool;
  Decoder in_pieces(role, limits, &pool);
  III_CHECK(decode(in_pieces, bytes, [&] { return 1 + random() % most; }) == whole);
  if (size < 2000) III_CHECK(decode(role, limits, bytes, 1) == whole);
  check_round_trip(whole, role);
  return 0;
}
