// Puts the parts of a segment together. Used by the builder and by merges.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/search/postings.h"
#include "directory/search/segment.h"
#include "directory/search/text_vector.h"

namespace iii::search {

class SegmentWriter {
 public:
  SegmentWriter(const Profile& profile, const FieldMeans& means, uint32_t measured);

  // Numbered in this order.
  void add_document(std::string_view key, uint64_t copy_of, uint8_t quality,
                    std::span<const int8_t, kDims> values, float scale);
  // In the order of their texts. Postings in the order of documents; at least one.
  TermNumber add_term(std::string_view text, std::span<const Posting> postings);
  // In the order of their texts.
  void add_surface_word(std::string_view word, TermNumber term);

  SegmentPointer finish();

 private:
  void add_trigrams();
  void add_orders();

  const Profile& profile_;
  const FieldMeans means_;
  const uint32_t measured_;
  std::vector<int8_t> vectors_;
  std::vector<float> scales_;
  std::vector<uint8_t> qualities_;
  std::vector<uint64_t> copies_;
  std::vector<uint32_t> key_offsets_{0};
  std::vector<uint32_t> key_order_;
  std::vector<uint32_t> copy_order_;
  std::vector<uint32_t> term_offsets_{0};
  std::vector<uint32_t> list_offsets_{0};
  std::vector<uint32_t> surface_offsets_{0};
  std::vector<uint32_t> surface_terms_;
  std::vector<uint32_t> trigrams_;
  std::vector<uint32_t> trigram_offsets_{0};
  std::string keys_;
  std::string terms_;
  std::string lists_;
  std::string surface_;
  std::string trigram_words_;
};

}  // namespace iii::search
