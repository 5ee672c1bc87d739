// The client side of the wire, made by hand: the load generator must be cheaper than any server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace iii::bench {

inline constexpr size_t kPayload = 300;  // bytes

// A JSON object of exactly kPayload bytes.
std::string json_payload();

// A masked text frame. The key is zero, so the bytes stay readable and can be patched in place; the
// server has the same work with it as with any other key.
std::string client_frame(std::string_view text);
inline constexpr size_t kLongHeader = 8;  // bytes before the text, for texts of 126 to 65535 bytes

// Takes the first whole frame of a server off `bytes`; false when there is none.
inline bool next_frame(std::string_view& bytes, std::string_view& text) {
  if (bytes.size() < 2) return false;
  size_t header = 2;
  uint64_t length = static_cast<uint8_t>(bytes[1]) & 0x7f;
  const size_t wide = length == 126 ? 2 : length == 127 ? 8 : 0;
  if (wide > 0) {
    header += wide;
    if (bytes.size() < header) return false;
    length = 0;
    for (size_t i = 2; i < header; ++i) length = (length << 8) | static_cast<uint8_t>(bytes[i]);
  }
  if (bytes.size() - header < length) return false;
  text = bytes.substr(header, static_cast<size_t>(length));
  bytes.remove_prefix(header + static_cast<size_t>(length));
  return true;
}

// A blocking connection to the loopback address, without Nagle's delay.
int connect_tcp(uint16_t port);
// The same, upgraded on path `/`. What the server sent behind its answer is put into `rest`.
int connect_websocket(uint16_t port, std::string& rest);
void send_all(int fd, std::string_view bytes);
// Reads (blocking) until a text that contains `wanted` has arrived.
void wait_for_text(int fd, std::string& rest, std::string_view wanted);
void make_non_blocking(int fd);

}  // namespace iii::bench
