// gzip in memory, for small texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace iii::console {

// What `compressed`, which this program itself holds, stands for; `size` is the length of that.
std::string gunzip(std::string_view compressed, size_t size);

// A gzip stream with a known beginning and end, which are compressed once. What stands between them
// is stored as it is, so a stream costs no more than copying it. One stream and not three members:
// Chromium ignores what comes after the first member.
class GzipFrame {
 public:
  GzipFrame(std::string_view before, std::string_view after);

  // The stream of before + `middle` + after.
  std::string around(std::string_view middle) const;

 private:
  struct Part {
    std::string deflated;
    uint32_t crc = 0;
    size_t size = 0;
  };
  static Part compressed(std::string_view text, int flush);

  Part before_;
  Part after_;
};

}  // namespace iii::console
