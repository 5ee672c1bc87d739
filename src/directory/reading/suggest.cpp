#include "directory/reading/suggest.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <unordered_map>

#include "foundation/base/edit_distance.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

using Chunk = content::Rows<content::SkillPtr>::Chunk;
using ChunkPtr = content::Rows<content::SkillPtr>::ChunkPtr;

constexpr size_t kMost = 3;
constexpr std::string_view kOverview = "/index";

// How often each letter occurs. Letters share 32 places, counts end at 255: what is computed from
// them is never too high.
using Letters = std::array<uint8_t, 32>;

Letters letters_of(std::string_view text) {
  Letters out{};
  for (const char c : text) {
    uint8_t& count = out[static_cast<unsigned char>(c) % out.size()];
    if (count < UINT8_MAX) ++count;
  }
  return out;
}

size_t gap(size_t a, size_t b) { return a > b ? a - b : b - a; }

// At least this many letters have to be changed: the more of those missing and those too many.
size_t letters_apart(const Letters& a, const Letters& b, size_t length_gap) {
  unsigned sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<unsigned>(std::max(a[i], b[i]) - std::min(a[i], b[i]));
  }
  return (sum + length_gap) / 2;
}

uint32_t hash_of(std::string_view segment) {
  return static_cast<uint32_t>(std::hash<std::string_view>()(segment));
}

// Of the ids of a chunk, what tells quickly that one is not similar to another text. The rows of
// each segment are found by a search for its hash.
class Sketch {
 public:
  explicit Sketch(const ChunkPtr& chunk) : chunk_(chunk) {
    std::vector<std::pair<uint32_t, uint16_t>> segments;  // hash and row
    letters.reserve(chunk->size());
    sizes_.reserve(chunk->size());
    const auto rows = static_cast<uint16_t>(chunk->size());
    for (uint16_t row = 0; row < rows; ++row) {
      const std::string_view id = (*chunk)[row]->id;
      letters.push_back(letters_of(id));
      sizes_.push_back(static_cast<uint16_t>(std::min<size_t>(id.size(), UINT16_MAX)));
      if (id.ends_with(kOverview)) overviews_.push_back(row);
      for (const std::string_view segment : split(id, '/')) {
        segments.emplace_back(hash_of(segment), row);
      }
    }
    std::ranges::sort(segments);
    const auto twice = std::ranges::unique(segments);
    segments.erase(twice.begin(), twice.end());
    rows_.reserve(segments.size());
    for (const auto& [hash, row] : segments) {
      if (hashes_.empty() || hashes_.back().hash != hash) {
        hashes_.push_back({hash, static_cast<uint32_t>(rows_.size())});
      }
      rows_.push_back(row);
    }
    hashes_.shrink_to_fit();
    overviews_.shrink_to_fit();
  }

  size_t size() const { return sizes_.size(); }
  size_t id_size(const Chunk& chunk, size_t row) const {
    return sizes_[row] < UINT16_MAX ? sizes_[row] : chunk[row]->id.size();
  }
  bool is_of(const ChunkPtr& chunk) const { return chunk_.lock() == chunk; }
  bool is_old() const { return chunk_.expired(); }
  // Rows whose ids have a segment of this hash, ascending.
  std::span<const uint16_t> rows_with(uint32_t hash) const {
    const auto at = std::ranges::lower_bound(hashes_, hash, {}, &Segment::hash);
    if (at == hashes_.end() || at->hash != hash) return {};
    const size_t end = at + 1 == hashes_.end() ? rows_.size() : (at + 1)->begin;
    return std::span(rows_).subspan(at->begin, end - at->begin);
  }
  // Rows whose ids end with `/index`, ascending.
  std::span<const uint16_t> overviews() const { return overviews_; }

  std::vector<Letters> letters;

 private:
  struct Segment {
    uint32_t hash = 0;
    uint32_t begin = 0;  // in `rows_`
  };
  std::weak_ptr<const Chunk> chunk_;
  std::vector<uint16_t> sizes_;  // of the ids; the largest value means more
  std::vector<Segment> hashes_;  // ascending
  std::vector<uint16_t> rows_;
  std::vector<uint16_t> overviews_;
};

// Sketches of the chunks that exist. Each thread that suggests has its own; there is one.
class Sketches {
 public:
  const Sketch& of(const ChunkPtr& chunk) {
    const auto known = known_.find(chunk.get());
    // Another chunk may have got the address of one that is gone.
    if (known != known_.end() && known->second.is_of(chunk)) return known->second;
    if (known != known_.end()) known_.erase(known);
    return known_.try_emplace(chunk.get(), chunk).first->second;
  }
  void drop_old() {
    std::erase_if(known_, [](const auto& each) { return each.second.is_old(); });
  }

 private:
  std::unordered_map<const Chunk*, Sketch> known_;
};

Sketches& sketches_of_thread() {
  thread_local Sketches sketches;
  return sketches;
}

