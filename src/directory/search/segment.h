// A part of an index: some documents, and the words that they have. Immutable.
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
#include "directory/search/word_vectors.h"

namespace iii::search {

struct PostingLists;

using DocumentNumber = uint32_t;  // in its segment
using TermNumber = uint32_t;      // in its segment

// Texts one after the other in one buffer.
class Texts {
 public:
  void add(std::string_view text);
  uint32_t size() const { return static_cast<uint32_t>(ends_.size() - 1); }
  std::string_view operator[](uint32_t number) const {
    return {bytes_.data() + ends_[number], ends_[number + 1] - ends_[number]};
  }
  // Of sorted texts: the number of the first one that is not less than `text`.
  uint32_t lower_bound(std::string_view text) const;
  std::optional<uint32_t> find(std::string_view text) const;
  size_t bytes() const { return bytes_.size() + ends_.size() * sizeof(uint32_t); }

 private:
  std::string bytes_;
  std::vector<uint32_t> ends_{0};
};

// The number of words in each field, of all documents that an index was first built of. The impact
// of a word depends on the mean, so all segments of an index are made with the same lengths.
struct FieldLengths {
  std::array<uint64_t, kMaxFields> words{};
  uint32_t documents = 0;

  float mean(size_t field) const;
  FieldLengths operator+(const FieldLengths& other) const;
};

// The direction of the text of a document: values times `scale` has the length 1, or 0.
struct alignas(64) DocumentVector {
  std::array<int8_t, kDims> values{};
};

struct Segment {
  FieldMask bulk = 0;  // of the profile

  // Of each document:
  Texts keys;
  std::vector<uint64_t> copy_of;   // Document::copy_of
  std::vector<uint8_t> qualities;  // 255 is 1
  std::vector<DocumentVector> vectors;
  std::vector<float> scales;
  std::vector<DocumentNumber> by_key;
  std::vector<DocumentNumber> by_copy;  // by copy_of, then key

  Texts terms;  // stems, sorted
  Texts lists;  // of each term: the documents that have it (postings.h)

  Texts surface;  // words as they are written, sorted
  std::vector<TermNumber> surface_terms;
  std::vector<uint32_t> trigrams;  // of the surface words, sorted
  Texts trigram_words;             // of each trigram: the surface words, as varint deltas

  uint32_t documents() const { return keys.size(); }
  size_t bytes() const;
  float quality(DocumentNumber document) const {
    return static_cast<float>(qualities[document]) / 255.0F;
  }
  std::optional<DocumentNumber> find_key(std::string_view key) const;
  // Documents with this `copy_of`, by key.
  std::span<const DocumentNumber> copies(uint64_t copy) const;
  PostingLists postings(TermNumber term) const;
  // Empty when no surface word has it.
  std::string_view words_with_trigram(uint32_t trigram) const;
};
using SegmentPointer = std::shared_ptr<const Segment>;

// Makes a segment of documents.
class SegmentBuilder {
 public:
  explicit SegmentBuilder(const Profile& profile);
  ~SegmentBuilder();
  SegmentBuilder(const SegmentBuilder&) = delete;
  SegmentBuilder& operator=(const SegmentBuilder&) = delete;

  // Documents are numbered in the order in which they are added. A key must not occur twice.
  void add(const Document& document);
  // Of the documents added so far.
  const FieldLengths& lengths() const;
  // The builder can only be destroyed afterwards, or asked for lengths().
  SegmentPointer finish(const FieldLengths& of_index);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// The trigrams of `^word$`, distinct and sorted: three bytes each, the first one highest.
void trigrams_of(std::string_view word, std::vector<uint32_t>& out);

}  // namespace iii::search
