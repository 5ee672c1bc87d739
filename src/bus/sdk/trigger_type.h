// The provider's side of triggers: which bindings there are, and the verdict on new ones.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "bus/sdk/handler.h"

namespace iii::sdk {

// Somebody wants `function_id` called when the trigger fires. `id` is the key: the same id again
// replaces what was there.
template <typename Config = json::Raw>
struct Binding {
  std::string id;
  std::string function_id;
  Config config;
  std::optional<json::Raw> metadata;
  std::string name_space;  // empty: default
  Bound bound = {};

  // Copies know too when the binding has ended or was replaced. What is fired to it then is not
  // sent and fails with `binding_ended`.
  bool is_bound() const { return !bound || *bound; }
};

// A provider's view of its bindings; copies share it.
template <typename Config>
class TriggerType {
 public:
  using Bindings = std::map<std::string, Binding<Config>, std::less<>>;

  const std::string& id() const { return shared_->id; }
  // By binding id. Bindings of workers that are gone, and those that did not come back with the
  // engine, leave by themselves. Take a copy before awaiting anything.
  const Bindings& bindings() const { return shared_->bindings; }

 private:
  friend class Worker;
  struct Shared {
    std::string id;
    Bindings bindings;
  };
  explicit TriggerType(std::string id) : shared_(std::make_shared<Shared>()) {
    shared_->id = std::move(id);
  }
  std::shared_ptr<Shared> shared_;
};

namespace handler_detail {

// Lets `on_bind` judge; it returns nothing (accepted), Result<void>, or a Task of Result<void>.
template <typename F, typename Config>
Task<Result<void>> judge(std::shared_ptr<F> on_bind, Binding<Config> binding) {
  using Return = std::invoke_result_t<F&, const Binding<Config>&>;
  try {
    if constexpr (std::is_void_v<Return>) {
      (*on_bind)(binding);
      co_return Result<void>();
    } else if constexpr (Output<Return>::kIsTask) {
      Result<void> verdict = co_await (*on_bind)(binding);
      co_return verdict;
    } else {
      co_return (*on_bind)(binding);
    }
  } catch (const std::exception& e) {
    co_return fail(kTriggerRegistrationFailed, e.what());
  } catch (...) {
    co_return fail(kTriggerRegistrationFailed, "the provider failed");
  }
}

// What was accepted is in the table before the engine hears of it. It leaves the table by the
// spec's unbind() only.
template <typename F, typename Shared, typename Config>
Task<void> settle_binding(std::shared_ptr<F> on_bind, std::shared_ptr<Shared> shared,
                          Binding<Config> binding, Verdict verdict) {
  Result<void> accepted = co_await judge(std::move(on_bind), binding);
  if (accepted) {
    const std::string id = binding.id;
    shared->bindings.insert_or_assign(id, std::move(binding));
  }
  verdict(std::move(accepted));
}

}  // namespace handler_detail
}  // namespace iii::sdk