// Visits the chunks of all rows with their sketches and the place of the first row of each.
template <typename Visit>
void each_sketch(const View& view, const Visit& visit) {
  Sketches& sketches = sketches_of_thread();
  sketches.drop_old();
  size_t begin = 0;
  for (const ChunkPtr& chunk : view.generation().skills.chunks()) {
    visit(*chunk, sketches.of(chunk), begin);
    begin += chunk->size();
  }
}

// The best few of what is offered, best first. Less is better.
template <typename Item>
class Best {
 public:
  bool is_full() const { return items_.size() == kMost; }
  const Item& worst() const { return items_.back(); }
  void offer(Item item) {
    if (is_full() && !(item < worst())) return;
    items_.insert(std::ranges::upper_bound(items_, item), std::move(item));
    if (items_.size() > kMost) items_.pop_back();
  }
  const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
};

bool has_segment(std::string_view id, std::string_view segment) {
  for (size_t at = id.find(segment); at != std::string_view::npos; at = id.find(segment, at + 1)) {
    const size_t end = at + segment.size();
    if ((at == 0 || id[at - 1] == '/') && (end == id.size() || id[end] == '/')) return true;
  }
  return false;
}

class Search {
 public:
  Search(const View& view, std::string_view missed)
      : view_(view),
        missed_(ascii_lower(missed)),
        segments_(split(missed, '/')),
        letters_(letters_of(missed_)),
        distance_(missed_) {}

  // Ids that share segments with the missed one: 100 for each, less the distance.
  std::vector<std::string> with_shared_segments() {
    constexpr size_t kTogether = EditDistance::kTogether;
    Best<std::pair<int64_t, size_t>> best;  // (−score, place): ties stay in id order
    const std::vector<Found> found = rows_with_segments();
    for (size_t at = 0; at < found.size(); at += kTogether) {
      if (best.is_full() && -int64_t{found[at].highest} > best.worst().first) break;
      prefetch(found, at + 2 * kTogether);
      std::array<std::string_view, kTogether> ids;
      const size_t count = std::min(kTogether, found.size() - at);
      for (size_t i = 0; i < count; ++i) ids[i] = found[at + i].skill->id;
      const auto distances = distance_.to(ids);
      for (size_t i = 0; i < count; ++i) {
        // Never more than it seemed: two segments may have the same hash.
        const int64_t highest = 100 * found[at + i].shared - static_cast<int64_t>(distances[i]);
        if (best.is_full() && -highest > best.worst().first) continue;
        const int64_t score =
            static_cast<int64_t>(100 * shared_with(ids[i])) - static_cast<int64_t>(distances[i]);
        if (score > 0 && view_.shows(ids[i])) best.offer({-score, found[at + i].place});
      }
    }
    const auto& skills = view_.generation().skills;
    std::vector<std::string> out;
    for (const auto& [score, place] : best.items()) out.push_back(view_.display(skills[place]->id));
    return out;
  }

  // Whole ids and namespaces that look like the missed one; for typos that share no segment with
  // anything. A third of the letters may be wrong, at least one.
  std::vector<std::string> similar() {
    const size_t allowed = std::max<size_t>(1, missed_.size() / 3);
    // An overview is shown without its last segment: as if the missed id had it, too.
    const Letters longer = letters_of(missed_ + std::string(kOverview));
    Best<std::pair<size_t, std::string>> best;
    each_sketch(view_, [&](const Chunk& chunk, const Sketch& sketch, size_t) {
      auto overviews = sketch.overviews();
      for (size_t row = 0; row < sketch.size(); ++row) {
        const bool overview = !overviews.empty() && overviews.front() == row;
        if (overview) overviews = overviews.subspan(1);
        const size_t limit = best.is_full() ? best.worst().first : allowed;
        // Of the id without so many bytes at its end.
        const auto is_near = [&](size_t cut, const Letters& wanted) {
          const size_t size = sketch.id_size(chunk, row) - cut;
          const size_t length_gap = gap(missed_.size(), size);
          return length_gap <= limit &&
                 letters_apart(wanted, sketch.letters[row], length_gap) <= limit &&
                 distance_.to(std::string_view(chunk[row]->id).substr(0, size)) <= limit;
        };
        if (!is_near(0, letters_) && !(overview && is_near(kOverview.size(), longer))) continue;
        const std::string& id = chunk[row]->id;
        if (!view_.shows(id)) continue;
        std::string shown = view_.display(id);
        const size_t apart = distance_.to(shown);
        if (apart <= limit) best.offer({apart, std::move(shown)});
      }
    });
    std::vector<std::string> out;
    for (const auto& [apart, shown] : best.items()) out.push_back(shown);
    return out;
  }

 private:
  // A row, and the score that it cannot exceed.
  struct Found {
    const content::Skill* skill = nullptr;
    uint32_t place = 0;
    int32_t highest = 0;
    int32_t shared = 0;
  };

