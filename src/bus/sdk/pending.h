// Pending<Out>: a call that is on its way. The call is made when Pending is created, so several can
// be under way at once; co_await gives the Reply<Out>. Letting go of a Pending abandons only the
// answer.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bus/sdk/error.h"
#include "foundation/json/describe.h"

namespace iii::sdk {

// A described struct may be asked for with nothing: null counts as {} where an object is expected.
inline json::Slice lenient(const json::Codec& codec, std::string_view text) {
  const json::Slice value = json::trimmed(text);
  return codec.shape == json::Shape::kObject && value == "null" ? "{}" : value;
}
template <typename T>
Result<T> decode_lenient(std::string_view text) {
  return json::decode<T>(lenient(json::kCodec<T>, text));
}

// Fails when the value holds a number that JSON cannot express.
template <typename T>
Result<std::string> encode_payload(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view> &&
                !std::is_same_v<T, std::string>) {
    std::string out;
    json::append_string(out, value);  // a literal, not a bool
    return out;
  } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
    return "null";
  } else {
    return json::try_encode(value);
  }
}

template <typename Out>
Reply<Out> decode_reply(Reply<json::Raw> reply) {
  if constexpr (std::is_same_v<Out, json::Raw>) {
    return reply;
  } else if constexpr (std::is_void_v<Out>) {
    if (!reply) return std::unexpected(std::move(reply.error()));
    return {};
  } else {
    if (!reply) return std::unexpected(std::move(reply.error()));
    Result<Out> value = json::decode<Out>(reply->text);
    if (!value) {
      return std::unexpected(remote_error(
          kInvalidResult, "the answer is not of the expected type: " + value.error().message));
    }
    return std::move(*value);
  }
}

namespace pending_detail {

struct State {
  std::optional<Reply<json::Raw>> reply;
  std::coroutine_handle<> waiter;

  void complete(Reply<json::Raw> with) {
    reply = std::move(with);
    if (const std::coroutine_handle<> waiting = std::exchange(waiter, nullptr)) waiting.resume();
  }
};

}  // namespace pending_detail

template <typename Out>
class [[nodiscard]] Pending {
 public:
  using State = pending_detail::State;

  explicit Pending(std::shared_ptr<State> state) : state_(std::move(state)) {}
  bool ready() const { return state_->reply.has_value(); }

  class Awaiter {
   public:
    explicit Awaiter(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    // A coroutine that is destroyed while it waits must not be resumed.
    ~Awaiter() { state_->waiter = nullptr; }

    bool await_ready() const { return state_->reply.has_value(); }
    void await_suspend(std::coroutine_handle<> waiting) { state_->waiter = waiting; }
    Reply<Out> await_resume() {
      Reply<json::Raw> reply = std::move(*state_->reply);
      return decode_reply<Out>(std::move(reply));
    }

   private:
    std::shared_ptr<State> state_;
  };
  // Once per Pending.
  Awaiter operator co_await() const { return Awaiter(state_); }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace iii::sdk
