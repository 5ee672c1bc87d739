#include "bus/engine/state/update_ops.h"

#include <algorithm>
#include <utility>

#include "bus/engine/builtin.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

constexpr std::string_view kDocUrl = "https://iii.dev/docs/workers/iii-state#error-codes";

using json::Array;
using json::Object;
using json::Value;

// Why an op fails: the part of the code behind the op's name, and the sentence.
struct Refusal {
  std::string_view code;
  std::string message;
};
using Applied = std::optional<Refusal>;  // nothing: it was applied

std::string_view name_of(UpdateKind kind) {
  switch (kind) {
    case UpdateKind::kSet:
      return "set";
    case UpdateKind::kMerge:
      return "merge";
    case UpdateKind::kIncrement:
      return "increment";
    case UpdateKind::kDecrement:
      return "decrement";
    case UpdateKind::kAppend:
      return "append";
    case UpdateKind::kRemove:
      return "remove";
  }
  return "";
}

// Keys that would reach into the prototypes of JavaScript objects.
bool is_polluting(std::string_view key) {
  return key == "__proto__" || key == "constructor" || key == "prototype";
}

std::string listed(const std::vector<std::string>& path) {
  std::string out = "[";
  for (const std::string& segment : path) out += (out.size() > 1 ? ", " : "") + segment;
  return out + "]";
}

std::string shown(const std::vector<std::string>& path) {
  if (path.empty()) return "root";
  return path.size() == 1 ? path.front() : listed(path);
}

Applied not_an_object(const UpdateOp& op, const std::string& path, const Value& target) {
  return Refusal{"target_not_object", "Cannot " + std::string(name_of(op.kind)) + " at path '" +
                                          path + "': target is " + std::string(target.kind_name()) +
                                          ", expected object."};
}

Applied check_path(const std::vector<std::string>& path) {
  if (path.size() > kMaxPathSegments) {
    return Refusal{"path.too_deep", "Path depth " + std::to_string(path.size()) +
                                        " exceeds maximum of " + std::to_string(kMaxPathSegments)};
  }
  for (const std::string& segment : path) {
    if (segment.empty()) return Refusal{"path.empty_segment", "Path contains an empty segment"};
    if (segment.size() > kMaxSegmentBytes) {
      return Refusal{"path.segment_too_long", "Path segment of " + std::to_string(segment.size()) +
                                                  " bytes exceeds maximum of " +
                                                  std::to_string(kMaxSegmentBytes)};
    }
    if (is_polluting(segment)) {
      return Refusal{"path.proto_polluted",
                     "Path segment '" + segment + "' is not allowed (prototype pollution)."};
    }
  }
  return std::nullopt;
}

Applied check_merge_value(const Value& value) {
  const Object* object = value.as_object();
  if (object == nullptr) {
    return Refusal{"value.not_an_object", "Merge value must be a JSON object"};
  }
  if (object->size() > kMaxMergeKeys) {
    return Refusal{"value.too_many_keys", "Merge value has " + std::to_string(object->size()) +
                                              " top-level keys, exceeds maximum of " +
                                              std::to_string(kMaxMergeKeys)};
  }
  for (const auto& [key, member] : *object) {
    if (is_polluting(key)) {
      return Refusal{"value.proto_polluted",
                     "Merge value top-level key \"" + key + "\" is a prototype-pollution sink"};
    }
  }
  if (const size_t depth = depth_of(value); depth > kMaxMergeDepth) {
    return Refusal{"value.too_deep", "Merge value JSON nesting depth " + std::to_string(depth) +
                                         " exceeds maximum of " + std::to_string(kMaxMergeDepth)};
  }
  return std::nullopt;
}

// The member, created or replaced so that it is an object.
Value& object_at(Value& parent, const std::string& key) {
  Value& child = (*parent.as_object())[key];
  if (child.as_object() == nullptr) child = Object{};
  return child;
}

