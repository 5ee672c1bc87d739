// Character references of HTML in Markdown. Pure.
#pragma once

#include <string>
#include <string_view>

namespace iii::markdown {

// The character that `&name;`, `&#1234;` or `&#x12ab;` stands for, as UTF-8. Numbers that are no
// character give U+FFFD. Only common names are known; others come out as they are written.
std::string decode_entity(std::string_view entity);

}  // namespace iii::markdown
