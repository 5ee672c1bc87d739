#include "directory/content/types.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

namespace iii::content {

namespace {

template <typename Rows, typename Key>
const auto* find_row(const Rows& rows, std::string_view wanted, Key key) {
  const auto at = std::ranges::lower_bound(
      rows, wanted, {}, [key](const auto& row) -> std::string_view { return (*row).*key; });
  return at != rows.end() && (**at).*key == wanted ? at->get() : nullptr;
}

}  // namespace

const Skill* Generation::skill(std::string_view id) const {
  return find_row(skills, id, &Skill::id);
}

const Prompt* Generation::prompt(std::string_view name) const {
  return find_row(prompts, name, &Prompt::name);
}

std::pair<size_t, size_t> Generation::prefix_range(std::string_view prefix) const {
  const auto head = [&](const SkillPtr& row) {
    return std::string_view(row->id).substr(0, prefix.size());
  };
  const auto [first, last] = std::ranges::equal_range(skills, prefix, {}, head);
  return {static_cast<size_t>(first - skills.begin()), static_cast<size_t>(last - skills.begin())};
}

bool is_registered(const Generation& generation, const FileRef& file) {
  return file.root < generation.roots.size() &&
         generation.roots[file.root].kind == RootKind::kRegistered;
}

std::string display_id(const Generation& generation, std::string_view on_disk_id) {
  constexpr std::string_view kSuffix = "/index";
  if (on_disk_id.size() <= kSuffix.size() || !on_disk_id.ends_with(kSuffix)) {
    return std::string(on_disk_id);
  }
  const std::string_view rest = on_disk_id.substr(0, on_disk_id.size() - kSuffix.size());
  return std::string(generation.skill(rest) == nullptr ? rest : on_disk_id);
}

std::string format_time(int64_t mtime_ns) {
  if (mtime_ns == kNoTime) return "";
  constexpr int64_t kSecond = 1'000'000'000;
  int64_t fraction = mtime_ns % kSecond;
  if (fraction < 0) fraction += kSecond;
  const time_t seconds = (mtime_ns - fraction) / kSecond;
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  std::string digits = fmt::format("{:09}", fraction);
  while (digits.ends_with("000")) digits.resize(digits.size() - 3);
  if (!digits.empty()) out += "." + digits;
  return out + "+00:00";
}

}  // namespace iii::content
