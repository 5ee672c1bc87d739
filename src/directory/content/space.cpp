#include "directory/content/space.h"

namespace iii::content {

std::string_view next_line(std::string_view text, size_t& at) {
  const size_t end = text.find('\n', at);
  std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
  at = end == std::string_view::npos ? text.size() : end + 1;
  if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace iii::content
