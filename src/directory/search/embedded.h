// The data that are compiled in.
#pragma once

#include <string_view>

namespace iii::search {

// Aligned to 64.
std::string_view embedded_word_vectors();
std::string_view embedded_synonyms();

}  // namespace iii::search
