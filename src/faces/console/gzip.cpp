#include "faces/console/gzip.h"

#include <zlib.h>

#include <algorithm>

namespace iii::console {

namespace {

constexpr int kGzipFormat = 16;  // added to the window bits
constexpr int kLevel = 6;
constexpr int kMemory = 8;

constexpr size_t kMostStored = 65'535;  // bytes in one stored block
// gzip, deflate, no flags, no time, no extra flags, unknown system.
constexpr std::string_view kHeader("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);

void append_little_endian(std::string& out, uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}

// RFC 1951, 3.2.4: never the last block.
void append_stored(std::string& out, std::string_view text) {
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMostStored))) {
    const std::string_view block = text.substr(0, kMostStored);
    const auto length = static_cast<uint32_t>(block.size());
    out += '\0';
    append_little_endian(out, length, 2);
    append_little_endian(out, ~length, 2);
    out += block;
  }
}

uint32_t crc_of(std::string_view text) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

// The checksum of two texts, one after the other.
uint32_t joined(uint32_t first, uint32_t second, size_t second_size) {
  return static_cast<uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(second_size)));
}

// zlib does not change its input.
Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

std::string gunzip(std::string_view compressed, size_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + kGzipFormat) != Z_OK) return {};
  std::string out(size, '\0');
  stream.next_in = bytes_of(compressed);
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = bytes_of(out);
  stream.avail_out = static_cast<uInt>(out.size());
  // The end is reached only when length and checksum are right.
  const int status = inflate(&stream, Z_FINISH);
  out.resize(status == Z_STREAM_END ? stream.total_out : 0);
  inflateEnd(&stream);
  return out;
}

GzipFrame::Part GzipFrame::compressed(std::string_view text, int flush) {
  Part out{.deflated = {}, .crc = crc_of(text), .size = text.size()};
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, -MAX_WBITS, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return out;
  }
  // The bound is that of a whole stream; a flush ends with an empty stored block.
  out.deflated.resize(deflateBound(&stream, text.size()) + 16);
  stream.next_in = bytes_of(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = bytes_of(out.deflated);
  stream.avail_out = static_cast<uInt>(out.deflated.size());
  deflate(&stream, flush);
  out.deflated.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// The flush ends the first part at a whole byte, where stored blocks can follow.
GzipFrame::GzipFrame(std::string_view before, std::string_view after)
    : before_(compressed(before, Z_FULL_FLUSH)), after_(compressed(after, Z_FINISH)) {}

std::string GzipFrame::around(std::string_view middle) const {
  std::string out;
  out.reserve(kHeader.size() + before_.deflated.size() + middle.size() + after_.deflated.size() +
              32);
  out += kHeader;
  out += before_.deflated;
  append_stored(out, middle);
  out += after_.deflated;
  const uint32_t crc =
      joined(joined(before_.crc, crc_of(middle), middle.size()), after_.crc, after_.size);
  append_little_endian(out, crc, 4);
  append_little_endian(out, static_cast<uint32_t>(before_.size + middle.size() + after_.size), 4);
  return out;
}

}  // namespace iii::console
