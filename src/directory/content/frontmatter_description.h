// What goes wrong with descriptions that are valid YAML: cut by a comment, or with the indicator of
// a YAML block in their text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "directory/content/frontmatter_yaml.h"

namespace iii::content {

// A description such as `| Use when …`: some generators write the indicator of a block (`|`, `>-`)
// in front of the text, or instead of it.
struct Stub {
  std::string_view text;  // what follows the indicator; a view into the value
  bool cut_off = false;  // the text says nothing: it is empty, ends in `…` or has two words at most
};

// Of a value as it was read, without blanks around it.
std::optional<Stub> stub_of(std::string_view value);
// The same, or a block without a line in it. `source` is what `entry` was read from.
std::optional<Stub> stub_of(std::string_view source, const YamlEntry& entry);

// ` # and the rest of the line` when a comment follows a bare value, else nothing.
std::string_view comment_after(std::string_view source, const YamlEntry& entry);

std::string stub_message(const Stub& stub);
std::string cut_message();

}  // namespace iii::content
