#include "directory/reading/browse_select.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr size_t kMostTerms = 16;
constexpr size_t kMostTypes = 8;
constexpr size_t kMostSpaces = 12;

// How well a row fits, best first.
enum Rank : uint8_t {
  kIsId,
  kIsLastPart,
  kLastPartBegins,
  kIdBegins,
  kInId,
  kInTitle,
  kElsewhere,
  kNone
};
constexpr size_t kRanks = kNone;

// The end of an id that has as many parts as the term.
std::string_view last_parts(std::string_view id, std::string_view term) {
  size_t begin = id.size() + 1;
  for (auto parts = std::ranges::count(term, '/') + 1; parts > 0; --parts) {
    const size_t slash = begin < 2 ? std::string_view::npos : id.rfind('/', begin - 2);
    if (slash == std::string_view::npos) return id;
    begin = slash + 1;
  }
  return id.substr(begin);
}

Rank rank_of(std::string_view row, size_t id_size, std::string_view term) {
  const std::string_view id = row.substr(0, id_size);
  const std::string_view last = last_parts(id, term);
  if (last.starts_with(term)) {
    return last.size() > term.size() ? kLastPartBegins
           : id.size() > term.size() ? kIsLastPart
                                     : kIsId;
  }
  if (id.starts_with(term)) return kIdBegins;
  const size_t at = row.find(term);
  if (at == std::string_view::npos) return kNone;
  if (at < id_size) return kInId;
  return at < row.find(kTextEnd, id_size + 1) ? kInTitle : kElsewhere;
}

enum GroupName : uint8_t { kStates, kRoots, kTypes, kSpaces, kGroups };

// One group of filters: which values are chosen, and how often each value would be.
struct Group {
  Group(std::vector<std::string_view> its_names,
        const std::optional<std::vector<std::string>>& wanted)
      : names(std::move(its_names)),
        is_filtered(wanted && !wanted->empty()),
        chosen(names.size(), is_filtered ? 0 : 1),
        counts(names.size()) {
    for (size_t i = 0; is_filtered && i < names.size(); ++i) {
      if (std::ranges::find(*wanted, names[i]) != wanted->end()) chosen[i] = 1;
    }
  }

  std::vector<std::string_view> names;
  bool is_filtered;
  std::vector<uint8_t> chosen;
  std::vector<uint64_t> counts;
};

std::vector<std::string_view> labels_of(const std::vector<content::RootInfo>& roots) {
  std::vector<std::string_view> out;
  for (const content::RootInfo& root : roots) out.emplace_back(root.label);
  return out;
}
template <typename Names>
std::vector<std::string_view> names_of(const Names& names) {
  return {names.begin(), names.end()};
}

class Selector {
 public:
  Selector(const View& view, const BrowseInput& in)
      : view_(view),
        table_(view.table()),
        groups_{Group(names_of(kDocumentStates), in.state),
                Group(labels_of(view.generation().roots), in.root),
                Group(names_of(table_->types()), in.type),
                Group(names_of(table_->spaces()), in.name_space)} {}

  void look_at_all(const std::vector<std::string>& terms) {
    for (size_t row = 0; row < table_->rows().size(); ++row) {
      const Rank rank = rank_of_row(table_->rows()[row], terms);
      if (rank != kNone) take(row, rank);
    }
  }

  void take(size_t row, Rank rank) {
    const DocumentRow& document = table_->rows()[row];
    const DocumentState shown = view_.state(document);
    const std::array<size_t, kGroups> values = {static_cast<size_t>(shown), document.root,
                                                document.type, document.space};
    int refused = 0;
    for (size_t i = 0; i < kGroups; ++i) refused += groups_[i].chosen[values[i]] == 0 ? 1 : 0;
    if (refused > 1) return;
    for (size_t i = 0; i < kGroups; ++i) {
      if (refused == 0 || groups_[i].chosen[values[i]] == 0) ++groups_[i].counts[values[i]];
    }
    if (refused > 0) return;
    ranked_[rank].push_back(static_cast<uint32_t>(row));
    served_ += shown <= DocumentState::kFinding ? 1 : 0;
  }

