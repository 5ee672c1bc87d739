// JSON to a compiled filter, and to its normal form in the same pass.
#include <algorithm>
#include <array>
#include <optional>

#include "bus/filter/compiled.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::filter {

namespace {

struct OperatorName {
  std::string_view name;
  Op op;
};

constexpr std::array<OperatorName, 11> kOperators{{{"$eq", Op::kEqual},
                                                   {"$ne", Op::kNotEqual},
                                                   {"$in", Op::kIn},
                                                   {"$nin", Op::kNotIn},
                                                   {"$gt", Op::kGreater},
                                                   {"$gte", Op::kGreaterOrEqual},
                                                   {"$lt", Op::kLess},
                                                   {"$lte", Op::kLessOrEqual},
                                                   {"$exists", Op::kExists},
                                                   {"$prefix", Op::kPrefix},
                                                   {"$any", Op::kAny}}};

constexpr std::array<std::string_view, 6> kPartNames{"input",  "output",   "error",
                                                     "caller", "metadata", "@"};

std::optional<Op> find_operator(std::string_view name) {
  const auto* found = std::ranges::find(kOperators, name, &OperatorName::name);
  return found == kOperators.end() ? std::nullopt : std::optional(found->op);
}

bool is_combinator(std::string_view key) { return key == "$and" || key == "$or" || key == "$not"; }

std::unexpected<Error> invalid(const std::string& message) {
  return fail("INVALID_FILTER", message);
}

std::string shown(std::string_view text) { return "`" + std::string(utf8_prefix(text, 80)) + "`"; }

std::string over(std::string_view what, size_t limit) {
  return "The filter has more than " + std::to_string(limit) + " " + std::string(what) +
         ", which is the limit.";
}

size_t depth_of(const json::Value& value) {
  size_t deepest = 0;
  if (const json::Array* array = value.as_array()) {
    for (const json::Value& item : *array) deepest = std::max(deepest, depth_of(item));
    return deepest + 1;
  }
  if (const json::Object* object = value.as_object()) {
    for (const auto& [key, item] : *object) deepest = std::max(deepest, depth_of(item));
    return deepest + 1;
  }
  return 0;
}

bool numbers_fit(const json::Value& value) {
  if (const int64_t* i = value.as_int()) return *i >= -kMaxNumber && *i <= kMaxNumber;
  if (value.as_uint() != nullptr) return false;
  if (const double* d = value.as_double()) {
    return *d >= -static_cast<double>(kMaxNumber) && *d <= static_cast<double>(kMaxNumber);
  }
  if (const json::Array* array = value.as_array()) {
    return std::ranges::all_of(*array, numbers_fit);
  }
  if (const json::Object* object = value.as_object()) {
    return std::ranges::all_of(*object, [](const auto& item) { return numbers_fit(item.second); });
  }
  return true;
}

Result<void> check_literal(std::string_view name, const json::Value& value) {
  if (depth_of(value) > kMaxLiteralDepth) {
    return invalid(over("levels in the operand of " + std::string(name), kMaxLiteralDepth));
  }
  if (!numbers_fit(value)) {
    return invalid("A number in the operand of " + std::string(name) +
                   " is not within ±2^53. Larger numbers are not exact; compare them as strings.");
  }
  return {};
}

Result<std::vector<std::string>> split_path(std::string_view text) {
  std::vector<std::string> segments(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      segments.emplace_back();
    } else if (text[i] != '\\') {
      segments.back() += text[i];
    } else if (i + 1 < text.size() && (text[i + 1] == '.' || text[i + 1] == '\\')) {
      segments.back() += text[++i];
    } else {
      return invalid("The path " + shown(text) +
                     " has a `\\` that escapes nothing. Write `\\.` for a dot in a key and `\\\\` "
                     "for a backslash.");
    }
  }
  if (std::ranges::any_of(segments, &std::string::empty)) {
    return invalid("The path " + shown(text) + " has an empty segment.");
  }
  return segments;
}

Result<Path> parse_path(std::string_view text, bool inside_any) {
  auto segments = split_path(text);
  if (!segments) return std::unexpected(segments.error());
  const auto* name = std::ranges::find(kPartNames, segments->front());
  const auto part = static_cast<Part>(name - kPartNames.begin());
  if (name == kPartNames.end() || (part == Part::kElement) != inside_any) {
    return invalid("The path " + shown(text) +
                   (inside_any ? " must begin with `@`, the element that `$any` looks at."
                               : " must begin with `input`, `output`, `error`, `caller` or "
                                 "`metadata`."));
  }
  if (segments->size() - 1 > kMaxSegments) return invalid(over("segments in a path", kMaxSegments));
  segments->erase(segments->begin());
  return Path{part, std::move(*segments), std::string(text)};
}

