#include "directory/content/frontmatter_chunks.h"

#include <algorithm>
#include <utility>

#include "directory/content/frontmatter_recover.h"
#include "directory/content/space.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

// Without the space after the colon only a known key counts.
std::optional<KeyOfLine> likely_key_of(std::string_view line) {
  auto key = key_of(line);
  if (key && key->glued && (!is_known_key(key->key) || line[key->colon + 1] == ':')) key.reset();
  return key;
}

// Cuts a block into keys with their lines.
class Chunker {
 public:
  Chunker(std::string_view bytes, Range block) : bytes_(bytes), block_(block) {}

  Chunks run() {
    const std::string_view text = bytes_.substr(0, block_.end);
    margin_ = margin();
    for (size_t at = block_.begin; at < text.size() && out_.chunks.size() < kMaxChunks;) {
      const size_t begin = at;
      const std::string_view line = next_line(text, at);
      if (line.starts_with("---") || line.starts_with("...")) {
        out_.second_document = begin;
        break;
      }
      take(line, begin);
    }
    return std::move(out_);
  }

 private:
  // Blanks before the first line that says something: a whole block may be indented.
  std::string_view margin() const {
    const std::string_view text = bytes_.substr(0, block_.end);
    for (size_t at = block_.begin; at < text.size();) {
      const std::string_view line = next_line(text, at);
      const size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos || line[first] == '#') continue;
      return line.find('\t') < first ? std::string_view() : line.substr(0, first);
    }
    return {};
  }

  void take(std::string_view line, size_t begin) {
    const std::string_view inner = trim(line);
    if (inner.empty()) return;
    if (!line.starts_with(margin_)) return reject(begin);
    const std::string_view text = line.substr(margin_.size());
    if (text.starts_with('#')) return;
    if (is_blank_char(text.front())) {
      if (is_tabbed_key(text, inner)) {
        const size_t blanks = text.find_first_not_of(" \t");
        return add(text.substr(blanks), begin, begin + margin_.size() + blanks, true);
      }
      return out_.chunks.empty() ? reject(begin) : extend(line, begin);
    }
    if (likely_key_of(text)) return add(text, begin, begin + margin_.size(), false);
    if (out_.chunks.empty()) return reject(begin);
    const bool list_item = text.starts_with('-') && value_of_last().empty();
    if (list_item || text.front() == ']' || text.front() == '}') return extend(line, begin);
    if (out_.chunks.back().key != "description") return reject(begin);
    out_.chunks.back().unindented = true;
    extend(line, begin);
  }

  // YAML allows no tab there, so a key that stands behind one was not meant to belong to the line
  // before.
  bool is_tabbed_key(std::string_view text, std::string_view inner) const {
    if (text.front() != '\t' || out_.chunks.empty()) return false;
    const auto place = likely_key_of(inner);
    if (!place || !is_known_key(place->key)) return false;
    const std::string_view before = value_of_last();
    return !before.empty() && before.front() != '|' && before.front() != '>';
  }

  // What the last key has on its own line.
  std::string_view value_of_last() const {
    const size_t begin = out_.chunks.back().value_begin;
    const size_t end = std::min(bytes_.find('\n', begin), out_.chunks.back().end);
    return trim(bytes_.substr(begin, end - std::min(begin, end)));
  }

  void add(std::string_view text, size_t begin, size_t key_begin, bool tabbed) {
    const auto place = likely_key_of(text);
    if (!place) return;
    Chunk chunk;
    chunk.key = place->key;
    chunk.begin = begin;
    chunk.key_begin = key_begin;
    chunk.after_colon = key_begin + place->colon + 1;
    chunk.end = key_begin + text.size();
    chunk.value_begin = chunk.after_colon;
    while (chunk.value_begin < chunk.end && is_blank_char(bytes_[chunk.value_begin])) {
      ++chunk.value_begin;
    }
    chunk.glued = chunk.value_begin == chunk.after_colon && chunk.value_begin < chunk.end;
    chunk.tabbed = tabbed;
    out_.chunks.push_back(std::move(chunk));
  }

  void extend(std::string_view line, size_t begin) {
    out_.chunks.back().end = begin + line.size();
    out_.chunks.back().one_line = false;
  }

  void reject(size_t begin) {
    if (!out_.stray) out_.stray = begin;
  }

  std::string_view bytes_;
  Range block_;
  std::string_view margin_;
  Chunks out_;
};

}  // namespace

Chunks cut_chunks(std::string_view bytes, Range block) { return Chunker(bytes, block).run(); }

}  // namespace iii::content
