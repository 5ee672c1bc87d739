#include "directory/search/segment.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "directory/search/postings.h"
#include "directory/search/segment_format.h"

namespace iii::search {

namespace {

// How many entries of how many bytes a section of fixed size has.
uint64_t section_bytes(const SegmentHeader& h, Section section) {
  const uint64_t documents = h.documents;
  const uint64_t terms = h.terms;
  const uint64_t surface = h.surface_words;
  const uint64_t trigrams = h.trigrams;
  switch (section) {
    case Section::kVectors:
      return documents * 128;
    case Section::kScales:
      return documents * 4;
    case Section::kQuality:
      return documents;
    case Section::kCopies:
      return documents * 8;
    case Section::kKeyOffsets:
      return (documents + 1) * 4;
    case Section::kKeyOrder:
    case Section::kCopyOrder:
      return documents * 4;
    case Section::kTermOffsets:
    case Section::kListOffsets:
      return (terms + 1) * 4;
    case Section::kSurfaceOffsets:
      return (surface + 1) * 4;
    case Section::kSurfaceTerms:
      return surface * 4;
    case Section::kTrigrams:
      return trigrams * 4;
    case Section::kTrigramOffsets:
      return (trigrams + 1) * 4;
    default:
      return 0;
  }
}

template <typename T>
std::span<const T> array_at(std::string_view bytes, size_t offset, size_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + offset), count};
}

std::string_view slice(std::string_view bytes, std::span<const uint32_t> offsets, uint32_t number) {
  return {bytes.data() + offsets[number], offsets[number + 1] - offsets[number]};
}

// Offsets into `bytes` that only grow and end where the bytes end.
bool are_offsets(std::span<const uint32_t> offsets, std::string_view bytes) {
  return offsets.front() == 0 && std::ranges::is_sorted(offsets) && offsets.back() <= bytes.size();
}

// The first number in [0, count) whose text is not less than `text`.
template <typename TextOf>
uint32_t lower_bound(uint32_t count, std::string_view text, TextOf&& text_of) {
  uint32_t low = 0;
  for (uint32_t size = count; size > 0;) {
    const uint32_t half = size / 2;
    if (text_of(low + half) < text) {
      low += half + 1;
      size -= half + 1;
    } else {
      size = half;
    }
  }
  return low;
}

bool strictly_sorted(uint32_t count, auto&& text_of) {
  for (uint32_t i = 1; i < count; ++i) {
    if (!(text_of(i - 1) < text_of(i))) return false;
  }
  return true;
}

bool are_numbers_below(std::string_view bytes, uint32_t limit) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint8_t* const end = at + bytes.size();
  uint64_t next = 0;
  while (at < end) {
    const std::optional<uint32_t> delta = read_varint_checked(at, end);
    if (!delta || next + *delta >= limit) return false;
    next += *delta + uint64_t{1};
  }
  return true;
}

}  // namespace

Segment::Segment(SharedBytes bytes, const Profile& profile)
    : bytes_(std::move(bytes)),
      profile_(&profile),
      header_(reinterpret_cast<const SegmentHeader*>(bytes_.bytes.data())) {}

Result<SegmentPointer> Segment::open(SharedBytes bytes, const Profile& profile) {
  const auto refuse = [](std::string why) {
    return fail("segment_damaged", "the stored index " + std::move(why));
  };
  const std::string_view all = bytes.bytes;
  if (all.size() < sizeof(SegmentHeader)) return refuse("is too short");
  if (reinterpret_cast<uintptr_t>(all.data()) % 8 != 0) return refuse("is not aligned");
  SegmentPointer segment(new Segment(std::move(bytes), profile));
  const SegmentHeader& h = *segment->header_;
  if (std::string_view(h.magic.data(), h.magic.size()) != kSegmentMagic ||
      h.version != kSegmentVersion) {
    return refuse("has another version");
  }
  if (h.profile != profile_fingerprint(profile)) return refuse("has other fields");
  if (h.total != all.size() || !segment->sections_fit()) return refuse("has another size");
  if (h.checksum != segment_checksum(all.substr(sizeof h))) return refuse("has a wrong checksum");
  auto& mine = const_cast<Segment&>(*segment);  // not shared yet
  mine.find_sections();
  if (!segment->is_sound()) return refuse("contradicts itself");
  return segment;
}

