#include "directory/reading/browse_select.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <tuple>

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

// One group of filters: which values are chosen, and how often each value would be.
class Group {
 public:
  Group(size_t values, bool all) : chosen_(values, all ? 1 : 0), counts_(values) {}

  void choose(size_t value) { chosen_[value] = 1; }
  bool takes(size_t value) const { return chosen_[value] != 0; }
  void count(size_t value) { ++counts_[value]; }
  uint64_t counted(size_t value) const { return counts_[value]; }
  size_t values() const { return counts_.size(); }

 private:
  std::vector<uint8_t> chosen_;
  std::vector<uint64_t> counts_;
};

template <typename Name>
Group group_of(size_t values, const std::vector<std::string>& wanted, const Name& name) {
  Group out(values, wanted.empty());
  for (size_t i = 0; !wanted.empty() && i < values; ++i) {
    if (std::ranges::find(wanted, std::string_view(name(i))) != wanted.end()) out.choose(i);
  }
  return out;
}

class Selector {
 public:
  Selector(const View& view, const BrowseQuery& query)
      : view_(view),
        table_(view.table()),
        query_(query),
        states_(group_of(kDocumentStates.size(), query.states,
                         [](size_t i) { return kDocumentStates[i]; })),
        roots_(group_of(roots().size(), query.roots,
                        [this](size_t i) -> std::string_view { return roots()[i].label; })),
        types_(group_of(table_->types().size(), query.types,
                        [this](size_t i) -> std::string_view { return table_->types()[i]; })),
        spaces_(group_of(table_->spaces().size(), query.spaces,
                         [this](size_t i) -> std::string_view { return table_->spaces()[i]; })) {}

  void look_at_all() {
    for (size_t row = 0; row < table_->rows().size(); ++row) {
      const Rank rank = rank_of_row(table_->rows()[row]);
      if (rank != kNone) take(row, rank);
    }
  }

  void take(size_t row, Rank rank) {
    const DocumentRow& document = table_->rows()[row];
    const DocumentState shown = view_.state(document);
    const size_t state = static_cast<size_t>(shown), root = document.root, type = document.type,
                 space = document.space;
    const bool in_states = states_.takes(state), in_roots = roots_.takes(root),
               in_types = types_.takes(type), in_spaces = spaces_.takes(space);
    const int refused = !in_states + !in_roots + !in_types + !in_spaces;
    if (refused > 1) return;
    if (refused == 0 || !in_states) states_.count(state);
    if (refused == 0 || !in_roots) roots_.count(root);
    if (refused == 0 || !in_types) types_.count(type);
    if (refused == 0 || !in_spaces) spaces_.count(space);
    if (refused > 0) return;
    ranked_[rank].push_back(static_cast<uint32_t>(row));
    served_ += shown <= DocumentState::kFinding ? 1 : 0;
  }

  BrowseSelection finish() {
    BrowseSelection out;
    for (std::vector<uint32_t>& rows : ranked_) {
      if (out.rows.empty()) {
        out.rows = std::move(rows);
      } else {
        out.rows.insert(out.rows.end(), rows.begin(), rows.end());
      }
    }
    out.served = served_;
    for (size_t i = 0; i < kDocumentStates.size(); ++i) {
      out.facets.states.emplace_back(kDocumentStates[i], states_.counted(i));
    }
    for (size_t i = 0; i < roots().size(); ++i) {
      out.facets.roots.emplace_back(roots()[i].label, roots_.counted(i));
    }
    add_types(out.facets);
    add_spaces(out.facets);
    return out;
  }

 private:
  const std::vector<content::RootInfo>& roots() const { return view_.generation().roots; }

  // Every term must be in the row; the one that fits worst counts.
  Rank rank_of_row(const DocumentRow& row) const {
    Rank rank = kIsId;
    for (const std::string& term : query_.terms) {
      rank = std::max(rank, rank_of(row.text, row.id_size, term));
      if (rank == kNone) break;
    }
    return rank;
  }

  void add_types(BrowseFacets& out) const {
    const std::vector<std::string>& names = table_->types();
    std::vector<uint64_t> totals(names.size());
    for (const DocumentRow& row : table_->rows()) ++totals[row.type];
    std::vector<uint32_t> order(names.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
      return std::tie(totals[b], names[a]) < std::tie(totals[a], names[b]);
    });
    for (const uint32_t type : order) {
      const bool chosen = std::ranges::find(query_.types, names[type]) != query_.types.end();
      if (out.types.size() < kMostTypes || chosen) {
        out.types.emplace_back(names[type], types_.counted(type));
      }
    }
  }

  void add_spaces(BrowseFacets& out) const {
    const std::vector<std::string>& names = table_->spaces();
    std::vector<uint32_t> there;
    for (uint32_t i = 0; i < names.size(); ++i) {
      if (spaces_.counted(i) > 0) there.push_back(i);
    }
    out.all_spaces = there.size();
    const auto shown = static_cast<std::ptrdiff_t>(std::min(there.size(), kMostSpaces));
    std::partial_sort(there.begin(), there.begin() + shown, there.end(),
                      [&](uint32_t a, uint32_t b) {
                        return std::pair(spaces_.counted(b), std::string_view(names[a])) <
                               std::pair(spaces_.counted(a), std::string_view(names[b]));
                      });
    there.resize(static_cast<size_t>(shown));
    if (!query_.spaces.empty()) {
      for (uint32_t i = 0; i < names.size(); ++i) {
        if (spaces_.takes(i) && std::ranges::find(there, i) == there.end()) {
          out.spaces.emplace_back(names[i], spaces_.counted(i));
        }
      }
    }
    for (const uint32_t i : there) out.spaces.emplace_back(names[i], spaces_.counted(i));
  }

  const View& view_;
  const DocumentTablePtr table_;
  const BrowseQuery& query_;
  Group states_;
  Group roots_;
  Group types_;
  Group spaces_;
  std::array<std::vector<uint32_t>, kRanks> ranked_;
  uint64_t served_ = 0;
};

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace

std::vector<std::string> browse_terms(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && out.size() < kMostTerms) out.push_back(fold_case(word));
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return out;
}

BrowseSelection select_rows(const View& view, const BrowseQuery& query) {
  const auto begin = std::chrono::steady_clock::now();
  Selector selector(view, query);
  selector.look_at_all();
  BrowseSelection out = selector.finish();
  out.took_ms = since(begin);
  return out;
}

BrowseSelection select_among(const View& view, const BrowseQuery& query,
                             std::span<const uint32_t> found) {
  const auto begin = std::chrono::steady_clock::now();
  BrowseQuery without_terms = query;
  without_terms.terms.clear();
  Selector selector(view, without_terms);
  for (const uint32_t row : found) selector.take(row, kIsId);
  BrowseSelection out = selector.finish();
  out.took_ms = since(begin);
  return out;
}

}  // namespace iii::directory
