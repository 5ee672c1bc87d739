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
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_bytes.h"
#include "search/profile.h"

namespace iii::search {

using DocumentNumber = uint32_t;  // in its segment

// Mean number of words of each field.
using FieldMeans = std::array<float, kMaxFields>;

class Segment {
 public:
  // Checks everything, so that no later access can leave the buffer; refuses other versions, other
  // profiles and damaged data. The bytes must be aligned to 8.
  static Result<std::shared_ptr<const Segment>> open(SharedBytes bytes, const Profile& profile);

  std::string_view bytes() const { return bytes_.bytes; }
  const Profile& profile() const { return *profile_; }
  uint32_t documents() const;
  uint32_t terms() const;
  const FieldMeans& means() const { return means_; }
  std::string_view key(DocumentNumber document) const;
  uint64_t copy_of(DocumentNumber document) const;

 private:
  Segment() = default;

  SharedBytes bytes_;
  const Profile* profile_ = nullptr;
  FieldMeans means_{};
};

using SegmentPointer = std::shared_ptr<const Segment>;

// Makes a segment of documents. For a first segment the mean lengths are those of its own
// documents; segments that are added later use the same, so that their impacts are comparable.
class SegmentBuilder {
 public:
  explicit SegmentBuilder(const Profile& profile);
  SegmentBuilder(const Profile& profile, const FieldMeans& means);
  ~SegmentBuilder();

  // Documents are numbered in the order in which they are added. A key must not occur twice.
  void add(const Document& document);
  uint32_t documents() const;
  // The builder is empty afterwards.
  SegmentPointer finish();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace iii::search
