#include "bus/ws/encoder.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "bus/ws/mask.h"
#include "foundation/base/check.h"
#include "foundation/base/utf8_head.h"

namespace iii::ws {
namespace {

constexpr size_t kMaxControlPayload = 125;
constexpr size_t kMaxHeader = 14;

size_t write_header(char* to, Role role, Opcode opcode, bool fin, size_t length) {
  to[0] = static_cast<char>((fin ? 0x80 : 0) | static_cast<uint8_t>(opcode));
  const int mask_bit = role == Role::kClient ? 0x80 : 0;
  if (length < 126) {
    to[1] = static_cast<char>(mask_bit | static_cast<int>(length));
    return 2;
  }
  size_t bytes = 8;
  if (length <= 0xffff) bytes = 2;
  to[1] = static_cast<char>(mask_bit | (bytes == 2 ? 126 : 127));
  for (size_t i = 0; i < bytes; ++i) to[2 + i] = static_cast<char>(length >> (8 * (bytes - 1 - i)));
  return 2 + bytes;
}

}  // namespace

MaskSource::MaskSource() : state_{0, 0} {}

// xoroshiro128+, whose upper bits are the better ones. Seeded at first use: servers never need it.
uint32_t MaskSource::next() {
  while (state_[0] == 0 && state_[1] == 0) {
    III_CHECK(getentropy(state_, sizeof state_) == 0);
  }
  const uint64_t sum = state_[0] + state_[1];
  const uint64_t mixed = state_[1] ^ state_[0];
  state_[0] = std::rotl(state_[0], 24) ^ mixed ^ (mixed << 16);
  state_[1] = std::rotl(mixed, 37);
  return static_cast<uint32_t>(sum >> 32);
}

Encoder::Encoder(Role role, size_t max_frame)
    : role_(role), max_frame_(std::max<size_t>(max_frame, 1)) {}

uint32_t Encoder::header(std::string& out, Opcode kind, bool fin, size_t length) {
  char header[kMaxHeader];
  size_t used = write_header(header, role_, kind, fin, length);
  uint32_t key = 0;
  if (role_ == Role::kClient) {
    key = masks_.next();
    std::memcpy(header + used, &key, sizeof key);
    used += sizeof key;
  }
  out.append(header, used);
  return key;
}

uint32_t Encoder::payload(std::string& out, std::string_view part, uint32_t key) const {
  if (role_ == Role::kServer) {
    out.append(part);
    return key;
  }
  // Masked while copying: the payload is touched once. (libstdc++ 12 may offer more than was asked
  // for, so the second argument must not be returned.)
  const size_t before = out.size();
  out.resize_and_overwrite(before + part.size(), [&](char* data, size_t) {
    apply_mask(data + before, part.data(), part.size(), key);
    return before + part.size();
  });
  return advance_mask(key, part.size());
}

void Encoder::frame(std::string& out, Opcode kind, bool fin, std::string_view whole) {
  payload(out, whole, header(out, kind, fin, whole.size()));
}

void Encoder::message(std::string& out, Opcode kind, std::string_view payload) {
  split(kind, payload.size(), [&](Opcode opcode, bool fin, size_t offset, size_t length) {
    frame(out, opcode, fin, payload.substr(offset, length));
  });
}

void Encoder::control(std::string& out, Opcode kind, std::string_view payload) {
  frame(out, kind, true, payload.substr(0, kMaxControlPayload));
}

void Encoder::close(std::string& out, uint16_t code, std::string_view reason) {
  if (code == kCloseNone) {
    frame(out, Opcode::kClose, true, {});
    return;
  }
  const std::string_view head = utf8_head(reason, kMaxControlPayload - 2);
  char payload[kMaxControlPayload];
  payload[0] = static_cast<char>(code >> 8);
  payload[1] = static_cast<char>(code & 0xff);
  std::memcpy(payload + 2, head.data(), head.size());
  frame(out, Opcode::kClose, true, {payload, head.size() + 2});
}

}  // namespace iii::ws
