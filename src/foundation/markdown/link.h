// What the address of a link is, before anybody may follow it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iii::markdown {

// Longer addresses are refused.
inline constexpr size_t kMaxAddress = 2'048;

enum class LinkKind {
  kSkill,    // relative, or `iii://`: stays inside
  kWeb,      // `http` or `https`
  kAnchor,   // a place in the same document
  kRefused,  // any other scheme, and what a browser could take for another host
};
std::string_view kind_word(LinkKind kind);

struct Link {
  LinkKind kind = LinkKind::kRefused;
  std::string href;    // without control characters and blanks around it; at most kMaxAddress bytes
  std::string scheme;  // of a refused one, in lower case; `//` for a host without a scheme
};

// `address` has its character references decoded. Schemes are recognised as browsers do it: letter
// case, and control characters in between, do not count.
Link classify_link(std::string_view address);

// The first address of the web that stands in a text by itself, without the punctuation behind it;
// empty when there is none.
std::string_view bare_address(std::string_view text);

}  // namespace iii::markdown
