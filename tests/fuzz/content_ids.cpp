// Fuzz target: whatever a file is called, its normalised id and name are legal, final, and leave
// legal ones alone.
//
// Input: a path relative to a root, any bytes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "directory/content/ids.h"
#include "foundation/base/check.h"
#include "foundation/base/text.h"

namespace {

using namespace iii::content;

void check_normalised(std::string_view id) {
  const std::string normal = normalise_id(id);
  III_CHECK(check_id(normal).has_value());
  III_CHECK(normalise_id(normal) == normal);
  if (check_id(id)) {
    III_CHECK(normal == id);
  } else {
    III_CHECK(normal != id);
  }
  const std::string name = normalise_name(id);
  III_CHECK(check_name(name).has_value());
  III_CHECK(normalise_name(name) == name);
  if (check_name(id)) III_CHECK(name == id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  check_normalised(path);
  const std::string id = derive_id(path);
  III_CHECK(id.size() <= path.size());
  III_CHECK(id.find('\\') == std::string::npos);
  check_normalised(id);
  III_CHECK(check_id(second_overview_id(path)).has_value());
  static_cast<void>(overview_name(path));
  static_cast<void>(is_prompt_path(path));
  const std::string shown = quoted(path);
  III_CHECK(shown.size() >= std::min(path.size(), iii::kMaxEchoed) + 2);
  III_CHECK(shown.find('\n') == std::string::npos);
  return 0;
}
