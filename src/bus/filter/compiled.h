// A parsed filter. Used inside this room only.
#pragma once

#include <string>
#include <vector>

#include "bus/filter/filter.h"

namespace iii::filter {

struct Path {
  Part root = Part::kInput;
  std::vector<std::string> segments;
  std::string text;  // as written
};

struct Clause;

// Clauses that must all hold.
struct Group {
  std::vector<Clause> clauses;
};

enum class Op : uint8_t {
  kEqual,
  kNotEqual,
  kIn,
  kNotIn,
  kGreater,
  kGreaterOrEqual,
  kLess,
  kLessOrEqual,
  kExists,
  kPrefix,
  kAny
};

struct Operator {
  Op op = Op::kEqual;
  json::Value operand;             // a set is sorted by `order`
  std::vector<Operator> elements;  // kAny over operators
  Group group;                     // kAny over a filter
};

struct Clause {
  enum class Kind : uint8_t { kPath, kOr, kNot };
  Kind kind = Kind::kPath;
  Path path;
  std::vector<Operator> operators;
  std::vector<Group> groups;  // kNot has one
};

// A total order in which equal values (filter.h) compare as 0.
int order(const json::Value& a, const json::Value& b);

// The index that a segment means in an array, or npos.
size_t array_index(std::string_view segment);

}  // namespace iii::filter