bool Segment::sections_fit() const {
  uint64_t end = sizeof(SegmentHeader);
  for (size_t i = 0; i < kSections; ++i) {
    const uint64_t offset = header_->offsets[i];
    if (offset % kSectionAlignment != 0 || offset < end || offset > header_->total) return false;
    end = offset + section_bytes(*header_, static_cast<Section>(i));
    if (end > header_->total) return false;
  }
  return true;
}

void Segment::find_sections() {
  const std::string_view all = bytes_.bytes;
  const SegmentHeader& h = *header_;
  const auto at = [&](Section section) {
    return static_cast<size_t>(h.offsets[static_cast<size_t>(section)]);
  };
  const auto text = [&](Section section) {
    const auto next = static_cast<size_t>(section) + 1;
    const uint64_t end = next < kSections ? h.offsets[next] : h.total;
    return all.substr(at(section), static_cast<size_t>(end) - at(section));
  };
  vectors_ = reinterpret_cast<const int8_t*>(all.data() + at(Section::kVectors));
  scales_ = array_at<float>(all, at(Section::kScales), h.documents);
  qualities_ = array_at<uint8_t>(all, at(Section::kQuality), h.documents);
  copies_ = array_at<uint64_t>(all, at(Section::kCopies), h.documents);
  key_offsets_ = array_at<uint32_t>(all, at(Section::kKeyOffsets), size_t{h.documents} + 1);
  key_order_ = array_at<uint32_t>(all, at(Section::kKeyOrder), h.documents);
  copy_order_ = array_at<uint32_t>(all, at(Section::kCopyOrder), h.documents);
  term_offsets_ = array_at<uint32_t>(all, at(Section::kTermOffsets), size_t{h.terms} + 1);
  list_offsets_ = array_at<uint32_t>(all, at(Section::kListOffsets), size_t{h.terms} + 1);
  surface_offsets_ =
      array_at<uint32_t>(all, at(Section::kSurfaceOffsets), size_t{h.surface_words} + 1);
  surface_terms_ = array_at<uint32_t>(all, at(Section::kSurfaceTerms), h.surface_words);
  trigrams_ = array_at<uint32_t>(all, at(Section::kTrigrams), h.trigrams);
  trigram_offsets_ = array_at<uint32_t>(all, at(Section::kTrigramOffsets), size_t{h.trigrams} + 1);
  keys_ = text(Section::kKeys);
  terms_ = text(Section::kTerms);
  lists_ = text(Section::kLists);
  surface_ = text(Section::kSurface);
  trigram_words_ = text(Section::kTrigramWords);
}

bool Segment::is_sound() const {
  const SegmentHeader& h = *header_;
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(scales_, finite) || !std::ranges::all_of(h.means, finite) ||
      !are_offsets(key_offsets_, keys_) || !are_offsets(term_offsets_, terms_) ||
      !are_offsets(list_offsets_, lists_) || !are_offsets(surface_offsets_, surface_) ||
      !are_offsets(trigram_offsets_, trigram_words_) || !orders_are_sound()) {
    return false;
  }
  for (TermNumber t = 0; t < h.terms; ++t) {
    if (!check_lists(slice(lists_, list_offsets_, t), h.documents)) return false;
  }
  for (uint32_t g = 0; g < h.trigrams; ++g) {
    if (!are_numbers_below(slice(trigram_words_, trigram_offsets_, g), h.surface_words)) {
      return false;
    }
  }
  return std::ranges::all_of(surface_terms_, [&](TermNumber t) { return t < h.terms; });
}

