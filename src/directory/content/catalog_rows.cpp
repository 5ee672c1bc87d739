// Catalog: the rows of a new generation.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "directory/content/catalog.h"

namespace iii::content {

namespace {

// What a document is served as.
template <typename Row>
const Row& row_of(const Document& document) {
  if constexpr (std::is_same_v<Row, SkillPtr>) {
    return document.alternate ? document.alternate->skill : document.skill;
  } else {
    return document.alternate ? document.alternate->prompt : document.prompt;
  }
}
std::string_view key_of(const SkillPtr& row) { return row->id; }
std::string_view key_of(const PromptPtr& row) { return row->name; }

}  // namespace

template <typename Row>
void Catalog::update_rows(const List& list, Rows<Row>& rows) {
  for (const auto& [id, winner] : list.dirty) {
    const auto at = std::ranges::lower_bound(rows, std::string_view(id), {},
                                             [](const Row& row) { return key_of(row); });
    const auto place = static_cast<size_t>(at - rows.begin());
    const bool known = at != rows.end() && key_of(*at) == id;
    if (winner == nullptr) {
      if (known) rows.erase(place);
      continue;
    }
    const Row& row = row_of<Row>(*winner);
    if (!known) {
      rows.insert(place, row);
    } else if (*at != row) {
      rows.set(place, row);
    }
  }
}

template void Catalog::update_rows(const List& list, Rows<SkillPtr>& rows);
template void Catalog::update_rows(const List& list, Rows<PromptPtr>& rows);

}  // namespace iii::content
