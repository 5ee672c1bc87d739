#include "directory/reading/row_filter.h"

#include <algorithm>

#include "directory/reading/paths.h"
#include "foundation/base/hash.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr size_t kGram = 3;  // neighbouring bytes that have a bit together
constexpr size_t kBitsPerByte = 2;
constexpr size_t kWordBits = 64;

uint32_t gram_hash(const char* at) {
  const auto byte = [at](size_t i) -> uint32_t { return static_cast<unsigned char>(at[i]); };
  uint32_t hash = (byte(0) | (byte(1) << 8U) | (byte(2) << 16U)) * 0x9e3779b1U;
  hash ^= hash >> 15U;
  return hash * 0x85ebca6bU;
}

// Where the bit of a hash is in a signature of that many words.
struct Bit {
  Bit(uint32_t hash, size_t words)
      : word((uint64_t{hash} * words) >> 32U), mask(uint64_t{1} << (hash % kWordBits)) {}
  size_t word;
  uint64_t mask;
};

void add_grams(std::vector<uint32_t>& out, std::string_view text) {
  for (size_t i = 0; i + kGram <= text.size(); ++i) out.push_back(gram_hash(text.data() + i));
}

// Not 0.
uint32_t type_hash(std::string_view type) { return static_cast<uint32_t>(TextHash()(type)) | 1U; }

void add_bits(std::span<uint64_t> signature, std::string_view text) {
  const std::string folded = fold_case(text);
  for (size_t i = 0; i + kGram <= folded.size(); ++i) {
    const Bit bit(gram_hash(folded.data() + i), signature.size());
    signature[bit.word] |= bit.mask;
  }
}

// All texts of a row, the id as it is on disk: it contains the one that is shown.
std::array<std::string_view, 5> texts_of(const content::Skill& skill) {
  const auto [title, description, name, path] = searched_texts(skill);
  return {skill.id, title, description, name, path};
}

size_t words_for(std::span<const std::string_view> texts) {
  size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  return 1 + bytes * kBitsPerByte / kWordBits;
}

}  // namespace

std::array<std::string_view, 4> searched_texts(const content::Skill& skill) {
  return {skill.title, skill.description, skill.name, unusual_path(skill)};
}

FilterCheck::FilterCheck(std::span<const std::string_view> needles) {
  for (const std::string_view needle : needles) add_grams(grams_, needle);
}

FilterCheck::FilterCheck(std::string_view needle, std::optional<std::string_view> type) {
  add_grams(grams_, needle);
  if (type) type_ = type_hash(*type);
}

bool FilterCheck::passes(const FilterBlock& block, size_t row) const {
  if (type_ && block.types[row] != *type_) return false;
  const size_t begin = row > 0 ? block.ends[row - 1] : 0;
  const size_t words = block.ends[row] - begin;
  return std::ranges::all_of(grams_, [&](uint32_t gram) {
    const Bit bit(gram, words);
    return (block.words[begin + bit.word] & bit.mask) != 0;
  });
}

FilterBlock::FilterBlock(std::span<const content::SkillPtr> rows) {
  size_t total = 0;
  for (const content::SkillPtr& row : rows) total += words_for(texts_of(*row));
  words.resize(total);
  ends.reserve(rows.size());
  types.reserve(rows.size());
  size_t end = 0;
  for (const content::SkillPtr& row : rows) {
    const auto texts = texts_of(*row);
    const std::span<uint64_t> signature = std::span(words).subspan(end, words_for(texts));
    for (const std::string_view text : texts) add_bits(signature, text);
    end += signature.size();
    ends.push_back(static_cast<uint32_t>(end));
    types.push_back(row->type ? type_hash(*row->type) : 0);
  }
}

void RowFilter::follow(const content::GenerationPtr& generation) {
  if (generation == blocks_.generation()) return;
  RowBlocks<FilterBlock>::Update update(std::move(blocks_), generation);
  while (update.step()) {
  }
  blocks_ = update.take();
}

std::vector<size_t> RowFilter::candidates(const Wanted& wanted, size_t first, size_t last) const {
  const FilterCheck check(wanted.needle, wanted.type);
  std::vector<size_t> out;
  size_t begin = 0;
  for (const auto& [rows, block] : blocks_.pieces()) {
    if (begin >= last) break;
    const size_t stop = std::min(rows, last - begin);
    for (size_t row = first > begin ? first - begin : 0; row < stop; ++row) {
      if (check.passes(*block, row)) out.push_back(begin + row);
    }
    begin += rows;
  }
  return out;
}

}  // namespace iii::directory
