#include "directory/content/touched.h"

namespace iii::content {

std::optional<std::span<const TouchedFile>> TouchedFiles::after(uint64_t known) const {
  if (known > count || count - known > last.size()) return std::nullopt;
  return std::span(last).last(static_cast<size_t>(count - known));
}

TouchedPtr nothing_touched() {
  static const TouchedPtr none = std::make_shared<const TouchedFiles>();
  return none;
}

void TouchedRound::add(uint16_t root, std::string path, bool came_or_went) {
  if (files_.contains({root, ""})) return;  // it stands for everything in the root
  if (path.empty() || files_.size() >= TouchedFiles::kKept) {
    std::erase_if(files_, [root](const auto& each) { return each.first.first == root; });
    files_[{root, ""}] = true;
    return;
  }
  bool& known = files_[{root, std::move(path)}];
  known = known || came_or_went;
}

TouchedPtr TouchedRound::append_to(const TouchedFiles& log, bool complete) {
  auto out = std::make_shared<TouchedFiles>(log);
  out->complete = complete;
  for (auto& [place, came_or_went] : files_) {
    out->last.push_back({{place.first, place.second}, came_or_went});
  }
  out->count += files_.size();
  files_.clear();
  if (out->last.size() > TouchedFiles::kKept) {
    out->last.erase(out->last.begin(), out->last.end() - TouchedFiles::kKept);
  }
  return out;
}

}  // namespace iii::content
