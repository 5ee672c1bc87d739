#include "directory/search/embedded.h"

// #embed is a part of C23 that clang offers in C++, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

namespace iii::search {

namespace {

alignas(64) constexpr unsigned char kWordVectors[] = {
#embed "data/words-128.bin"
};

constexpr unsigned char kSynonyms[] = {
#embed "data/synonyms.tsv"
};

}  // namespace

std::string_view embedded_word_vectors() {
  return {reinterpret_cast<const char*>(kWordVectors), sizeof kWordVectors};
}

std::string_view embedded_synonyms() {
  return {reinterpret_cast<const char*>(kSynonyms), sizeof kSynonyms};
}

}  // namespace iii::search