// Nothing when the sum leaves 64 bits.
std::optional<Value> sum(const Value& number, int64_t by, bool negative) {
  if (const double* d = number.as_double()) {
    const auto step = static_cast<double>(by);
    return Value(negative ? *d - step : *d + step);
  }
  // The built-ins compute as if without end, and say whether the result fits.
  const auto fits = [&](auto base, auto& result) {
    return !(negative ? __builtin_sub_overflow(base, by, &result)
                      : __builtin_add_overflow(base, by, &result));
  };
  const auto is_sum = [&](auto& result) {
    return number.as_int() != nullptr ? fits(*number.as_int(), result)
                                      : fits(*number.as_uint(), result);
  };
  if (int64_t result = 0; is_sum(result)) return Value(result);
  if (uint64_t result = 0; is_sum(result)) return Value(result);
  return std::nullopt;
}

class Applier {
 public:
  explicit Applier(std::optional<Value> stored)
      : defaulted_(!stored), value_(stored ? std::move(*stored) : Value(Object{})) {}

  Applied apply(UpdateOp& op) {
    if (Applied refused = check_path(op.path)) return refused;
    switch (op.kind) {
      case UpdateKind::kSet:
        return set(op);
      case UpdateKind::kMerge:
        return merge(op);
      case UpdateKind::kIncrement:
      case UpdateKind::kDecrement:
        return count(op);
      case UpdateKind::kAppend:
        return append(op);
      case UpdateKind::kRemove:
        return remove(op);
    }
    return std::nullopt;
  }

  Value take() { return std::move(value_); }

 private:
  // Once an op has changed the value it is no longer the stand-in for a missing one.
  Applied changed() {
    defaulted_ = false;
    return std::nullopt;
  }

  Applied set(UpdateOp& op) {
    if (op.path.empty()) {
      value_ = std::move(op.value);
      return changed();
    }
    Object* object = value_.as_object();
    if (object == nullptr) return not_an_object(op, shown(op.path), value_);
    object->insert_or_assign(op.path.front(), std::move(op.value));
    return changed();
  }

  Applied merge(UpdateOp& op) {
    if (Applied refused = check_merge_value(op.value)) return refused;
    Value* target = &value_;
    if (op.path.empty()) {
      if (value_.as_object() == nullptr) return std::nullopt;
    } else {
      if (value_.as_object() == nullptr) value_ = Object{};
      for (const std::string& segment : op.path) target = &object_at(*target, segment);
    }
    for (auto& [key, member] : *op.value.as_object()) {
      target->as_object()->insert_or_assign(key, std::move(member));
    }
    return changed();
  }

  Applied count(const UpdateOp& op) {
    const bool negative = op.kind == UpdateKind::kDecrement;
    const Value zero(0);
    Value* target = &value_;
    if (!op.path.empty()) {
      if (value_.as_object() == nullptr) return not_an_object(op, shown(op.path), value_);
      target = &value_.as_object()->try_emplace(op.path.front(), zero).first->second;
    } else if (defaulted_) {
      value_ = zero;
    }
    if (!target->is_number()) {
      return Refusal{"not_number", "Expected number at path '" + shown(op.path) + "', got " +
                                       std::string(target->kind_name()) + "."};
    }
    std::optional<Value> after = sum(*target, op.by, negative);
    if (!after) {
      return Refusal{"not_number",
                     "The result at path '" + shown(op.path) + "' does not fit in 64 bits."};
    }
    *target = std::move(*after);
    return changed();
  }

  Applied append(UpdateOp& op) {
    if (op.path.empty()) {
      Value null;
      return append_to(defaulted_ ? (value_ = null) : value_, op, true);
    }
    if (value_.as_object() == nullptr) return not_an_object(op, listed(op.path), value_);
    Value* parent = &value_;
    for (size_t i = 0; i + 1 < op.path.size(); ++i) parent = &object_at(*parent, op.path[i]);
    Object& object = *parent->as_object();
    const auto leaf = object.find(op.path.back());
    if (leaf != object.end()) return append_to(leaf->second, op, true);
    // Below the first level a missing leaf always becomes a list.
    Value fresh;
    append_to(fresh, op, op.path.size() == 1);
    object.emplace(op.path.back(), std::move(fresh));
    return changed();
  }