  BrowseSelection finish() {
    BrowseSelection out;
    for (const std::vector<uint32_t>& rows : ranked_) {
      out.rows.insert(out.rows.end(), rows.begin(), rows.end());
    }
    out.served = served_;
    std::vector<uint64_t> rows_of_types(table_->types().size());
    for (const DocumentRow& row : table_->rows()) ++rows_of_types[row.type];
    const Group& spaces = groups_[kSpaces];
    out.facets = {.state = all_of(groups_[kStates]),
                  .root = all_of(groups_[kRoots]),
                  .type = largest(groups_[kTypes], rows_of_types, kMostTypes),
                  .name_space = largest(spaces, spaces.counts, kMostSpaces)};
    out.facets.namespaces =
        spaces.counts.size() - static_cast<size_t>(std::ranges::count(spaces.counts, uint64_t{0}));
    return out;
  }

 private:
  // Every term must be in the row; the one that fits worst counts.
  static Rank rank_of_row(const DocumentRow& row, const std::vector<std::string>& terms) {
    Rank rank = kIsId;
    for (const std::string& term : terms) {
      rank = std::max(rank, rank_of(row.text, row.id_size, term));
      if (rank == kNone) break;
    }
    return rank;
  }

  static std::vector<json::Value> count_of(const Group& group, size_t value) {
    return {json::Value(std::string(group.names[value])), json::Value(group.counts[value])};
  }
  static BrowseCounts all_of(const Group& group) {
    BrowseCounts out;
    for (size_t i = 0; i < group.names.size(); ++i) out.push_back(count_of(group, i));
    return out;
  }

  // The values with the largest weights, after further values that were chosen.
  static BrowseCounts largest(const Group& group, const std::vector<uint64_t>& weights,
                              size_t most) {
    std::vector<size_t> order;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] > 0) order.push_back(i);
    }
    const size_t shown = std::min(order.size(), most);
    std::ranges::partial_sort(
        order, order.begin() + static_cast<std::ptrdiff_t>(shown), [&](size_t a, size_t b) {
          return std::tie(weights[b], group.names[a]) < std::tie(weights[a], group.names[b]);
        });
    order.resize(shown);
    BrowseCounts out;
    for (size_t i = 0; group.is_filtered && i < group.names.size(); ++i) {
      const bool further = group.chosen[i] != 0 && std::ranges::find(order, i) == order.end();
      if (further) out.push_back(count_of(group, i));
    }
    for (const size_t i : order) out.push_back(count_of(group, i));
    return out;
  }

  const View& view_;
  const DocumentTablePtr table_;
  std::array<Group, kGroups> groups_;
  std::array<std::vector<uint32_t>, kRanks> ranked_;
  uint64_t served_ = 0;
};

template <typename Look>
BrowseSelection selected(const View& view, const BrowseInput& in, const Look& look) {
  const auto begin = std::chrono::steady_clock::now();
  Selector selector(view, in);
  look(selector);
  BrowseSelection out = selector.finish();
  const auto took = std::chrono::steady_clock::now() - begin;
  out.took_ms = std::chrono::duration<double, std::milli>(took).count();
  return out;
}

}  // namespace

std::vector<std::string> browse_terms(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\v\f";
  std::vector<std::string> out;
  size_t begin = text.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos && out.size() < kMostTerms) {
    const size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    out.push_back(fold_case(text.substr(begin, end - begin)));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return out;
}

BrowseSelection select_rows(const View& view, const BrowseInput& in) {
  const std::vector<std::string> terms = browse_terms(in.q.value_or(""));
  return selected(view, in, [&](Selector& selector) { selector.look_at_all(terms); });
}

BrowseSelection select_among(const View& view, const BrowseInput& in,
                             std::span<const uint32_t> found) {
  return selected(view, in, [&](Selector& selector) {
    for (const uint32_t row : found) selector.take(row, kIsId);
  });
}

}  // namespace iii::directory
