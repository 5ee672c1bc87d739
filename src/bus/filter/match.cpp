#include <algorithm>
#include <charconv>

#include "bus/filter/compiled.h"

namespace iii::filter {

namespace {

int kind_rank(const json::Value& value) {
  if (value.is_null()) return 0;
  if (value.as_bool() != nullptr) return 1;
  if (value.is_number()) return 2;
  if (value.as_string() != nullptr) return 3;
  return value.as_array() != nullptr ? 4 : 5;
}

double number(const json::Value& value) {
  if (const int64_t* i = value.as_int()) return static_cast<double>(*i);
  if (const uint64_t* u = value.as_uint()) return static_cast<double>(*u);
  return *value.as_double();
}

template <typename T>
int compare(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

int order_arrays(const json::Array& a, const json::Array& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int different = order(a[i], b[i])) return different;
  }
  return compare(a.size(), b.size());
}

int order_objects(const json::Object& a, const json::Object& b) {
  if (a.size() != b.size()) return compare(a.size(), b.size());
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
    if (const int different = left->first.compare(right->first)) return different;
    if (const int different = order(left->second, right->second)) return different;
  }
  return 0;
}

const json::Value* step(const json::Value& value, const std::string& segment) {
  if (const json::Array* array = value.as_array()) {
    const size_t index = array_index(segment);
    return index < array->size() ? &(*array)[index] : nullptr;
  }
  return value.find(segment);
}

const json::Value* select(const Path& path, const Document& document, const json::Value* element) {
  const json::Value* value = path.root == Part::kElement ? element : document[path.root];
  for (const std::string& segment : path.segments) {
    if (value == nullptr) return nullptr;
    value = step(*value, segment);
  }
  return value;
}

bool is_ordered(const Operator& op, const json::Value& value) {
  int found = 0;
  if (op.operand.is_number() && value.is_number()) {
    found = compare(number(value), number(op.operand));
  } else if (op.operand.as_string() != nullptr && value.as_string() != nullptr) {
    found = compare(*value.as_string(), *op.operand.as_string());  // by bytes
  } else {
    return false;
  }
  switch (op.op) {
    case Op::kGreater:
      return found > 0;
    case Op::kGreaterOrEqual:
      return found >= 0;
    case Op::kLess:
      return found < 0;
    default:
      return found <= 0;
  }
}

bool is_in(const json::Array& set, const json::Value& value) {
  return std::ranges::binary_search(
      set, value, [](const json::Value& a, const json::Value& b) { return order(a, b) < 0; });
}

bool holds(const Group& group, const Document& document, const json::Value* element);
bool holds(const Operator& op, const Document& document, const json::Value* value);

bool all_hold(const std::vector<Operator>& operators, const Document& document,
              const json::Value* value) {
  return std::ranges::all_of(operators,
                             [&](const Operator& op) { return holds(op, document, value); });
}

bool any_holds(const Operator& op, const Document& document, const json::Value* value) {
  const json::Array* array = value == nullptr ? nullptr : value->as_array();
  return array != nullptr && std::ranges::any_of(*array, [&](const json::Value& element) {
           return all_hold(op.elements, document, &element) && holds(op.group, document, &element);
         });
}

bool holds(const Operator& op, const Document& document, const json::Value* value) {
  switch (op.op) {
    case Op::kEqual:
      return value != nullptr && equal(*value, op.operand);
    case Op::kNotEqual:
      return value == nullptr || !equal(*value, op.operand);
    case Op::kIn:
      return value != nullptr && is_in(*op.operand.as_array(), *value);
    case Op::kNotIn:
      return value == nullptr || !is_in(*op.operand.as_array(), *value);
    case Op::kExists:
      return (value != nullptr) == *op.operand.as_bool();
    case Op::kPrefix:
      return value != nullptr && value->as_string() != nullptr &&
             value->as_string()->starts_with(*op.operand.as_string());
    case Op::kAny:
      return any_holds(op, document, value);
    default:
      return value != nullptr && is_ordered(op, *value);
  }
}

bool holds(const Clause& clause, const Document& document, const json::Value* element) {
  switch (clause.kind) {
    case Clause::Kind::kOr:
      return std::ranges::any_of(
          clause.groups, [&](const Group& group) { return holds(group, document, element); });
    case Clause::Kind::kNot:
      return !holds(clause.groups.front(), document, element);
    case Clause::Kind::kPath:
      break;
  }
  return all_hold(clause.operators, document, select(clause.path, document, element));
}

bool holds(const Group& group, const Document& document, const json::Value* element) {
  return std::ranges::all_of(
      group.clauses, [&](const Clause& clause) { return holds(clause, document, element); });
}

}  // namespace

// Recursion ends with the shallower of both values; one of them is an operand, whose depth is
// limited.
int order(const json::Value& a, const json::Value& b) {
  const int rank = kind_rank(a);
  if (const int different = compare(rank, kind_rank(b))) return different;
  if (rank == 1) return compare(*a.as_bool(), *b.as_bool());
  if (rank == 2) return compare(number(a), number(b));
  if (rank == 3) return a.as_string()->compare(*b.as_string());
  if (rank == 4) return order_arrays(*a.as_array(), *b.as_array());
  if (rank == 5) return order_objects(*a.as_object(), *b.as_object());
  return 0;
}

bool equal(const json::Value& a, const json::Value& b) { return order(a, b) == 0; }

size_t array_index(std::string_view segment) {
  size_t index = 0;
  const char* end = segment.data() + segment.size();
  const auto [stop, error] = std::from_chars(segment.data(), end, index);
  const bool canonical = segment == "0" || !segment.starts_with('0');
  return error == std::errc{} && stop == end && canonical ? index : std::string_view::npos;
}

bool Filter::matches(const Document& document) const { return holds(*root_, document, nullptr); }

bool Filter::matches_all() const { return root_->clauses.empty(); }

}  // namespace iii::filter
