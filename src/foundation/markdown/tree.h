// Markdown as a tree of named nodes, written as JSON. Pure; see README.md for the nodes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iii::markdown {

struct Limits {
  size_t bytes = 256UL * 1024;  // of the text that is read
  size_t depth = 40;
  size_t nodes = 20'000;  // texts count
  size_t columns = 64;    // of a table
  size_t address_bytes = 1024UL * 1024;
};

struct Tree {
  std::string nodes;  // a JSON array
  bool cut = false;   // a limit was reached: there is more in the source
};

// The id of the skill that a link means which stays inside; nothing when there is none. It gets the
// address as it is written, without control characters.
using ResolveLink = std::function<std::optional<std::string>(std::string_view href)>;

// `text` is UTF-8. Takes time linear in it, for documents that people write.
Tree parse_tree(std::string_view text, const ResolveLink& resolve, const Limits& limits = {});

}  // namespace iii::markdown
