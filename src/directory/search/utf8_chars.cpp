#include "directory/search/utf8_chars.h"

#include <utf8proc.h>

namespace iii::search {

char32_t decode_utf8(std::string_view text, size_t& at) {
  utf8proc_int32_t value = -1;
  const utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                       static_cast<utf8proc_ssize_t>(text.size() - at), &value);
  if (length <= 0 || value < 0) {
    ++at;
    return kNoCharacter;
  }
  at += static_cast<size_t>(length);
  return static_cast<char32_t>(value);
}

void append_utf8(std::string& text, char32_t character) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length));
}

}  // namespace iii::search
