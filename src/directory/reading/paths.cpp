#include "directory/reading/paths.h"

#include <algorithm>
#include <utility>

#include "foundation/base/text.h"

namespace iii::directory {

std::optional<std::string> join_relative(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> parts;
  if (!folder.empty()) parts = split(folder, '/');
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string out;
  for (const std::string_view part : parts) out.append(out.empty() ? "" : "/").append(part);
  return out;
}

std::vector<std::string> link_targets(std::string_view base, std::string_view link) {
  const std::string plain = percent_decode(link.substr(0, link.find('#')));
  std::vector<std::string> out;
  if (plain.empty()) out.emplace_back(base);
  const bool dotted = link.starts_with("./") || link.starts_with("../");
  std::string_view folder = link.starts_with('/') ? std::string_view() : folder_of(base);
  for (;;) {
    for (const std::string_view each : {link, std::string_view(plain)}) {
      std::optional<std::string> target = join_relative(folder, each);
      const bool known = !target || target->empty() || std::ranges::find(out, *target) != out.end();
      if (!known) out.push_back(std::move(*target));
    }
    if (dotted || folder.empty()) return out;
    folder = folder_of(folder);
  }
}

}  // namespace iii::directory
