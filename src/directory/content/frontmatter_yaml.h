// YAML as frontmatter uses it: one mapping whose values are texts. Built on libyaml's events;
// nothing is expanded, so small input stays small.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iii::content {

inline constexpr size_t kMaxFrontmatter = 64 * 1024;
inline constexpr size_t kMaxYamlDepth = 16;

// A value as far as frontmatter cares.
struct YamlNode {
  enum class Kind {
    kText,
    kNull,  // empty, `~`, `null`, `Null`, `NULL` (R24)
    kList,
    kOther,  // a mapping, or a list with more than plain texts in it
  };
  Kind kind = Kind::kNull;
  std::string text;                // of kText, exactly as YAML reads it
  std::vector<std::string> items;  // of kList
};

struct YamlEntry : YamlNode {
  std::string key;
  uint32_t line = 0;  // of the key, from 0
  uint32_t column = 0;
  // Where a text was written, quotes or block indicator included, in bytes from the block's start.
  size_t value_begin = 0;
  size_t value_end = 0;
  bool bare = false;  // without quotes or indicator
};

// What the caller wants to know of a key: nothing, that it is there, its value.
enum class YamlInterest { kNone, kPresence, kValue };

// At most this many entries of each kind are kept: more than there are keys to ask for, so repeats
// show.
inline constexpr size_t kMaxYamlEntries = 64;

struct YamlMapping {
  bool any_key = false;  // also keys nobody asked for
  std::vector<YamlEntry>
      entries;  // with values, in order; of a repeated key only the first has its text
  std::vector<YamlEntry> present;  // without values
};

struct YamlProblem {
  enum class Kind { kSyntax, kNotMapping, kSecondDocument, kTooDeep, kTooLarge };
  Kind kind = Kind::kSyntax;
  std::string text;   // what the YAML reader said
  uint32_t line = 0;  // from 0
  uint32_t column = 0;
};

// An empty text is an empty mapping.
using YamlResult = std::expected<YamlMapping, YamlProblem>;
using YamlWanted = YamlInterest (*)(std::string_view key);
YamlResult read_yaml(std::string_view text, YamlWanted wanted);

// `text` as a double-quoted YAML scalar on one line.
std::string yaml_quote(std::string_view text);

}  // namespace iii::content
