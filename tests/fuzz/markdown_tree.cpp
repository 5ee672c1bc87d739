// Fuzz target: any document gives a tree of known names within the limits; what may be followed is
// a link of a known kind.
//
// Input: the document.
#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/check.h"
#include "foundation/base/utf8.h"
#include "foundation/json/value.h"
#include "foundation/markdown/tree.h"

namespace {

using iii::json::Value;

constexpr iii::markdown::Limits kLimits{.bytes = 4'096, .depth = 8, .nodes = 200, .columns = 4};

bool is_known(std::string_view name) {
  for (const std::string_view known :
       {"h1", "h2", "h3",     "h4",   "h5",  "h6",         "p",     "ul", "ol",
        "li", "em", "strong", "code", "pre", "blockquote", "table", "tr", "th",
        "td", "hr", "br",     "del",  "a",   "img",        "html"}) {
    if (name == known) return true;
  }
  return false;
}

void check_link(const Value& attributes) {
  const std::string& href = *attributes.find("href")->as_string();
  const std::string& kind = *attributes.find("kind")->as_string();
  if (kind == "web") III_CHECK(href.starts_with("http://") || href.starts_with("https://"));
  if (kind == "anchor") III_CHECK(href.empty() || href.front() == '#');
  if (kind != "skill") return;
  const size_t colon = href.find(':');
  const bool scheme = colon < href.find_first_of("/\\?#");
  III_CHECK(!scheme || colon == 3);  // `iii:`, in any case
}

size_t check_node(const Value& node, size_t depth) {
  if (node.as_string() != nullptr) return 1;
  III_CHECK(depth <= kLimits.depth);
  III_CHECK(node.as_array() != nullptr && node.as_array()->size() >= 2);
  const auto& parts = *node.as_array();
  const std::string& name = *parts[0].as_string();
  III_CHECK(is_known(name));
  if (name == "a") check_link(parts[1]);
  if (name == "tr") III_CHECK(parts.size() - 2 <= kLimits.columns);
  size_t nodes = 1;
  for (size_t i = 2; i < parts.size(); ++i) nodes += check_node(parts[i], depth + 1);
  return nodes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!iii::is_utf8(text)) return 0;
  const auto resolve = [](std::string_view href) {
    return href.size() % 2 == 0 ? std::optional<std::string>(href) : std::nullopt;
  };
  const iii::markdown::Tree tree = iii::markdown::parse_tree(text, resolve, kLimits);
  const auto value = iii::json::parse(tree.nodes);
  III_CHECK(value && value->as_array() != nullptr);
  size_t nodes = 0;
  for (const Value& node : *value->as_array()) nodes += check_node(node, 1);
  III_CHECK(nodes <= kLimits.nodes);
  return 0;
}