// What is searched by halving is sorted, and the orders name each document once.
bool Segment::orders_are_sound() const {
  const uint32_t documents = header_->documents;
  const auto in_range = [&](DocumentNumber d) { return d < documents; };
  if (!std::ranges::all_of(key_order_, in_range) || !std::ranges::all_of(copy_order_, in_range)) {
    return false;
  }
  return strictly_sorted(documents, [&](uint32_t i) { return key(key_order_[i]); }) &&
         strictly_sorted(
             documents,
             [&](uint32_t i) { return std::pair(copies_[copy_order_[i]], key(copy_order_[i])); }) &&
         strictly_sorted(terms(), [&](uint32_t i) { return term(i); }) &&
         strictly_sorted(surface_words(), [&](uint32_t i) { return surface_word(i); }) &&
         strictly_sorted(header_->trigrams, [&](uint32_t i) { return trigrams_[i]; });
}

uint32_t Segment::documents() const { return header_->documents; }
uint32_t Segment::terms() const { return header_->terms; }
uint32_t Segment::surface_words() const { return header_->surface_words; }
const FieldMeans& Segment::means() const { return header_->means; }
uint32_t Segment::measured() const { return header_->measured; }

std::string_view Segment::key(DocumentNumber document) const {
  return slice(keys_, key_offsets_, document);
}

std::string_view Segment::term(TermNumber term) const { return slice(terms_, term_offsets_, term); }

std::string_view Segment::surface_word(uint32_t number) const {
  return slice(surface_, surface_offsets_, number);
}

std::optional<DocumentNumber> Segment::find_key(std::string_view text) const {
  const uint32_t at =
      lower_bound(documents(), text, [&](uint32_t i) { return key(key_order_[i]); });
  if (at == documents() || key(key_order_[at]) != text) return std::nullopt;
  return key_order_[at];
}

std::span<const DocumentNumber> Segment::copies(uint64_t copy_of) const {
  const auto hash = [&](DocumentNumber d) { return copies_[d]; };
  const auto range = std::ranges::equal_range(copy_order_, copy_of, {}, hash);
  return {range.begin(), range.end()};
}

std::optional<TermNumber> Segment::find_term(std::string_view text) const {
  const uint32_t at = lower_bound(terms(), text, [&](uint32_t i) { return term(i); });
  if (at == terms() || term(at) != text) return std::nullopt;
  return at;
}

PostingLists Segment::postings(TermNumber term) const {
  return read_lists(reinterpret_cast<const uint8_t*>(lists_.data()) + list_offsets_[term],
                    profile_->bulk);
}

uint32_t Segment::surface_from(std::string_view prefix) const {
  return lower_bound(surface_words(), prefix, [&](uint32_t i) { return surface_word(i); });
}

std::string_view Segment::words_with_trigram(uint32_t trigram) const {
  const auto found = std::ranges::lower_bound(trigrams_, trigram);
  if (found == trigrams_.end() || *found != trigram) return {};
  return slice(trigram_words_, trigram_offsets_, static_cast<uint32_t>(found - trigrams_.begin()));
}

uint32_t profile_fingerprint(const Profile& profile) {
  uint32_t hash = 2'166'136'261U;
  const auto mix = [&](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  };
  mix(profile.name);
  for (const Field& field : profile.fields) {
    const std::array<float, 2> weights{field.lexical, field.vector};
    mix(field.name);
    mix({reinterpret_cast<const char*>(weights.data()), sizeof weights});
  }
  return hash;
}

uint64_t segment_checksum(std::string_view bytes) {
  uint64_t hash = 0x9E3779B97F4A7C15ULL ^ bytes.size();
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDULL;
    hash ^= hash >> 32;
  };
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  uint64_t last = 0;
  std::memcpy(&last, bytes.data() + i, bytes.size() - i);
  mix(last);
  return hash;
}

void trigrams_of(std::string_view word, std::vector<uint32_t>& out) {
  out.clear();
  const auto at = [&](size_t i) -> uint32_t {
    if (i == 0) return '^';
    return i <= word.size() ? static_cast<unsigned char>(word[i - 1]) : '$';
  };
  for (size_t i = 0; i < word.size(); ++i) {
    out.push_back(at(i) << 16 | at(i + 1) << 8 | at(i + 2));
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
}

}  // namespace iii::search
