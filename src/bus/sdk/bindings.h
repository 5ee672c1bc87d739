// The bindings of one trigger type, as its provider has to hear of them: one thing at a time for
// each binding.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace iii::sdk {

// Whether a binding still stands; false as soon as the engine has taken it back, whatever the
// provider is doing.
using Bound = std::shared_ptr<const bool>;

struct BindingRequest {
  std::string id;
  std::string function_id;
  std::string config = "null";
  std::optional<std::string> metadata;
  std::string name_space;  // of the target function; empty: default
  Bound bound = {};
};

using Verdict = std::move_only_function<void(Result<void>)>;
struct TriggerTypeSpec {
  std::string id;
  std::string description;
  std::optional<std::string> trigger_request_format;
  std::optional<std::string> call_request_format;
  std::string name_space;  // empty: the worker's
  // A binding, new or repeated (the same id replaces); the verdict is due once, now or later. Not
  // called again for that id before the verdict.
  std::function<void(BindingRequest, Verdict)> bind;
  // Once for each id that was accepted, never while a verdict on it is due.
  std::function<void(const std::string& id)> unbind;
};

// While a verdict is due, what the engine says about that binding waits; of several requests only
// the last counts.
class Bindings : public std::enable_shared_from_this<Bindings> {
 public:
  // Hears the verdicts that the engine still wants. `connection` is the one that the request came
  // by.
  using Answer =
      std::function<void(const BindingRequest&, uint64_t connection, const Result<void>&)>;

  Bindings(std::shared_ptr<const TriggerTypeSpec> spec, Answer answer)
      : spec_(std::move(spec)), answer_(std::move(answer)) {}

  void bind(BindingRequest request, uint64_t connection);
  void unbind(std::string_view id);
  // Ends the bindings that `connection` has not named.
  void end_all_but(uint64_t connection);
  // Ends all; there will be no others.
  void close();

 private:
  struct Entry {
    uint64_t connection = 0;         // that named it last
    std::shared_ptr<bool> accepted;  // what the provider has, if anything
    std::shared_ptr<bool> judged;    // what a verdict is due on, if anything
    bool unwanted = false;           // what is judged, and what was accepted before, was unbound
    std::optional<BindingRequest> waiting;  // to be judged next
  };

  using Entries = std::map<std::string, Entry, std::less<>>;

  void judge(Entry& entry, BindingRequest request);
  void decided(const BindingRequest& request, uint64_t connection, const Result<void>& verdict);
  void end(Entries::iterator ended);

  std::shared_ptr<const TriggerTypeSpec> spec_;
  Answer answer_;
  Entries entries_;
  bool closed_ = false;
};

}  // namespace iii::sdk
