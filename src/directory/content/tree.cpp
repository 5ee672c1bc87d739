#include "directory/content/tree.h"

#include <algorithm>

#include "directory/content/ids.h"

namespace iii::content {

std::string Node::path() const {
  size_t length = 0;
  for (const Node* node = this; node->parent != nullptr; node = node->parent) {
    length += node->name.size() + 1;
  }
  if (length == 0) return {};
  std::string out(length - 1, '/');
  size_t end = out.size();
  for (const Node* node = this; node->parent != nullptr; node = node->parent) {
    end -= node->name.size();
    out.replace(end, node->name.size(), node->name);
    if (end > 0) --end;
  }
  return out;
}

std::vector<std::unique_ptr<Node>>::iterator Folder::position(std::string_view called) {
  return std::ranges::lower_bound(
      entries, called, {},
      [](const std::unique_ptr<Node>& entry) -> std::string_view { return entry->name; });
}

Node* Folder::find(std::string_view called) const {
  const auto at = std::ranges::lower_bound(
      entries, called, {},
      [](const std::unique_ptr<Node>& entry) -> std::string_view { return entry->name; });
  return at != entries.end() && (*at)->name == called ? at->get() : nullptr;
}

bool walk_before(std::string_view a, std::string_view b) {
  // A name that ends comes before one that goes on: as if the separator were the lowest byte of
  // all.
  const auto rank = [](char c) {
    return c == '/' ? 0U : static_cast<unsigned>(static_cast<unsigned char>(c));
  };
  return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

bool is_document_name(std::string_view name) {
  return name.ends_with(".md") || overview_name(name) == OverviewName::kSpelling;
}

}  // namespace iii::content
