// For tests: writes frames that the encoder never would, and runs a decoder over bytes in pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bus/ws/decoder.h"

namespace iii::ws {

struct RawFrame {
  uint8_t opcode = 1;
  std::string payload = {};
  bool fin = true;
  bool masked = true;
  uint8_t rsv = 0;       // 0–7
  int length_bytes = 0;  // 2 or 8: that form although a shorter one would do
  uint32_t key = 0x12345678;

  std::string bytes() const {
    std::string out;
    out += static_cast<char>((fin ? 0x80 : 0) | (rsv << 4) | opcode);
    const size_t size = payload.size();
    int form = size > 0xffff ? 8 : 2;
    if (size < 126) form = 0;
    form = std::max(form, length_bytes);
    const int marker = form == 0 ? static_cast<int>(size) : 126 + form / 8;
    out += static_cast<char>((masked ? 0x80 : 0) | marker);
    for (int i = form - 1; i >= 0; --i) out += static_cast<char>(size >> (8 * i));
    if (!masked) return out + payload;
    char mask[4];
    std::memcpy(mask, &key, sizeof mask);
    out.append(mask, sizeof mask);
    for (size_t i = 0; i < size; ++i) out += static_cast<char>(payload[i] ^ mask[i % 4]);
    return out;
  }
};

struct Seen {
  EventKind kind = EventKind::kNeedMore;
  std::string payload;
  uint16_t code = 0;
  bool operator==(const Seen&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Seen& seen) {
  return out << "{kind " << static_cast<int>(seen.kind) << ", code " << seen.code << ", "
             << seen.payload.size() << " bytes: " << seen.payload.substr(0, 60) << "}";
}

// Everything the decoder makes of `bytes` when at most `piece()` of them arrive at a time.
inline std::vector<Seen> decode(Decoder& decoder, std::string_view bytes,
                                const std::function<size_t()>& piece) {
  std::vector<Seen> seen;
  do {
    if (!bytes.empty()) {
      const std::span<char> room = decoder.prepare();
      const size_t count = std::min({room.size(), bytes.size(), std::max<size_t>(piece(), 1)});
      std::memcpy(room.data(), bytes.data(), count);
      decoder.commit(count);
      bytes.remove_prefix(count);
    }
    for (Event event = decoder.next(); event.kind != EventKind::kNeedMore; event = decoder.next()) {
      seen.push_back({event.kind, std::string(event.payload), event.close_code});
      if (event.kind == EventKind::kClose || event.kind == EventKind::kError) return seen;
    }
  } while (!bytes.empty());
  return seen;
}

inline std::vector<Seen> decode(Role role, Limits limits, std::string_view bytes,
                                size_t piece = SIZE_MAX) {
  Decoder decoder(role, limits);
  return decode(decoder, bytes, [piece] { return piece; });
}

// A stream of mostly valid frames; now and then a broken one, at which it may end.
inline std::string random_stream(std::mt19937_64& random, bool masked, bool broken) {
  const auto below = [&random](uint64_t limit) { return random() % limit; };
  const auto text = [&](size_t size) {
    static constexpr const char* kPieces[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                              "{}"};
    std::string out;
    while (out.size() < size) out += kPieces[below(5)];
    return out;
  };
  const auto size = [&]() -> size_t {
    static constexpr size_t kSizes[] = {0,   1,   7,    8,     124,   125,  126,
                                        127, 300, 4000, 65535, 65536, 70000};
    return below(4) == 0 ? kSizes[below(std::size(kSizes))] : below(200);
  };
  std::string out;
  bool in_message = false;
  bool text_message = false;
  std::string rest;  // of a text whose characters are cut across fragments
  for (uint64_t frames = 1 + below(12); frames > 0; --frames) {
    RawFrame frame;
    frame.masked = masked;
    frame.key = static_cast<uint32_t>(random());
    const uint64_t kind = below(10);
    if (kind == 0) {
      frame.opcode = static_cast<uint8_t>(9 + below(2));
      frame.payload = text(below(100)).substr(0, 125);
    } else if (kind == 1 && frames == 1) {
      frame.opcode = 8;
      static constexpr uint16_t kCodes[] = {1000, 1001, 1003, 1007, 1011, 3000, 4999};
      const uint16_t code = kCodes[below(std::size(kCodes))];
      if (below(4) != 0) {
        frame.payload = {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
        frame.payload += text(below(60));
      }
    } else {
      if (!in_message) {
        text_message = below(2) == 0;
        rest = text(size());
      }
      frame.opcode = static_cast<uint8_t>(in_message ? 0 : text_message ? 1 : 2);
      frame.fin = below(3) != 0;
      const size_t cut = frame.fin ? rest.size() : below(rest.size() + 1);
      frame.payload = rest.substr(0, cut);
      rest.erase(0, cut);
      in_message = !frame.fin;
    }
    if (broken && below(8) == 0) {
      switch (below(9)) {
        case 0:
          frame.rsv = static_cast<uint8_t>(1 + below(7));
          break;
        case 1:
          frame.opcode = static_cast<uint8_t>(below(16));
          break;
        case 2:
          frame.masked = !frame.masked;
          break;
        case 3:
          frame.length_bytes = below(2) == 0 ? 2 : 8;
          break;
        case 4:
          frame.fin = !frame.fin;
          break;
        case 5:
          frame.payload += '\xff';
          break;
        case 6:
          frame = {.opcode = 8, .payload = "\x03", .masked = masked};
          break;
        case 7:
          frame = {
              .opcode = 8, .payload = {'\x03', static_cast<char>(below(256))}, .masked = masked};
          break;
        case 8:
          frame = {.opcode = 9, .payload = std::string(126, 'p'), .masked = masked};
          break;
      }
    }
    out += frame.bytes();
  }
  if (broken && below(3) == 0 && !out.empty())
    out[below(out.size())] ^= static_cast<char>(1 << below(8));
  return out;
}

}  // namespace iii::ws
