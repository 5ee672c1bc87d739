// A part of an index: immutable, one flat buffer without pointers, so that it can be kept in a file
// and used where it is mapped.
//
// Contents (layout in segment_format.h): the dictionary, sorted; for each term the documents that
// have it, with an 8-bit impact (BM25F without idf) and the fields it is in; one int8 vector per
// document; the distinct surface words and their trigrams; the keys.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/search/profile.h"
#include "foundation/base/result.h"
#include "foundation/base/shared_bytes.h"

namespace iii::search {

struct PostingLists;
struct SegmentHeader;

using DocumentNumber = uint32_t;  // in its segment
using TermNumber = uint32_t;      // in its segment

// Mean number of words of each field.
using FieldMeans = std::array<float, kMaxFields>;

class Segment {
 public:
  // Checks everything, so that no later access can leave the buffer; refuses other versions, other
  // profiles and damaged data (`segment_damaged`). The bytes must be aligned to 8.
  static Result<std::shared_ptr<const Segment>> open(SharedBytes bytes, const Profile& profile);

  std::string_view bytes() const { return bytes_.bytes; }
  const Profile& profile() const { return *profile_; }
  uint32_t documents() const;
  uint32_t terms() const;
  const FieldMeans& means() const;
  // The documents that the means were taken from.
  uint32_t measured() const;

  std::string_view key(DocumentNumber document) const;
  uint64_t copy_of(DocumentNumber document) const { return copies_[document]; }
  float quality(DocumentNumber document) const {
    return static_cast<float>(qualities_[document]) / 255.0F;
  }
  uint8_t quality_byte(DocumentNumber document) const { return qualities_[document]; }
  std::optional<DocumentNumber> find_key(std::string_view key) const;
  // Documents with this `copy_of`, by key.
  std::span<const DocumentNumber> copies(uint64_t copy_of) const;
  // All documents by copy_of, then key.
  std::span<const DocumentNumber> by_copy() const { return copy_order_; }
  // 128 per document; the vector of a document is its values times its scale and has length 1 (or
  // 0).
  const int8_t* vectors() const { return vectors_; }
  std::span<const float> scales() const { return scales_; }

  std::string_view term(TermNumber term) const;
  std::optional<TermNumber> find_term(std::string_view term) const;
  PostingLists postings(TermNumber term) const;

  uint32_t surface_words() const;
  std::string_view surface_word(uint32_t number) const;
  TermNumber surface_term(uint32_t number) const { return surface_terms_[number]; }
  // The surface words from `prefix` on, in order.
  uint32_t surface_from(std::string_view prefix) const;
  // Numbers of surface words as varint deltas (postings.h), empty when there are none.
  std::string_view words_with_trigram(uint32_t trigram) const;

 private:
  friend class SegmentWriter;
  Segment(SharedBytes bytes, const Profile& profile);
  bool sections_fit() const;
  void find_sections();
  bool is_sound() const;
  bool orders_are_sound() const;

  SharedBytes bytes_;
  const Profile* profile_ = nullptr;
  const SegmentHeader* header_ = nullptr;
  const int8_t* vectors_ = nullptr;
  std::span<const float> scales_;
  std::span<const uint8_t> qualities_;
  std::span<const uint64_t> copies_;
  std::span<const uint32_t> key_offsets_;
  std::span<const uint32_t> key_order_;
  std::span<const uint32_t> copy_order_;
  std::span<const uint32_t> term_offsets_;
  std::span<const uint32_t> list_offsets_;
  std::span<const uint32_t> surface_offsets_;
  std::span<const uint32_t> surface_terms_;
  std::span<const uint32_t> trigrams_;
  std::span<const uint32_t> trigram_offsets_;
  std::string_view keys_;
  std::string_view terms_;
  std::string_view lists_;
  std::string_view surface_;
  std::string_view trigram_words_;
};

using SegmentPointer = std::shared_ptr<const Segment>;

// Makes a segment of documents. For a first segment the mean lengths are those of its own
// documents; segments that are added later use the same, so that their impacts are comparable.
class SegmentBuilder {
 public:
  explicit SegmentBuilder(const Profile& profile);
  // With the means of `base`.
  SegmentBuilder(const Profile& profile, const Segment& base);
  ~SegmentBuilder();
  SegmentBuilder(const SegmentBuilder&) = delete;
  SegmentBuilder& operator=(const SegmentBuilder&) = delete;

  // Documents are numbered in the order in which they are added. A key must not occur twice.
  void add(const Document& document);
  uint32_t documents() const;
  // The builder can only be destroyed afterwards.
  SegmentPointer finish();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// The trigrams of `^word$`, distinct and sorted: three bytes each, the first one highest.
void trigrams_of(std::string_view word, std::vector<uint32_t>& out);

}  // namespace iii::search
