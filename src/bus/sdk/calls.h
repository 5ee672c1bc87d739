// Calling other functions, for everything that can: a worker, and a call that is being handled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bus/sdk/core.h"

namespace iii::sdk {

struct CallOptions {
  std::optional<Millis> timeout = {};      // 30 s unless the worker's options say otherwise
  std::optional<json::Raw> metadata = {};  // travels beside the payload
  std::string name_space = {};             // of the function; the worker's own when empty
  Bound bound = {};                        // set by Worker::fire
};

// What enqueue() comes back with.
struct Receipt {
  std::string message_receipt_id;
};
inline auto describe(json::Type<Receipt>) {
  return json::object<Receipt>(
      "Receipt", "Receipt of a queued message.",
      json::field("messageReceiptId", &Receipt::message_receipt_id, "Given by the engine."));
}

// The payload is any described struct, json::Value, json::Raw, string, number … and the answer is
// decoded into Out (json::Raw when none is named, void when it does not matter).
//
// Self offers `Core& core()` and `void add_context(OutgoingCall&)`.
template <typename Self>
class Calls {
 public:
  template <typename Out = json::Raw>
  Pending<Out> trigger(std::string_view function_id) const {
    return start<Out>(function_id, "null", nullptr, std::nullopt);
  }
  template <typename Out = json::Raw, typename In>
  Pending<Out> trigger(std::string_view function_id, const In& payload) const {
    return start<Out>(function_id, encode_payload(payload), nullptr, std::nullopt);
  }
  template <typename Out = json::Raw, typename In>
  Pending<Out> trigger(std::string_view function_id, const In& payload,
                       const CallOptions& options) const {
    return start<Out>(function_id, encode_payload(payload), &options, std::nullopt);
  }

  // Without a coroutine: `then(Reply<Out>)` is called later, on the loop thread.
  template <typename Out = json::Raw, typename In, typename Then>
  void trigger_then(std::string_view function_id, const In& payload, const CallOptions& options,
                    Then then) const {
    const Result<std::string> data = encode_payload(payload);
    if (!data) {
      return self().core().loop.post([then = std::move(then), error = data.error()]() mutable {
        then(Reply<Out>(std::unexpected(RemoteError{std::move(error), std::nullopt})));
      });
    }
    self().core().session.call(outgoing(function_id, *data, &options, std::nullopt),
                               [then = std::move(then)](Reply<json::Raw> reply) mutable {
                                 then(decode_reply<Out>(std::move(reply)));
                               });
  }

  // No answer wanted, none given. Fails only when the message could not even be queued.
  template <typename In>
  Result<void> trigger_void(std::string_view function_id, const In& payload) const {
    return trigger_void(function_id, payload, CallOptions{});
  }
  template <typename In>
  Result<void> trigger_void(std::string_view function_id, const In& payload,
                            const CallOptions& options) const {
    const Result<std::string> data = encode_payload(payload);
    if (!data) return std::unexpected(data.error());
    return self().core().session.send_void(outgoing(function_id, *data, &options, std::nullopt));
  }

  // Through a queue: the answer says that the queue has it, not that the function ran.
  template <typename In>
  Pending<Receipt> enqueue(std::string_view queue, std::string_view function_id,
                           const In& payload) const {
    return start<Receipt>(function_id, encode_payload(payload), nullptr, queue);
  }

  // For work that blocks: `co_await pool().run(named_callable)`.
  task::Pool& pool() const { return self().core().pool; }
  Sleep sleep(Millis delay) const { return Sleep(self().core().loop, delay); }

 private:
  friend Self;
  Calls() = default;

  const Self& self() const { return static_cast<const Self&>(*this); }

  OutgoingCall outgoing(std::string_view function_id, std::string_view data,
                        const CallOptions* options, std::optional<std::string_view> queue) const {
    OutgoingCall call{.function_id = function_id, .data = data, .queue = queue};
    if (options != nullptr) {
      call.timeout = options->timeout;
      call.name_space = options->name_space;
      call.bound = options->bound;
      if (options->metadata) call.metadata = options->metadata->text;
    }
    self().add_context(call);
    return call;
  }

  template <typename Out>
  Pending<Out> start(std::string_view function_id, const Result<std::string>& data,
                     const CallOptions* options, std::optional<std::string_view> queue) const {
    if (!data) {
      auto state = std::make_shared<pending_detail::State>();
      state->complete(std::unexpected(RemoteError{data.error(), std::nullopt}));
      return Pending<Out>(std::move(state));
    }
    return Pending<Out>(self().core().start_call(outgoing(function_id, *data, options, queue)));
  }
};

}  // namespace iii::sdk