  // Their ids are all over the memory.
  static void prefetch(const std::vector<Found>& found, size_t at) {
    for (size_t i = at; i < std::min(found.size(), at + EditDistance::kTogether); ++i) {
      __builtin_prefetch(found[i].skill->id.data());
      if (i + 16 < found.size()) __builtin_prefetch(found[i + 16].skill);
    }
  }

  // Those that may have a score, the most promising first: few of them have to be compared.
  std::vector<Found> rows_with_segments() const {
    std::vector<Found> found;
    std::vector<uint16_t> shared;
    each_sketch(view_, [&](const Chunk& chunk, const Sketch& sketch, size_t begin) {
      shared.assign(sketch.size(), 0);
      bool any = false;
      for (const std::string_view segment : segments_) {
        for (const uint16_t row : sketch.rows_with(hash_of(segment))) {
          ++shared[row];
          any = true;
        }
      }
      for (size_t row = 0; any && row < sketch.size(); ++row) {
        if (shared[row] == 0) continue;
        const size_t length_gap = gap(missed_.size(), sketch.id_size(chunk, row));
        const auto apart =
            static_cast<int32_t>(letters_apart(letters_, sketch.letters[row], length_gap));
        const int32_t highest = 100 * shared[row] - apart;
        if (highest <= 0) continue;
        found.push_back({.skill = chunk[row].get(),
                         .place = static_cast<uint32_t>(begin + row),
                         .highest = highest,
                         .shared = shared[row]});
      }
    });
    return highest_first(found);
  }

  // Scores are small numbers, so there is no need to compare them with each other.
  static std::vector<Found> highest_first(const std::vector<Found>& found) {
    int32_t most = 0;
    for (const Found& each : found) most = std::max(most, each.highest);
    std::vector<uint32_t> begins(static_cast<size_t>(most) + 2);
    const auto rank = [most](const Found& each) {
      return static_cast<size_t>(most - each.highest);
    };
    for (const Found& each : found) ++begins[rank(each) + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<Found> out(found.size());
    for (const Found& each : found) out[begins[rank(each)]++] = each;
    return out;
  }

  size_t shared_with(std::string_view id) const {
    return static_cast<size_t>(std::ranges::count_if(
        segments_, [&](std::string_view segment) { return has_segment(id, segment); }));
  }

  const View& view_;
  const std::string missed_;
  const std::vector<std::string_view> segments_;  // as written: ids have no capitals
  const Letters letters_;
  const EditDistance distance_;
};

}  // namespace

std::vector<std::string> suggest_skills(const View& view, std::string_view missed) {
  if (missed.size() > kMaxSuggestedFor) return {};
  Search search(view, missed);
  std::vector<std::string> out = search.with_shared_segments();
  return out.empty() ? search.similar() : out;
}

task::Task<std::vector<std::string>> suggest_skills(Library& library, View view,
                                                    std::string missed) {
  auto look = [view = std::move(view), missed = std::move(missed)] {
    return suggest_skills(view, missed);
  };
  co_return co_await library.on_content_thread(std::move(look));
}

std::vector<std::string> suggest_prompts(const content::Generation& generation,
                                         std::string_view missed) {
  if (missed.size() > kMaxSuggestedFor) return {};
  const EditDistance distance(missed);
  Best<std::pair<size_t, std::string>> best;
  for (const content::PromptPtr& prompt : generation.prompts) {
    best.offer({distance.to(prompt->name), prompt->name});
  }
  std::vector<std::string> out;
  for (const auto& [apart, name] : best.items()) out.push_back(name);
  return out;
}

task::Task<std::vector<std::string>> suggest_prompts(Library& library, View view,
                                                     std::string missed) {
  auto look = [view = std::move(view), missed = std::move(missed)] {
    return suggest_prompts(view.generation(), missed);
  };
  co_return co_await library.on_answer_thread(std::move(look));
}

task::Task<std::string> nearest_on(task::Pool& pool, std::string word,
                                   std::vector<std::string> candidates) {
  if (word.size() > kMaxSuggestedFor) co_return std::string();
  auto look = [word = std::move(word), candidates = std::move(candidates)] {
    return std::string(nearest(word, candidates));
  };
  co_return co_await pool.run(std::move(look));
}

NameSet namespaces_like(const View& view, std::string_view part) {
  NameSet out;
  each_sketch(view, [&](const Chunk& chunk, const Sketch& sketch, size_t) {
    for (const uint16_t row : sketch.overviews()) {
      const std::string_view id = chunk[row]->id;
      const std::string_view name = id.substr(0, id.size() - kOverview.size());
      const bool is_like =
          name.find('/') == std::string_view::npos && name.find(part) != std::string_view::npos;
      if (is_like && view.shows(id)) out.emplace(name);
    }
  });
  return out;
}

}  // namespace iii::directory
