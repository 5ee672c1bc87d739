// Call: what a handler may know about the call it answers, and its way to call others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bus/sdk/calls.h"
#include "foundation/json/slice.h"

namespace iii::sdk {

// A small value: copy it freely, keep it no longer than the worker. Calls made through it carry on
// the trace context (traceparent, baggage) of the call being answered.
class Call : public Calls<Call> {
 public:
  Call(Core& core, std::shared_ptr<const Invocation> invocation)
      : core_(&core), invocation_(std::move(invocation)) {}

  const std::string& function_id() const { return invocation_->function_id; }
  // False for a call whose sender wants no answer.
  bool is_answerable() const { return invocation_->id.has_value(); }
  // The payload as it came, `_caller_worker_id` included.
  const std::string& payload() const { return invocation_->data; }
  // Who called, as the engine attests it; empty for calls of the engine itself and for payloads
  // that are not objects.
  std::string caller_worker_id() const {
    if (json::kind_of(json::trimmed(payload())) != json::Kind::kObject) return {};
    const auto caller = json::member(json::trimmed(payload()), protocol::kCallerKey);
    return caller && json::kind_of(*caller) == json::Kind::kString ? json::string_of(*caller)
                                                                   : std::string();
  }
  std::optional<json::Raw> metadata() const {
    if (!invocation_->metadata) return std::nullopt;
    return json::Raw{*invocation_->metadata};
  }
  const std::optional<std::string>& traceparent() const { return invocation_->traceparent; }
  const std::optional<std::string>& baggage() const { return invocation_->baggage; }
  // How many activations of observers led to this call: 0 outside of them.
  uint64_t observe_depth() const { return invocation_->observe_depth; }

  Core& core() const { return *core_; }
  void add_context(OutgoingCall& call) const {
    if (invocation_->traceparent) call.traceparent = *invocation_->traceparent;
    if (invocation_->baggage) call.baggage = *invocation_->baggage;
    call.observe_depth = invocation_->observe_depth;
  }

 private:
  Core* core_;
  std::shared_ptr<const Invocation> invocation_;
};

}  // namespace iii::sdk
