// Fuzz target: any bytes give well-formed findings, the same every time, in bounded number; the
// work is linear in the bytes.
//
// Input: a byte that chooses the path, then the file.
#include <array>
#include <cstdint>
#include <string_view>

#include "directory/risks/codes.h"
#include "directory/risks/new_commands.h"
#include "directory/risks/scan.h"
#include "foundation/base/check.h"
#include "foundation/base/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::array<std::string_view, 6> kPaths{"SKILL.md", "a.sh",  "a.py",
                                                   "a.json",   "x.png", "tool"};
  if (size == 0) return 0;
  const std::string_view path = kPaths.at(data[0] % kPaths.size());
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  uint64_t steps = 0;
  const iii::risks::ScanOptions options{.steps = &steps};
  const auto found = iii::risks::scan(path, bytes, options);
  III_CHECK(steps <= 16 * bytes.size() + 1'000);
  III_CHECK(found == iii::risks::scan(path, bytes));
  III_CHECK(found.size() <= 3 * options.max_per_code * iii::risks::kCodes.size());
  for (const iii::risks::Risk& risk : found) {
    const iii::risks::CodeInfo* info = iii::risks::find_code(risk.code);
    III_CHECK(info != nullptr && risk.severity <= info->severity);
    III_CHECK(risk.excerpt.size() <= iii::risks::kMaxExcerpt);
    III_CHECK(iii::is_utf8(risk.excerpt) && iii::printable(risk.excerpt) == risk.excerpt);
  }
  III_CHECK(iii::risks::new_commands(path, bytes.substr(bytes.size() / 2), bytes).size() <=
            iii::risks::kMaxNewCommands + 1);
  return 0;
}
