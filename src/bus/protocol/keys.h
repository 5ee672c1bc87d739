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

// Every key at the top of a frame.
inline constexpr auto kKeys = std::to_array<std::string_view>({"type",
                                                               "id",
                                                               "description",
                                                               "request_format",
                                                               "response_format",
                                                               "metadata",
                                                               "invocation",
                                                               "trigger_request_format",
                                                               "call_request_format",
                                                               "namespace",
                                                               "trigger_type",
                                                               "function_id",
                                                               "config",
                                                               "trigger_namespace",
                                                               "error",
                                                               "invocation_id",
                                                               "data",
                                                               "action",
                                                               "traceparent",
                                                               "baggage",
                                                               "result",
                                                               "worker_id",
                                                               "reattach_token",
                                                               "previous_worker_id",
                                                               "name",
                                                               "code",
                                                               "worker_name",
                                                               "owner_worker_id",
                                                               "source",
                                                               "target",
                                                               "max_fires",
                                                               "expires_in_ms",
                                                               "max_in_flight",
                                                               "state",
                                                               "reason",
                                                               "fires",
                                                               "warnings",
                                                               "revision",
                                                               "local_dispatch",
                                                               "observers",
                                                               "observer",
                                                               "items",
                                                               "observe",
                                                               "args_format",
                                                               "private",
                                                               "observable",
                                                               "caller",
                                                               "activation",
                                                               "observe_depth",
                                                               "matched",
                                                               "delivered",
                                                               "features"});

// A key by its name. A name that is not in kKeys does not compile.
class Key {
 public:
  consteval Key(const char* name) {  // NOLINT(google-explicit-constructor): written as its name
    while (kKeys[index_] != name) ++index_;
  }
  constexpr size_t index() const { return index_; }
  constexpr std::string_view name() const { return kKeys[index_]; }

 private:
  size_t index_ = 0;
};

// Values by key. Strings with escapes are resolved into scratch memory that lives until reset().
class Members {
 public:
  void reset();
  void add(json::Slice quoted_key, json::Slice value);

  bool has(Key key) const { return seen_[key.index()]; }
  bool repeated(Key key) const { return repeated_[key.index()]; }
  bool absent(Key key) const { return !has(key) || at(key) == "null"; }
  json::Slice at(Key key) const { return values_[key.index()]; }
  // The content of a JSON string; `value` must be one.
  Text text(json::Slice value);

  // No text of this frame has an escape.
  void set_plain(bool plain) { plain_ = plain; }
  // Whether `data` names a caller of its own, when that was seen on the way.
  void set_data_claims_caller(bool claims) { data_claims_caller_ = claims; }
  std::optional<bool> data_claims_caller() const { return data_claims_caller_; }

 private:
  std::array<json::Slice, kKeys.size()> values_;
  std::bitset<kKeys.size()> seen_;
  std::bitset<kKeys.size()> repeated_;
  std::deque<std::string> scratch_;
  bool plain_ = false;
  std::optional<bool> data_claims_caller_;
};

// In reader.cpp. Types and required fields checked; an Error says what is wrong with the frame.
Result<Frame> build_frame(Members& members);

}  // namespace iii::protocol
