// Filters of observers: which calls of a function reach an observer (docs/protocol/observers.md).
// A filter is a JSON object; it is parsed once, with all limits, and then never fails. Pure: JSON
// values in, a verdict out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::filter {

inline constexpr size_t kMaxBytes = 8192;                // as compact JSON
inline constexpr size_t kMaxLevels = 8;                  // `$or`, `$not` and `$any` open one
inline constexpr size_t kMaxNodes = 64;                  // operators, `$or` and `$not`
inline constexpr size_t kMaxSegments = 16;               // of a path, after its root
inline constexpr size_t kMaxSetItems = 256;              // of `$in` and `$nin`
inline constexpr size_t kMaxLiteralDepth = 32;           // arrays and objects inside an operand
inline constexpr size_t kMaxDepth = 120;                 // of the whole filter
inline constexpr int64_t kMaxNumber = int64_t{1} << 53;  // of a numeric operand, either sign

// The parts of a call that a path can begin with; kElement is `@`, inside `$any` only.
enum class Part : uint8_t { kInput, kOutput, kError, kCaller, kMetadata, kElement };
inline constexpr size_t kPartCount = 5;  // without kElement
std::string_view part_name(Part part);
constexpr uint8_t bit(Part part) { return static_cast<uint8_t>(1U << static_cast<unsigned>(part)); }

// What is known of one call. nullptr: that part is absent, which differs from null.
struct Document {
  const json::Value* parts[kPartCount] = {};

  const json::Value*& operator[](Part part) { return parts[static_cast<size_t>(part)]; }
  const json::Value* operator[](Part part) const { return parts[static_cast<size_t>(part)]; }
};

struct Group;  // compiled.h

class Filter {
 public:
  Filter();  // matches every call

  // The error has the code INVALID_FILTER.
  static Result<Filter> parse(const json::Value& value);

  bool matches(const Document& document) const;
  bool matches_all() const;
  // The parts that `matches` looks at, as bits; others need not be given.
  uint8_t parts() const { return parts_; }
  // How many operators look at every element of an array. The work of `matches` is at most
  // (1 + scans) × the size of the document, and small when this is 0.
  size_t scans() const { return scans_; }
  // The same filter in the one form that equal filters share: clauses sorted, duplicates dropped.
  const json::Value& normal_form() const { return normal_; }

  // Compares the paths with the JSON Schemas that the function has published (nullptr: none).
  // Gives the paths that could not be checked; INVALID_FILTER_PATH when a path can never exist.
  Result<std::vector<std::string>> check_paths(const json::Value* request,
                                               const json::Value* response) const;

 private:
  std::shared_ptr<const Group> root_;
  json::Value normal_;
  uint8_t parts_ = 0;
  size_t scans_ = 0;
};

// Deep equality as filters see it: numbers as doubles, key order ignored.
bool equal(const json::Value& a, const json::Value& b);

}  // namespace iii::filter
