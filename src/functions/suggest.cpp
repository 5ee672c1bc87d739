#include "functions/suggest.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "base/text.h"
#include "functions/edit_distance.h"
#include "functions/find_text.h"

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

// The ids of a chunk, and what tells quickly that one is not similar to another text.
struct Sketch {
  std::string text;            // the ids, each after a NUL
  std::vector<uint32_t> ends;  // of each id in `text`
  std::vector<Letters> letters;
  std::vector<uint32_t> segments;  // hashes, each once per id
  std::vector<uint16_t> owners;    // whose segment it is

  explicit Sketch(const Chunk& chunk) {
    size_t bytes = 0;
    for (const content::SkillPtr& row : chunk) bytes += row->id.size() + 1;
    text.reserve(bytes);
    ends.reserve(chunk.size());
    letters.reserve(chunk.size());
    for (const content::SkillPtr& row : chunk) {
      text += '\0';
      text += row->id;
      letters.push_back(letters_of(row->id));
      add_segments(row->id, static_cast<uint16_t>(ends.size()));
      ends.push_back(static_cast<uint32_t>(text.size()));
    }
    segments.shrink_to_fit();
    owners.shrink_to_fit();
  }

  void add_segments(std::string_view id, uint16_t owner) {
    const size_t first = segments.size();
    while (true) {
      const size_t slash = id.find('/');
      const uint32_t hash = hash_of(id.substr(0, slash));
      if (std::find(segments.begin() + static_cast<std::ptrdiff_t>(first), segments.end(), hash) ==
          segments.end()) {
        segments.push_back(hash);
        owners.push_back(owner);
      }
      if (slash == std::string_view::npos) return;
      id.remove_prefix(slash + 1);
    }
  }

  size_t size() const { return ends.size(); }
  std::string_view id(size_t row) const {
    const size_t begin = row == 0 ? 0 : ends[row - 1];
    return std::string_view(text).substr(begin + 1, ends[row] - begin - 1);
  }
};

// Sketches of the chunks that exist. Each thread that suggests has its own; there is one.
class Sketches {
 public:
  const Sketch& of(const ChunkPtr& chunk) {
    const auto known = known_.find(chunk.get());
    // Another chunk may have got the address of one that is gone.
    if (known != known_.end() && known->second.chunk.lock() == chunk) return known->second.sketch;
    if (known != known_.end()) known_.erase(known);
    return known_.try_emplace(chunk.get(), chunk, Sketch(*chunk)).first->second.sketch;
  }
  void drop_old() {
    std::erase_if(known_, [](const auto& each) { return each.second.chunk.expired(); });
  }

 private:
  struct Known {
    std::weak_ptr<const Chunk> chunk;
    Sketch sketch;
    Known(const ChunkPtr& of, Sketch made) : chunk(of), sketch(std::move(made)) {}
  };
  std::unordered_map<const Chunk*, Known> known_;
};

Sketches& sketches_of_thread() {
  thread_local Sketches sketches;
  return sketches;
}