  Applied append_to(Value& target, UpdateOp& op, bool keep_string) {
    if (Array* array = target.as_array()) {
      array->push_back(std::move(op.value));
      return changed();
    }
    if (target.is_null()) {
      if (keep_string && op.value.as_string() != nullptr) {
        target = std::move(op.value);
      } else {
        Array list;
        list.push_back(std::move(op.value));
        target = std::move(list);
      }
      return changed();
    }
    std::string* text = target.as_string();
    if (text == nullptr) {
      return Refusal{"type_mismatch", "Cannot append at path '" + shown(op.path) + "': target is " +
                                          std::string(target.kind_name()) +
                                          ", expected array, string, null, or missing field."};
    }
    const std::string* more = op.value.as_string();
    if (more == nullptr) {
      return Refusal{"type_mismatch", "Expected string append value at path '" + shown(op.path) +
                                          "', got " + std::string(op.value.kind_name()) + "."};
    }
    *text += *more;
    return changed();
  }

  Applied remove(const UpdateOp& op) {
    if (op.path.empty()) {
      value_ = nullptr;
      return changed();
    }
    Object* object = value_.as_object();
    if (object == nullptr) return not_an_object(op, shown(op.path), value_);
    object->erase(op.path.front());
    return changed();
  }

  bool defaulted_;
  Value value_;
};

}  // namespace

size_t depth_of(const Value& value) {
  size_t inner = 0;
  if (const Array* array = value.as_array()) {
    for (const Value& element : *array) inner = std::max(inner, depth_of(element));
  } else if (const Object* object = value.as_object()) {
    for (const auto& [key, member] : *object) inner = std::max(inner, depth_of(member));
  } else {
    return 0;
  }
  return inner + 1;
}

Updated apply_update_ops(std::optional<Value> stored, std::vector<UpdateOp> ops) {
  Updated out;
  Applier applier(std::move(stored));
  for (size_t i = 0; i < ops.size(); ++i) {
    const Applied refused = applier.apply(ops[i]);
    if (!refused) {
      ++out.applied;
      continue;
    }
    out.errors.push_back({std::string(name_of(ops[i].kind)) + "." + std::string(refused->code),
                          std::string(kDocUrl), refused->message, i});
  }
  out.value = applier.take();
  return out;
}

Result<UpdatedText> updated_text(const SharedText& stored, std::string_view ops_text,
                                 const UpdateLimits& limits) {
  if (const size_t count = count_ops(ops_text); count > limits.max_ops) {
    return fail("UPDATE_ERROR", std::to_string(count) + " ops in one update, at most " +
                                    std::to_string(limits.max_ops) + " are allowed");
  }
  Result<std::vector<UpdateOp>> ops = parse_update_ops(ops_text);
  if (!ops) return std::unexpected(builtin_detail::decode_error("state::update", ops.error()));
  std::optional<Value> before;
  if (stored) {
    Result<Value> parsed = json::parse(*stored);
    if (!parsed) return fail("UPDATE_ERROR", parsed.error().message);
    before = std::move(*parsed);
  }
  Updated updated = apply_update_ops(std::move(before), std::move(*ops));
  if (depth_of(updated.value) > limits.max_depth) {
    return fail("UPDATE_ERROR",
                "the value would nest deeper than " + std::to_string(limits.max_depth) + " levels");
  }
  UpdatedText out;
  // A value that no op touched keeps the very text it was stored with.
  out.value = stored && updated.applied == 0 ? stored : shared_text(json::to_text(updated.value));
  if (out.value->size() > limits.max_bytes) {
    return fail("VALUE_TOO_LARGE", "the value would have " + std::to_string(out.value->size()) +
                                       " bytes, more than the " + std::to_string(limits.max_bytes) +
                                       " allowed");
  }
  if (!updated.errors.empty()) out.errors = std::move(updated.errors);
  return out;
}

}  // namespace iii::engine