// A clause with its normal form, by which clauses are sorted and compared.
struct Normal {
  std::string key;
  json::Value operand;
  std::string text;  // of the operand
  Clause clause;
};

class Parser {
 public:
  uint8_t parts = 0;
  size_t scans = 0;

  Result<Group> filter(const json::Value& value, size_t level, bool inside_any,
                       json::Value& normal) {
    if (level > kMaxLevels) return invalid(over("levels", kMaxLevels));
    std::vector<Normal> found;
    if (auto ok = collect(value, level, inside_any, found); !ok) {
      return std::unexpected(ok.error());
    }
    std::ranges::sort(found, [](const Normal& a, const Normal& b) {
      return std::tie(a.key, a.text) < std::tie(b.key, b.text);
    });
    const auto repeated = std::ranges::unique(
        found, [](const Normal& a, const Normal& b) { return a.key == b.key && a.text == b.text; });
    found.erase(repeated.begin(), repeated.end());
    Group group;
    json::Array written;
    for (Normal& one : found) {
      group.clauses.push_back(std::move(one.clause));
      written.emplace_back(json::Object{{std::move(one.key), std::move(one.operand)}});
    }
    normal = written.empty() ? json::Object{} : json::Object{{"$and", std::move(written)}};
    return group;
  }

 private:
  // The clauses of a filter; those of `$and` belong to it, at the same level.
  Result<void> collect(const json::Value& value, size_t level, bool inside_any,
                       std::vector<Normal>& into) {
    const json::Object* object = value.as_object();
    if (object == nullptr) return invalid("A filter must be an object.");
    for (const auto& [key, operand] : *object) {
      auto done = key == "$and" ? conjunction(operand, level, inside_any, into)
                                : add(key, operand, level, inside_any, into);
      if (!done) return done;
    }
    return {};
  }

  Result<void> conjunction(const json::Value& value, size_t level, bool inside_any,
                           std::vector<Normal>& into) {
    const json::Array* filters = value.as_array();
    if (filters == nullptr || filters->empty()) {
      return invalid("`$and` takes a non-empty array of filters.");
    }
    for (const json::Value& one : *filters) {
      if (auto done = collect(one, level, inside_any, into); !done) return done;
    }
    return {};
  }

  Result<void> add(const std::string& key, const json::Value& operand, size_t level,
                   bool inside_any, std::vector<Normal>& into) {
    Normal one{.key = key, .operand = {}, .text = {}, .clause = {}};
    Result<void> done;
    if (key == "$or") {
      done = disjunction(operand, level, inside_any, one);
    } else if (key == "$not") {
      done = negation(operand, level, inside_any, one);
    } else if (key.starts_with('$')) {
      return invalid(shown(key) + (find_operator(key)
                                       ? " needs a path: {\"input.key\": {\"" + key + "\": …}}."
                                       : " is not `$and`, `$or` or `$not`."));
    } else {
      done = path_clause(operand, level, inside_any, one);
    }
    if (!done) return done;
    one.text = json::to_text(one.operand);
    into.push_back(std::move(one));
    return {};
  }

  Result<void> disjunction(const json::Value& value, size_t level, bool inside_any, Normal& one) {
    const json::Array* filters = value.as_array();
    if (filters == nullptr || filters->empty()) {
      return invalid("`$or` takes a non-empty array of filters.");
    }
    if (auto counted = count(); !counted) return counted;
    one.clause.kind = Clause::Kind::kOr;
    json::Array written;
    for (const json::Value& each : *filters) {
      auto group = filter(each, level + 1, inside_any, written.emplace_back());
      if (!group) return std::unexpected(group.error());
      one.clause.groups.push_back(std::move(*group));
    }
    one.operand = std::move(written);
    return {};
  }

  Result<void> negation(const json::Value& value, size_t level, bool inside_any, Normal& one) {
    if (value.as_object() == nullptr) return invalid("`$not` takes one filter, an object.");
    if (auto counted = count(); !counted) return counted;
    one.clause.kind = Clause::Kind::kNot;
    auto group = filter(value, level + 1, inside_any, one.operand);
    if (!group) return std::unexpected(group.error());
    one.clause.groups.push_back(std::move(*group));
    return {};
  }

  Result<void> path_clause(const json::Value& operand, size_t level, bool inside_any, Normal& one) {
    auto path = parse_path(one.key, inside_any);
    if (!path) return std::unexpected(path.error());
    const json::Object* object = operand.as_object();
    if (object == nullptr || object->empty()) {
      return invalid("The path " + shown(one.key) +
                     " takes an object of operators, for example {\"$eq\": 1}.");
    }
    if (path->root != Part::kElement) parts |= bit(path->root);
    one.clause.path = std::move(*path);
    auto operators = operator_object(*object, level, inside_any, one.operand);
    if (!operators) return std::unexpected(operators.error());
    one.clause.operators = std::move(*operators);
    return {};
  }

