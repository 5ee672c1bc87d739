#include "faces/mcp/base64.h"

#include <array>
#include <cstdint>

namespace iii::mcp {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> out{};
  out.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    out[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return out;
}
constexpr std::array<int8_t, 256> kValues = make_values();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](size_t i) -> uint32_t { return static_cast<unsigned char>(bytes[i]); };
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) out += kAlphabet[group >> shift & 63U];
  }
  const size_t rest = bytes.size() - i;
  if (rest == 0) return out;
  const uint32_t group = byte(i) << 16U | (rest == 2 ? byte(i + 1) << 8U : 0);
  out += kAlphabet[group >> 18U & 63U];
  out += kAlphabet[group >> 12U & 63U];
  out += rest == 2 ? kAlphabet[group >> 6U & 63U] : '=';
  out += '=';
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const int8_t value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6U | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255U);
  }
  // Bits that are left over must be zero: every text has one spelling.
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace iii::mcp