// Visits the sketches of all rows, with the place of the first row of each.
template <typename Visit>
void each_sketch(const View& view, const Visit& visit) {
  Sketches& sketches = sketches_of_thread();
  sketches.drop_old();
  size_t begin = 0;
  for (const ChunkPtr& chunk : view.generation().skills.chunks()) {
    visit(sketches.of(chunk), begin);
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
  struct Found {
    const Sketch* sketch = nullptr;
    size_t row = 0;
    size_t place = 0;
    size_t shared = 0;
  };
  using Ranking = Best<std::pair<int64_t, size_t>>;  // (−score, place): ties stay in id order

 public:
  Search(const View& view, std::string_view missed)
      : view_(view),
        missed_(ascii_lower(missed)),
        segments_(split(missed, '/')),
        letters_(letters_of(missed_)),
        distance_(missed_) {}

  // Ids that share segments with the missed one: 100 for each, less the distance.
  std::vector<std::string> with_shared_segments() {
    const std::vector<Found> found = rows_with_segments();
    size_t shared = 0;
    for (const Found& each : found) shared = std::max(shared, each.shared);
    // The most shared first: most of the others cannot be better then.
    Ranking best;
    for (; shared > 0; --shared) {
      for (const Found& each : found) {
        if (each.shared == shared) consider(each, best);
      }
    }
    std::vector<std::string> out;
    for (const auto& [score, place] : best.items()) {
      out.push_back(view_.display(view_.generation().skills[place]->id));
    }
    return out;
  }

  // Whole ids and namespaces that look like the missed one; for typos that share no segment with
  // anything. A third of the letters may be wrong, at least one.
  std::vector<std::string> similar() {
    const size_t allowed = std::max<size_t>(1, missed_.size() / 3);
    // An overview is shown without its last segment: as if the missed id had it, too.
    const Letters longer = letters_of(missed_ + std::string(kOverview));
    Best<std::pair<size_t, std::string>> best;
    each_sketch(view_, [&](const Sketch& sketch, size_t) {
      for (size_t row = 0; row < sketch.size(); ++row) {
        const std::string_view id = sketch.id(row);
        const size_t limit = best.is_full() ? best.worst().first : allowed;
        const auto is_near = [&](std::string_view text, const Letters& wanted) {
          const size_t length_gap = gap(missed_.size(), text.size());
          return length_gap <= limit &&
                 letters_apart(wanted, sketch.letters[row], length_gap) <= limit &&
                 distance_.to(text) <= limit;
        };
        const bool overview = id.ends_with(kOverview);
        const std::string_view folder = overview ? id.substr(0, id.size() - kOverview.size()) : id;
        if (!is_near(id, letters_) && !(overview && is_near(folder, longer))) continue;
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
  void consider(const Found& found, Ranking& best) const {
    const std::string_view id = found.sketch->id(found.row);
    const auto is_out = [&](size_t shared, size_t apart) {
      const int64_t score = static_cast<int64_t>(100 * shared) - static_cast<int64_t>(apart);
      return score <= 0 || (best.is_full() && -score > best.worst().first);
    };
    const size_t length_gap = gap(missed_.size(), id.size());
    if (is_out(found.shared, length_gap)) return;
    const Letters& letters = found.sketch->letters[found.row];
    if (is_out(found.shared, letters_apart(letters_, letters, length_gap))) return;
    const size_t apart = distance_.to(id);
    const size_t shared = shared_with(id);
    if (is_out(shared, apart) || !view_.shows(id)) return;
    best.offer({static_cast<int64_t>(apart) - static_cast<int64_t>(100 * shared), found.place});
  }

  std::vector<Found> rows_with_segments() const {
    std::vector<Found> out;
    std::vector<uint16_t> shared;
    each_sketch(view_, [&](const Sketch& sketch, size_t begin) {
      shared.assign(sketch.size(), 0);
      bool any = false;
      for (const std::string_view segment : segments_) {
        const uint32_t wanted = hash_of(segment);
        for (size_t i = 0; i < sketch.segments.size(); ++i) {
          if (sketch.segments[i] != wanted) continue;
          ++shared[sketch.owners[i]];
          any = true;
        }
      }
      for (size_t row = 0; any && row < sketch.size(); ++row) {
        if (shared[row] > 0) out.push_back({&sketch, row, begin + row, shared[row]});
      }
    });
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
  Search search(view, missed);
  std::vector<std::string> out = search.with_shared_segments();
  return out.empty() ? search.similar() : out;
}

sdk::Task<std::vector<std::string>> suggest_skills(Library& library, View view,
                                                   std::string missed) {
  auto look = [view = std::move(view), missed = std::move(missed)] {
    return suggest_skills(view, missed);
  };
  co_return co_await library.on_content_thread(std::move(look));
}

std::vector<std::string> suggest_prompts(const content::Generation& generation,
                                         std::string_view missed) {
  const EditDistance distance(missed);
  Best<std::pair<size_t, std::string>> best;
  for (const content::PromptPtr& prompt : generation.prompts) {
    best.offer({distance.to(prompt->name), prompt->name});
  }
  std::vector<std::string> out;
  for (const auto& [apart, name] : best.items()) out.push_back(name);
  return out;
}

NameSet namespaces_like(const View& view, std::string_view part) {
  NameSet out;
  each_sketch(view, [&](const Sketch& sketch, size_t) {
    size_t from = 0;
    while ((from = find_text(sketch.text, part, from)) != std::string::npos) {
      const auto end = std::ranges::upper_bound(sketch.ends, from);
      const std::string_view id = sketch.id(static_cast<size_t>(end - sketch.ends.begin()));
      const size_t slash = id.find('/');
      if (slash != std::string_view::npos && id.substr(slash) == kOverview &&
          id.substr(0, slash).find(part) != std::string_view::npos && view.shows(id)) {
        out.emplace(id.substr(0, slash));
      }
      from = *end;
    }
  });
  return out;
}

}  // namespace iii::directory
