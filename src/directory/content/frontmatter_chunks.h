// A block of frontmatter cut into its keys, without asking YAML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/frontmatter_split.h"

namespace iii::content {

// A key with the lines that belong to it. Offsets are into the file.
struct Chunk {
  std::string key;
  size_t begin = 0;  // of the first line
  size_t key_begin = 0;
  size_t after_colon = 0;
  size_t value_begin = 0;  // after the colon and blanks
  size_t end = 0;          // of the last line's text
  bool one_line = true;
  bool tabbed = false;      // the key stands behind a tab
  bool glued = false;       // no space after the colon
  bool unindented = false;  // goes on at the margin
};

struct Chunks {
  std::vector<Chunk> chunks;
  std::optional<size_t> stray;  // a line that belongs to no key
  std::optional<size_t>
      second_document;  // a line that begins another YAML document; nothing after it was cut
};

// `block` is a range of `bytes`. At most kMaxChunks keys come out.
inline constexpr size_t kMaxChunks = 256;
Chunks cut_chunks(std::string_view bytes, Range block);

}  // namespace iii::content
