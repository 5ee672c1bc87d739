// From a C++ callable to a FunctionHandler: takes the parameter and return types apart, decodes the
// input, runs the callable (as a coroutine if it is one), encodes what it gives.
//
// Accepted: (In), (Call, In), (Call), () → T, Result<T>, Reply<T>, void, or a Task of one of these.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "bus/sdk/call.h"
#include "bus/sdk/task.h"

namespace iii::sdk::handler_detail {

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename R, typename... A>
struct Signature<R (*)(A...)> {
  using Return = R;
  using Arguments = std::tuple<std::decay_t<A>...>;
};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const noexcept> : Signature<R (*)(A...)> {};

struct NoInput {};

template <typename Arguments>
struct Inputs {
  static_assert(std::tuple_size_v<Arguments> == 0,
                "a handler takes (), (In), (Call) or (Call, In)");
  using In = NoInput;
  static constexpr bool kWantsCall = false;
};
template <typename T>
struct Inputs<std::tuple<T>> {
  using In = T;
  static constexpr bool kWantsCall = false;
};
template <>
struct Inputs<std::tuple<Call>> {
  using In = NoInput;
  static constexpr bool kWantsCall = true;
};
template <typename T>
struct Inputs<std::tuple<Call, T>> {
  using In = T;
  static constexpr bool kWantsCall = true;
};

template <typename R>
struct Output {
  using Returned = R;  // by the coroutine, or directly
  static constexpr bool kIsTask = false;
};
template <typename R>
struct Output<Task<R>> {
  using Returned = R;
  static constexpr bool kIsTask = true;
};

template <typename R>
struct Success {
  using Out = R;
};
template <typename T, typename E>
struct Success<std::expected<T, E>> {
  using Out = T;
};

template <typename F>
struct Traits {
  using Call_ = Signature<F>;
  using In = typename Inputs<typename Call_::Arguments>::In;
  static constexpr bool kWantsCall = Inputs<typename Call_::Arguments>::kWantsCall;
  using Return = typename Call_::Return;
  using Returned = typename Output<Return>::Returned;
  using Out = typename Success<Returned>::Out;
  static constexpr bool kIsTask = Output<Return>::kIsTask;
};

template <typename T>
inline constexpr bool kIsObservation = false;
template <typename In, typename Out>
inline constexpr bool kIsObservation<Observation<In, Out>> = true;

inline RemoteError as_remote(RemoteError error) { return error; }
inline RemoteError as_remote(Error error) { return RemoteError{std::move(error), std::nullopt}; }

// What does not depend on the callable's types is compiled once, in handler.cpp: a worker may have
// hundreds of handlers.
Outcome outcome_of_text(Result<std::string> text);
Outcome outcome_of_error(RemoteError error);
// Only from inside a catch block.
Outcome outcome_of_exception();
// Decodes the input into `in`. The problem says which field it is about and what is expected.
json::Problem input_problem(const json::Codec& codec, json::Slice value, void* in);
RemoteError unreadable_input(const std::string& problem);
// Both, with the error as the published SDKs word it.
std::optional<RemoteError> decode_input(const json::Codec& codec, std::string_view data, void* in);
// The same, and answers with the error. False: it answered.
bool read_input(Core& core, Invocation& received, const json::Codec& codec, void* in);
// The same for an Observation: its input or output is left empty when it does not fit.
bool read_event(Core& core, Invocation& received, const json::Codec& codec, void* in);
std::shared_ptr<const Invocation> keep(Invocation&& received);
// Answers with an error when too many calls are being handled. True: it answered.
bool is_busy(Core& core, const Invocation& invocation);
// Answers; what is large is written on another thread first.
void answer(Core& core, const Invocation& invocation, Outcome outcome);

template <typename T>
Outcome outcome_of(const T& value) {
  return outcome_of_text(encode_payload(value));
}
template <typename T, typename E>
Outcome outcome_of(const std::expected<T, E>& result) {
  if (!result) return outcome_of_error(as_remote(result.error()));
  if constexpr (std::is_void_v<T>) {
    return std::optional<std::string>();
  } else {
    return outcome_of_text(encode_payload(*result));
  }
}

// Text that is already written is handed on as it is, however long.
template <typename E>
Outcome outcome_of(std::expected<json::Raw, E>&& result) {
  if (!result) return outcome_of_error(as_remote(std::move(result.error())));
  return std::optional(std::move(result->text));
}

template <typename F>
auto invoke(F& callable, [[maybe_unused]] Call& call, [[maybe_unused]] typename Traits<F>::In& in) {
  using T = Traits<F>;
  if constexpr (std::is_same_v<typename T::In, NoInput>) {
    if constexpr (T::kWantsCall) {
      return callable(call);
    } else {
      return callable();
    }
  } else if constexpr (T::kWantsCall) {
    return callable(call, std::move(in));
  } else {
    return callable(std::move(in));
  }
}

template <typename F>
Outcome run_plain(F& callable, Call& call, typename Traits<F>::In& in) {
  try {
    if constexpr (std::is_void_v<typename Traits<F>::Returned>) {
      invoke(callable, call, in);
      return std::optional<std::string>();
    } else {
      return outcome_of(invoke(callable, call, in));
    }
  } catch (...) {
    return outcome_of_exception();
  }
}

// Everything the callable uses lives in this frame: the callable itself too, because its function
// may be unregistered while it waits.
template <typename F>
Task<void> run_task(std::shared_ptr<F> callable, std::shared_ptr<const Invocation> invocation,
                    Call call, typename Traits<F>::In in) {
  Outcome outcome;
  try {
    auto task = invoke(*callable, call, in);
    if constexpr (std::is_void_v<typename Traits<F>::Returned>) {
      co_await task;
    } else {
      auto returned = co_await task;
      outcome = outcome_of(std::move(returned));
    }
  } catch (...) {
    outcome = outcome_of_exception();
  }
  answer(call.core(), *invocation, std::move(outcome));
}

template <typename F>
FunctionHandler make_handler(Core& core, F callable) {
  using T = Traits<F>;
  auto shared = std::make_shared<F>(std::move(callable));
  return [&core, shared = std::move(shared)](Invocation&& received) {
    typename T::In in{};
    if constexpr (!std::is_same_v<typename T::In, NoInput>) {
      constexpr auto kRead = kIsObservation<typename T::In> ? &read_event : &read_input;
      if (!kRead(core, received, json::kCodec<typename T::In>, &in)) return;
    }
    const std::shared_ptr<const Invocation> invocation = keep(std::move(received));
    Call call(core, invocation);
    if constexpr (T::kIsTask) {
      if (is_busy(core, *invocation)) return;
      core.tasks.spawn(run_task<F>(shared, invocation, call, std::move(in)));
    } else {
      answer(core, *invocation, run_plain(*shared, call, in));
    }
  };
}

// The schema to publish, or nothing for types that say nothing about themselves.
template <typename T>
std::optional<std::string> schema_text() {
  if constexpr (std::is_void_v<T> || std::is_same_v<T, NoInput> || std::is_same_v<T, json::Raw> ||
                std::is_same_v<T, json::Value>) {
    return std::nullopt;
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return json::to_text(json::schema<std::string>());
  } else {
    return json::to_text(json::schema<T>());
  }
}

}  // namespace iii::sdk::handler_detail
