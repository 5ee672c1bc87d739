// Queries and their answers. Pure: the same index and query give the same answer, in work that is
// bounded by the limits below and the size of the index.
//
// Each document gets two numbers: it is ranked by `f = 0.8 L + 0.2 cos`, and whether there is an
// answer at all is decided by `g = 0.6 L + 0.4 cos` of the document that is first by `f`. L is the
// lexical score (BM25F with synonyms and corrections, 0 … 1), cos the cosine of the text vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/search/index.h"
#include "foundation/base/result.h"

namespace iii::search {

inline constexpr size_t kMaxQueryBytes = 4'096;
// Distinct words of a query that count; the first ones.
inline constexpr size_t kMaxQueryUnits = 64;
inline constexpr size_t kMaxCapabilities = 64;
inline constexpr size_t kBestLimit = 12;  // rows of an answer, per batch of capabilities
inline constexpr size_t kBatch = 6;       // capabilities
inline constexpr size_t kMaxLimit = 1'000;
inline constexpr size_t kNearest = 3;
inline constexpr double kRelativeCut = 0.4;  // rows below this part of the best are dropped

struct Options {
  size_t limit = kBestLimit;
  // Only documents that it accepts count. Called for those that could be among the best only.
  std::function<bool(std::string_view key)> accept;
  bool floor = true;
  bool cut = true;
  bool reasons = true;  // fill in Hit::matches
};

// Why a document was found: a word of the query, what it was found as, and where.
struct Match {
  enum class Kind : uint8_t { kSame, kSynonym, kSimilar, kPrefix };
  std::string word;   // of the query, as it was written, lower case
  std::string found;  // the stem that the document has
  Kind kind = Kind::kSame;
  FieldMask fields = 0;

  bool operator==(const Match&) const = default;
};

struct Hit {
  std::string key;
  float f = 0;
  float g = 0;
  float lexical = 0;
  float cosine = 0;
  std::vector<Match> matches;  // one per word of the query that the document has
};

struct Answer {
  enum class Kind : uint8_t {
    kNothing,    // no document fits
    kBelow,      // nothing fits well; `nearest` may be worth a look
    kExact,      // the query is the id of the one hit
    kUnknownId,  // the query is an id that does not exist; `nearest` are similar ones
    kFound,
  };
  Kind kind = Kind::kNothing;
  std::vector<Hit> hits;             // best first, equal ones by key
  std::vector<std::string> nearest;  // keys; empty when there are hits
};

// Errors: `query_too_long`, `query_empty`, `query_not_utf8`, `limit_out_of_range`.
Result<Answer> find(const Index& index, std::string_view query, const Options& options = {});

// One answer per capability, and the rows of all in turn: the first of each, the second of each …
struct MergedHit {
  std::string key;
  size_t capability = 0;  // the one that brought it
  float f = 0;
};
struct MergedAnswer {
  std::vector<Answer> answers;
  std::vector<MergedHit> rows;  // 12 per batch of six capabilities
};
// The caller sees to it that there are at most kMaxCapabilities. Errors: those of `find`.
Result<MergedAnswer> find_all(const Index& index, std::span<const std::string> capabilities,
                              const Options& options = {});

// Fills in `rows` from `answers`; at most `limit` per batch.
void merge_rows(MergedAnswer& merged, size_t limit);

// The names of the fields in a mask, in the order of the profile.
std::vector<std::string_view> field_names(const Profile& profile, FieldMask mask);

}  // namespace iii::search
