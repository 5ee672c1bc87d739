// Documents on disk as the functions of the earlier generations show them, beside what workers
// registered.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "library/library.h"

namespace iii::directory {

struct FileSkill {
  std::string id;  // display id
  const content::Skill* skill = nullptr;
};

// Files without what workers registered, which the callers add by themselves.
inline constexpr ViewOptions kVisibleFiles{.registered = false};
inline constexpr ViewOptions kAllFiles{.filtered = false, .registered = false};
// By display id.
std::vector<FileSkill> file_skills(const View& view);

// Puts rows of files and of registrations into one order by `key`; where both have one, the file's
// stays.
template <typename Row>
std::vector<Row> merge_rows(std::vector<Row> files, std::vector<Row> registered,
                            std::string Row::* key) {
  std::ranges::sort(files, {}, key);
  std::erase_if(registered, [&files, key](const Row& row) {
    return std::ranges::binary_search(files, row.*key, {}, key);
  });
  std::vector<Row> out;
  out.reserve(files.size() + registered.size());
  const auto before = [key](const Row& a, const Row& b) { return a.*key < b.*key; };
  std::merge(std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()),
             std::make_move_iterator(registered.begin()), std::make_move_iterator(registered.end()),
             std::back_inserter(out), before);
  return out;
}

}  // namespace iii::directory
