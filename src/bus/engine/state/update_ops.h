// The ops of state::update, as pure functions on JSON values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/state/schemas.h"
#include "bus/engine/store/store.h"
#include "foundation/base/result.h"
#include "foundation/json/slice.h"
#include "foundation/json/value.h"

namespace iii::engine {

enum class UpdateKind { kSet, kMerge, kIncrement, kDecrement, kAppend, kRemove };

struct UpdateOp {
  UpdateKind kind = UpdateKind::kSet;
  std::vector<std::string> path;  // keys taken literally; empty is the root
  json::Value value;              // set, merge, append
  int64_t by = 0;                 // increment, decrement
};

inline constexpr size_t kMaxPathSegments = 32;
inline constexpr size_t kMaxSegmentBytes = 256;
inline constexpr size_t kMaxMergeKeys = 1024;
inline constexpr size_t kMaxMergeDepth = 16;

// 0 for what is not an array.
size_t count_ops(json::Slice ops);
// The error's message is the reason alone, worded like those of described types.
Result<std::vector<UpdateOp>> parse_update_ops(json::Slice ops);
// What is published as the schema of `ops`.
json::Value update_ops_schema();

struct Updated {
  json::Value value;
  std::vector<StateUpdateError> errors;
  size_t applied = 0;  // ops that did not fail
};

// Applies the ops in order to the stored value, or to a fresh one when the key is missing. An op
// that fails is left out and reported; the others still apply.
Updated apply_update_ops(std::optional<json::Value> stored, std::vector<UpdateOp> ops);

// What a stored value becomes, as text.
struct UpdatedText {
  SharedText value;  // the stored text itself when no op was applied
  std::optional<std::vector<StateUpdateError>> errors;  // nothing when every op was applied
};
struct UpdateLimits {
  size_t max_ops = 10'000;
  size_t max_depth = 125;
  size_t max_bytes = 16 * 1024 * 1024;
};
// Decodes the ops, applies them to the stored text (null: the key is missing) and writes the
// result. A pure function: it runs on another thread when the texts are large. Errors are those of
// state::update.
Result<UpdatedText> updated_text(const SharedText& stored, std::string_view ops,
                                 const UpdateLimits& limits);

// Levels of arrays and objects; a scalar has none.
size_t depth_of(const json::Value& value);

}  // namespace iii::engine
