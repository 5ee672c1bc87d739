// Catalog: the rows of a new generation.
#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "directory/content/catalog.h"

namespace iii::content {

namespace {

// The row of a document, or of one that stepped aside.
template <typename Row, typename Holder>
const Row& row_of(const Holder& holder) {
  if constexpr (std::is_same_v<Row, SkillPtr>) {
    return holder.skill;
  } else {
    return holder.prompt;
  }
}
std::string_view key_of(const SkillPtr& row) { return row->id; }
std::string_view key_of(const PromptPtr& row) { return row->name; }

}  // namespace

template <typename Row>
void Catalog::update_rows(const List& list, Rows<Row>& rows) {
  const Account column = list.kind == Kind::kSkill ? Account::kSkill : Account::kPrompt;
  if (list.all_dirty) {
    std::vector<Row> all;
    all.reserve(list.documents.size());
    for (const Document* document : list.documents) {
      if (document->account == column && document->spare == Spare::kNone) {
        all.push_back(row_of<Row>(*document));
      }
    }
    for (const auto& [id, aside] : list.aside) {
      if (aside.document->account == column) all.push_back(row_of<Row>(aside));
    }
    if (!list.aside.empty()) {
      std::ranges::sort(all, [](const Row& a, const Row& b) { return key_of(a) < key_of(b); });
    }
    rows = Rows<Row>(std::move(all));
    return;
  }
  for (const std::string& id : list.dirty) {
    const std::vector<Candidate> all = candidates(list, id);
    const auto winner = std::ranges::find_if(
        all, [&](const Candidate& each) { return each.document->account == column; });
    const auto at = std::ranges::lower_bound(rows, std::string_view(id), {},
                                             [](const Row& row) { return key_of(row); });
    const auto place = static_cast<size_t>(at - rows.begin());
    const bool known = at != rows.end() && key_of(*at) == id;
    if (winner == all.end()) {
      if (known) rows.erase(place);
      continue;
    }
    const Row& row =
        winner->aside != nullptr ? row_of<Row>(*winner->aside) : row_of<Row>(*winner->document);
    if (!known) {
      rows.insert(place, row);
    } else if (*at != row) {
      rows.set(place, row);
    }
  }
}

void Catalog::update_findings(Rows<FindingsPtr>& rows) {
  if (to_be_told_.size() > kFewChanges) {
    std::erase_if(findings_, [](const auto& each) { return each.second == nullptr; });
    std::vector<FindingsPtr> all;
    std::vector<Findings::iterator> told;
    all.reserve(findings_.size());
    told.reserve(findings_.size());
    for (auto at = findings_.begin(); at != findings_.end(); ++at) {
      all.push_back(at->second);
      told.push_back(at);
    }
    rows = Rows<FindingsPtr>(std::move(all));
    told_ = Rows<Findings::iterator>(std::move(told));
    to_be_told_.clear();
    return;
  }
  const auto address = [](const Findings::iterator& at) { return &*at; };
  std::ranges::sort(to_be_told_, std::less<>(), address);
  const auto rest = std::ranges::unique(to_be_told_, {}, address);
  to_be_told_.erase(rest.begin(), rest.end());
  for (const Findings::iterator file : to_be_told_) {
    const auto at = std::ranges::lower_bound(
        told_, file->first, FileOrder(),
        [](const Findings::iterator& each) -> const auto& { return each->first; });
    const auto place = static_cast<size_t>(at - told_.begin());
    const bool known = at != told_.end() && *at == file;
    if (file->second == nullptr) {
      if (known) {
        told_.erase(place);
        rows.erase(place);
      }
      findings_.erase(file);
    } else if (known) {
      rows.set(place, file->second);
    } else {
      told_.insert(place, file);
      rows.insert(place, file->second);
    }
  }
  to_be_told_.clear();
}

template void Catalog::update_rows(const List& list, Rows<SkillPtr>& rows);
template void Catalog::update_rows(const List& list, Rows<PromptPtr>& rows);

}  // namespace iii::content
