#include "directory/search/segment_writer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "directory/search/segment_format.h"
#include "foundation/base/check.h"

namespace iii::search {

namespace {

std::string_view text_of(std::string_view bytes, std::span<const uint32_t> offsets, size_t i) {
  return bytes.substr(offsets[i], offsets[i + 1] - offsets[i]);
}

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

struct AlignedDelete {
  void operator()(char* bytes) const {
    ::operator delete[](bytes, std::align_val_t(kSectionAlignment));
  }
};

uint32_t as_offset(const std::string& bytes) {
  III_CHECK(bytes.size() <= UINT32_MAX);
  return static_cast<uint32_t>(bytes.size());
}

}  // namespace

SegmentWriter::SegmentWriter(const Profile& profile, const FieldMeans& means, uint32_t measured)
    : profile_(profile), means_(means), measured_(measured) {}

void SegmentWriter::add_document(std::string_view key, uint64_t copy_of, uint8_t quality,
                                 std::span<const int8_t, kDims> values, float scale) {
  vectors_.insert(vectors_.end(), values.begin(), values.end());
  scales_.push_back(scale);
  qualities_.push_back(quality);
  copies_.push_back(copy_of);
  keys_ += key;
  key_offsets_.push_back(as_offset(keys_));
}

TermNumber SegmentWriter::add_term(std::string_view text, std::span<const Posting> postings) {
  terms_ += text;
  term_offsets_.push_back(as_offset(terms_));
  append_lists(lists_, postings, profile_.bulk);
  list_offsets_.push_back(as_offset(lists_));
  return static_cast<TermNumber>(term_offsets_.size() - 2);
}

void SegmentWriter::add_surface_word(std::string_view word, TermNumber term) {
  surface_ += word;
  surface_offsets_.push_back(as_offset(surface_));
  surface_terms_.push_back(term);
}

void SegmentWriter::add_trigrams() {
  std::vector<uint64_t> pairs;  // trigram, surface word
  std::vector<uint32_t> of_word;
  for (size_t i = 0; i < surface_terms_.size(); ++i) {
    trigrams_of(text_of(surface_, surface_offsets_, i), of_word);
    for (const uint32_t trigram : of_word) pairs.push_back(uint64_t{trigram} << 32 | i);
  }
  std::ranges::sort(pairs);
  for (size_t i = 0; i < pairs.size();) {
    const auto trigram = static_cast<uint32_t>(pairs[i] >> 32);
    uint32_t next = 0;
    for (; i < pairs.size() && pairs[i] >> 32 == trigram; ++i) {
      const auto word = static_cast<uint32_t>(pairs[i]);
      append_varint(trigram_words_, word - next);
      next = word + 1;
    }
    trigrams_.push_back(trigram);
    trigram_offsets_.push_back(as_offset(trigram_words_));
  }
}

void SegmentWriter::add_orders() {
  const auto key = [&](uint32_t i) { return text_of(keys_, key_offsets_, i); };
  key_order_.resize(copies_.size());
  std::iota(key_order_.begin(), key_order_.end(), 0U);
  std::ranges::sort(key_order_, {}, key);
  copy_order_ = key_order_;
  std::ranges::sort(copy_order_, {}, [&](uint32_t i) { return std::pair(copies_[i], key(i)); });
}

SegmentPointer SegmentWriter::finish() {
  add_trigrams();
  add_orders();
  const std::array<std::string_view, kSections> sections{
      bytes_of(vectors_),         bytes_of(scales_),          bytes_of(qualities_),
      bytes_of(copies_),          bytes_of(key_offsets_),     bytes_of(key_order_),
      bytes_of(copy_order_),      bytes_of(term_offsets_),    bytes_of(list_offsets_),
      bytes_of(surface_offsets_), bytes_of(surface_terms_),   bytes_of(trigrams_),
      bytes_of(trigram_offsets_), std::string_view(keys_),    std::string_view(terms_),
      std::string_view(lists_),   std::string_view(surface_), std::string_view(trigram_words_)};

  SegmentHeader header{};
  std::ranges::copy(kSegmentMagic, header.magic.begin());
  header.version = kSegmentVersion;
  header.profile = profile_fingerprint(profile_);
  header.documents = static_cast<uint32_t>(copies_.size());
  header.terms = static_cast<uint32_t>(term_offsets_.size() - 1);
  header.surface_words = static_cast<uint32_t>(surface_terms_.size());
  header.trigrams = static_cast<uint32_t>(trigrams_.size());
  header.measured = measured_;
  header.means = means_;
  size_t end = sizeof header;
  for (size_t i = 0; i < kSections; ++i) {
    end = (end + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
    header.offsets[i] = end;
    end += sections[i].size();
  }
  header.total = end;

  std::shared_ptr<char[]> buffer(
      static_cast<char*>(::operator new[](end, std::align_val_t(kSectionAlignment))),
      AlignedDelete{});
  std::memset(buffer.get(), 0, end);
  for (size_t i = 0; i < kSections; ++i) {
    if (!sections[i].empty()) {
      std::memcpy(buffer.get() + header.offsets[i], sections[i].data(), sections[i].size());
    }
  }
  const std::string_view bytes(buffer.get(), end);
  header.checksum = segment_checksum(bytes.substr(sizeof header));
  std::memcpy(buffer.get(), &header, sizeof header);
  std::shared_ptr<Segment> segment(
      new Segment(SharedBytes{.owner = std::move(buffer), .bytes = bytes}, profile_));
  segment->find_sections();
  return segment;
}

}  // namespace iii::search