  Result<std::vector<Operator>> operator_object(const json::Object& object, size_t level,
                                                bool inside_any, json::Value& normal) {
    std::vector<Operator> operators;
    json::Object written;
    for (const auto& [name, operand] : object) {
      const auto op = find_operator(name);
      if (!op) {
        return invalid(shown(name) +
                       " is not an operator. Next: use $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, "
                       "$exists, $prefix or $any.");
      }
      if (auto counted = count(); !counted) return std::unexpected(counted.error());
      if (inside_any) ++scans;
      auto parsed = parse_operator(*op, name, operand, level, written[name]);
      if (!parsed) return std::unexpected(parsed.error());
      operators.push_back(std::move(*parsed));
    }
    normal = std::move(written);
    return operators;
  }

  Result<Operator> parse_operator(Op op, const std::string& name, const json::Value& operand,
                                  size_t level, json::Value& normal) {
    if (op == Op::kAny) return any(operand, level, normal);
    if (auto fits = check_operand(op, name, operand); !fits) return std::unexpected(fits.error());
    normal = operand;
    Operator parsed{.op = op, .operand = operand, .elements = {}, .group = {}};
    if (json::Array* set = parsed.operand.as_array();
        set != nullptr && (op == Op::kIn || op == Op::kNotIn)) {
      std::ranges::sort(*set, [](const auto& a, const auto& b) { return order(a, b) < 0; });
    }
    return parsed;
  }

  static Result<void> check_operand(Op op, const std::string& name, const json::Value& operand) {
    switch (op) {
      case Op::kEqual:
      case Op::kNotEqual:
        return check_literal(name, operand);
      case Op::kIn:
      case Op::kNotIn: {
        const json::Array* set = operand.as_array();
        if (set == nullptr) return invalid(name + " takes an array.");
        if (set->size() > kMaxSetItems) return invalid(over("items in a set", kMaxSetItems));
        for (const json::Value& item : *set) {
          if (auto fits = check_literal(name, item); !fits) return fits;
        }
        return {};
      }
      case Op::kExists:
        if (operand.as_bool() == nullptr) return invalid("$exists takes true or false.");
        return {};
      case Op::kPrefix:
        if (operand.as_string() == nullptr) return invalid("$prefix takes a string.");
        return {};
      default:
        if (!operand.is_number() && operand.as_string() == nullptr) {
          return invalid(name + " takes a number or a string.");
        }
        return check_literal(name, operand);
    }
  }

  Result<Operator> any(const json::Value& operand, size_t level, json::Value& normal) {
    const json::Object* object = operand.as_object();
    if (object == nullptr) {
      return invalid("$any takes an object of operators, or a filter whose paths begin with `@`.");
    }
    if (level + 1 > kMaxLevels) return invalid(over("levels", kMaxLevels));
    ++scans;
    Operator parsed{.op = Op::kAny, .operand = {}, .elements = {}, .group = {}};
    const bool over_operators = std::ranges::any_of(*object, [](const auto& item) {
      return item.first.starts_with('$') && !is_combinator(item.first);
    });
    if (over_operators) {
      auto operators = operator_object(*object, level + 1, true, normal);
      if (!operators) return std::unexpected(operators.error());
      parsed.elements = std::move(*operators);
    } else {
      auto group = filter(operand, level + 1, true, normal);
      if (!group) return std::unexpected(group.error());
      parsed.group = std::move(*group);
    }
    return parsed;
  }

  Result<void> count() {
    if (++nodes_ > kMaxNodes) return invalid(over("operators, `$or` and `$not`", kMaxNodes));
    return {};
  }

  size_t nodes_ = 0;
};

}  // namespace

std::string_view part_name(Part part) { return kPartNames.at(static_cast<size_t>(part)); }

Filter::Filter() : root_(std::make_shared<Group>()), normal_(json::Object{}) {}

Result<Filter> Filter::parse(const json::Value& value) {
  if (depth_of(value) > kMaxDepth) return invalid(over("levels of JSON", kMaxDepth));
  if (json::to_text(value).size() > kMaxBytes) return invalid(over("bytes", kMaxBytes));
  Parser parser;
  Filter filter;
  auto group = parser.filter(value, 1, false, filter.normal_);
  if (!group) return std::unexpected(group.error());
  filter.root_ = std::make_shared<const Group>(std::move(*group));
  filter.parts_ = parser.parts;
  filter.scans_ = parser.scans;
  return filter;
}

}  // namespace iii::filter
