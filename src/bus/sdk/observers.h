// A worker's side of observers (observers §2-4): those that it has made, and those of its own
// functions. Sends frames; the session names the features and says when they may be sent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/protocol/frame.h"
#include "bus/sdk/observer.h"
#include "bus/sdk/ordered.h"
#include "bus/sdk/transport.h"
#include "foundation/base/result.h"

namespace iii::sdk {

class Observers {
 public:
  explicit Observers(Transport& transport) : transport_(transport) {}

  // Those that this worker makes. `spec` has an id and namespaces. Next: send().
  Result<void> add(ObserveSpec spec);
  bool remove(std::string_view id);
  const ObserverStatus* status(std::string_view id);  // null when there is none
  // On an engine without observers the state becomes `error`, code UNSUPPORTED.
  void send(std::string_view id);

  // Those of our own functions.
  void set_hooks(std::string function_id, ObserveHooks hooks);
  std::vector<HostedObserver> hosted(std::string_view function_id) const;

  // Anything here needs an engine that offers observers.
  bool in_use() const { return !made_.empty() || !hooks_.empty(); }

  // Nothing is sent until ready(), which sends everything again.
  void disconnected();
  void ready(bool engine_observes);

  void handle(const protocol::ObserveResult& frame);
  void handle(const protocol::ObserverStateChanged& frame);
  void handle(const protocol::FunctionRegistered& frame);
  void handle(const protocol::ObserverAdded& frame);
  void handle(const protocol::ObserverRemoved& frame);

 private:
  struct Made {
    std::string id;
    std::string frame;
    std::function<void(const ObserverStatus&)> on_state;
    ObserverStatus status;
    bool refused = false;  // not sent again
  };
  struct HostedFunction {
    uint64_t revision = 0;
    std::map<std::string, HostedObserver> observers;
  };

  void set_status(std::string_view id, ObserverStatus status);
  void accept(std::string_view function_id, std::optional<std::string_view> name_space,
              uint64_t revision, const HostedObserver& observer, bool is_new);
  void run_removed(std::string_view function_id, const HostedObserver& observer);

  Transport& transport_;
  bool ready_ = false;
  bool engine_observes_ = false;  // of this connection
  Ordered<Made> made_;
  std::vector<std::string> ended_;  // while there was no connection
  // On this connection, by id. What the engine says of an id before it has answered all of them is
  // about an earlier observer of that id.
  std::map<std::string, size_t, std::less<>> unanswered_;
  std::map<std::string, ObserveHooks, std::less<>> hooks_;     // by function
  std::map<std::string, HostedFunction, std::less<>> hosted_;  // by function
};

}  // namespace iii::sdk
