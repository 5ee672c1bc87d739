#include "bus/engine/store/log_check.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <vector>

#include "foundation/base/hash.h"
#include "foundation/base/text.h"

namespace iii::engine {

namespace {

constexpr uint32_t kMagic = 0x377f0682;  // the lowest bit says that checksums are big-endian
constexpr uint32_t kVersion = 3'007'000;
constexpr size_t kReadBytes = 1024 * 1024;
constexpr std::string_view kMarkWord = "synced";

uint32_t number_at(std::string_view bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

struct Sums {
  uint32_t first = 0;
  uint32_t second = 0;

  bool operator==(const Sums&) const = default;

  // `bytes` comes in multiples of eight.
  void add(std::string_view bytes, bool big_endian) {
    for (size_t at = 0; at < bytes.size(); at += 8) {
      uint32_t one = number_at(bytes, at);
      uint32_t two = number_at(bytes, at + 4);
      if (!big_endian) {
        one = std::byteswap(one);
        two = std::byteswap(two);
      }
      first += one + second;
      second += two + first;
    }
  }
};

struct Header {
  bool blank = true;  // there never was one
  bool good = false;
  bool big_endian = false;
  size_t page_bytes = 0;
  uint32_t salts[2] = {};
  Sums sums;
};

Header read_header(std::string_view bytes) {
  Header out;
  out.blank = std::ranges::all_of(bytes, [](char c) { return c == 0; });
  const uint32_t magic = number_at(bytes, 0);
  out.big_endian = (magic & 1) != 0;
  out.page_bytes = number_at(bytes, 8);
  out.salts[0] = number_at(bytes, 16);
  out.salts[1] = number_at(bytes, 20);
  out.sums = {number_at(bytes, 24), number_at(bytes, 28)};
  Sums computed;
  computed.add(bytes.substr(0, 24), out.big_endian);
  out.good = (magic & ~1U) == kMagic && number_at(bytes, 4) == kVersion &&
             std::has_single_bit(out.page_bytes) && out.page_bytes >= 512 &&
             out.page_bytes <= 65'536 && computed == out.sums;
  return out;
}

// Follows the frames of one log, the readable ones and those behind the first damage.
class FrameWalk {
 public:
  FrameWalk(const Header& header, const std::optional<LogMark>& mark)
      : header_(header), mark_(mark), before_(header.sums) {}

  void see(std::string_view frame) {
    const bool good = is_good(frame);
    const Sums sums{number_at(frame, 16), number_at(frame, 20)};
    before_ = sums;
    if (!good) {
      broken_ = true;
      return;
    }
    if (!broken_) {
      ++state_.good_frames;
      if (mark_ && mark_->frames == state_.good_frames) {
        mark_met_ = mark_->sums[0] == sums.first && mark_->sums[1] == sums.second;
      }
      return;
    }
    // Written in this round of the log, and the damage came before it. If a transaction has ended
    // since the damage, this one is a later one.
    if (state_.lost_commits > 0) later_ = true;
    if (number_at(frame, 4) != 0) ++state_.lost_commits;
  }

  LogState finish() {
    state_.replaced = mark_ && mark_->frames > 0 && !same_log();
    const bool short_of_mark = mark_ && mark_->frames > 0 && same_log() && !mark_met_;
    state_.damaged = short_of_mark || later_;
    if (!state_.damaged) state_.lost_commits = 0;
    return state_;
  }

 private:
  bool same_log() const {
    return mark_->salts[0] == header_.salts[0] && mark_->salts[1] == header_.salts[1];
  }

  // A frame is judged by the checksum that the frame before it states: so those behind a damaged
  // one can be told from leftovers.
  bool is_good(std::string_view frame) const {
    if (number_at(frame, 0) == 0 || number_at(frame, 8) != header_.salts[0] ||
        number_at(frame, 12) != header_.salts[1]) {
      return false;
    }
    Sums computed = before_;
    computed.add(frame.substr(0, 8), header_.big_endian);
    computed.add(frame.substr(kFrameHeaderBytes), header_.big_endian);
    return computed == Sums{number_at(frame, 16), number_at(frame, 20)};
  }

  const Header& header_;
  const std::optional<LogMark>& mark_;
  Sums before_;
  LogState state_;
  bool broken_ = false;
  bool later_ = false;
  bool mark_met_ = false;
};

// False when the disk does not give them.
bool read_at(int file, char* out, size_t bytes, off_t at) {
  while (bytes > 0) {
    const ssize_t got = ::pread(file, out, bytes, at);
    if (got <= 0) return false;
    out += got;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

LogState unreadable() { return {.damaged = true, .lost_commits = 1}; }

}  // namespace

std::string LogMark::to_text() const {
  const std::string body = fmt::format("{} {:08x} {:08x} {:08x} {:08x} {:08x}", kMarkWord, frames,
                                       salts[0], salts[1], sums[0], sums[1]);
  std::string text = fmt::format("{} {:016x}", body, keyed_hash({}, body));
  text.resize(kTextBytes - 1, ' ');
  return text + '\n';
}

std::optional<LogMark> LogMark::parse(std::string_view text) {
  LogMark out;
  const std::vector<std::string_view> words = split(trim(text), ' ');
  if (words.size() != 7) return std::nullopt;
  uint32_t* const fields[] = {&out.frames, &out.salts[0], &out.salts[1], &out.sums[0],
                              &out.sums[1]};
  for (size_t i = 0; i < std::size(fields); ++i) {
    const std::string_view word = words[i + 1];
    std::from_chars(word.data(), word.data() + word.size(), *fields[i], 16);
  }
  if (out.to_text() != text) return std::nullopt;
  return out;
}

LogMark mark_at(uint32_t frames, std::string_view frame_header) {
  return {.frames = frames,
          .salts = {number_at(frame_header, 8), number_at(frame_header, 12)},
          .sums = {number_at(frame_header, 16), number_at(frame_header, 20)}};
}

LogState check_log(int log, const std::optional<LogMark>& mark) {
  const bool nothing_needed = mark && mark->frames == 0;
  struct stat info{};
  if (::fstat(log, &info) != 0) return unreadable();
  const auto size = static_cast<size_t>(info.st_size);
  if (size < kLogHeaderBytes) return {.replaced = mark && mark->frames > 0};
  std::array<char, kLogHeaderBytes> start{};
  if (!read_at(log, start.data(), start.size(), 0)) return unreadable();
  const Header header = read_header({start.data(), start.size()});
  if (!header.good) {
    // Without its header SQLite takes the whole log for empty. A log that was reserved and never
    // used is blank.
    const bool empty = nothing_needed || (header.blank && !mark);
    return empty ? LogState{} : unreadable();
  }
  const size_t frame_bytes = kFrameHeaderBytes + header.page_bytes;
  const size_t count = (size - kLogHeaderBytes) / frame_bytes;
  const size_t per_read = std::max<size_t>(kReadBytes / frame_bytes, 1);
  std::vector<char> block(per_read * frame_bytes);
  FrameWalk walk(header, mark);
  for (size_t i = 0; i < count; i += per_read) {
    const size_t frames = std::min(per_read, count - i);
    const auto at = static_cast<off_t>(kLogHeaderBytes + i * frame_bytes);
    if (!read_at(log, block.data(), frames * frame_bytes, at)) return unreadable();
    for (size_t k = 0; k < frames; ++k) walk.see({block.data() + k * frame_bytes, frame_bytes});
  }
  return walk.finish();
}

}  // namespace iii::engine
