// The keys that frames are made of, and the top-level members of one received frame. Internal to
// this room.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "bus/protocol/frame.h"
#include "foundation/base/result.h"
#include "foundation/json/slice.h"

namespace iii::protocol {

enum class Key : uint8_t {
  kType,
  kId,
  kDescription,
  kRequestFormat,
  kResponseFormat,
  kMetadata,
  kInvocation,
  kTriggerRequestFormat,
  kCallRequestFormat,
  kNamespace,
  kTriggerType,
  kFunctionId,
  kConfig,
  kTriggerNamespace,
  kError,
  kInvocationId,
  kData,
  kAction,
  kTraceparent,
  kBaggage,
  kResult,
  kWorkerId,
  kReattachToken,
  kPreviousWorkerId,
  kName,
  kCode,
  kWorkerName,
  kOwnerWorkerId,
  kSource,
  kTarget,
  kMaxFires,
  kExpiresInMs,
  kMaxInFlight,
  kState,
  kReason,
  kFires,
  kWarnings,
  kRevision,
  kLocalDispatch,
  kObservers,
  kObserver,
  kItems,
  kObserve,
  kArgsFormat,
  kPrivate,
  kObservable,
  kCaller,
  kActivation,
  kObserveDepth,
  kMatched,
  kDelivered,
  kFeatures,
  kCount,
};

// Values by key. Strings with escapes are resolved into scratch memory that lives until reset().
class Members {
 public:
  void reset();
  void add(json::Slice quoted_key, json::Slice value);

  bool has(Key key) const { return seen_[static_cast<size_t>(key)]; }
  bool repeated(Key key) const { return repeated_[static_cast<size_t>(key)]; }
  json::Slice at(Key key) const { return values_[static_cast<size_t>(key)]; }
  // The content of a JSON string; `value` must be one.
  Text text(json::Slice value);

  // No text of this frame has an escape.
  void set_plain(bool plain) { plain_ = plain; }
  // Whether `data` names a caller of its own, when that was seen on the way.
  void set_data_claims_caller(bool claims) { data_claims_caller_ = claims; }
  std::optional<bool> data_claims_caller() const { return data_claims_caller_; }

 private:
  std::array<json::Slice, static_cast<size_t>(Key::kCount)> values_;
  std::bitset<static_cast<size_t>(Key::kCount)> seen_;
  std::bitset<static_cast<size_t>(Key::kCount)> repeated_;
  std::deque<std::string> scratch_;
  bool plain_ = false;
  std::optional<bool> data_claims_caller_;
};

// Types and required fields checked; an Error says what is wrong with the frame.
Result<Frame> build_frame(Members& members);

}  // namespace iii::protocol
