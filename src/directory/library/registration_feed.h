// Keeps a snapshot of what workers registered up to date: `state::*` is asked rarely, and never
// waited for twice.
//
// It is out of date when we wrote something ourselves, when a `state` event says that somebody did,
// after every connect, and after a while (`ttl`; much later when events are known to come). One
// question at a time. When state does not answer, the last snapshot stands in.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bus/sdk/worker.h"
#include "directory/library/change_log.h"
#include "directory/library/latch.h"
#include "directory/library/registration_store.h"
#include "directory/library/registrations.h"

namespace iii::directory {

// What the engine calls when state changes; it leads to RegistrationFeed::state_changed().
inline constexpr const char* kOnStateChange = "directory::__on_state_change";

struct RegistrationFeedOptions {
  std::chrono::milliseconds ttl{1'000};  // `registered_ttl_ms`; 0: every reader asks
  std::chrono::milliseconds ttl_with_events{60'000};
  // While state does not answer it is asked again this often, and callers do not wait.
  std::chrono::milliseconds retry_after{5'000};
  std::chrono::milliseconds gather{10};  // changes that come together are reported together
};

// On the loop thread. Everything outlives the worker's use of it.
class RegistrationFeed {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  // Snapshots are compared on `thread`; the sink takes each new one. `first`: the state before this
  // process started, which is not a change.
  using Sink = std::function<void(RegistrationsPtr registrations, bool first)>;
  RegistrationFeed(
      sdk::Worker& worker, RegistrationStore& store, task::Pool& thread,
      RegistrationFeedOptions options, Sink sink,
      Clock now = [] { return std::chrono::steady_clock::now(); });
  ~RegistrationFeed();
  RegistrationFeed(const RegistrationFeed&) = delete;
  RegistrationFeed& operator=(const RegistrationFeed&) = delete;

  // False: refresh() before reading. Costs nothing.
  bool is_fresh() const { return is_fresh_since(changes_); }
  // Comes back when the content is up to date, or when state did not answer in time.
  task::Task<void> refresh();

  // We wrote or removed something: later readers see it.
  void changed(ChangeKind kind, std::string_view key);

  // The engine says that records changed.
  void state_changed();

  void set_options(RegistrationFeedOptions options);

 private:
  bool is_fresh_since(uint64_t change) const;
  void outdated();
  void bind_events();
  void begin_question();
  task::Task<void> ask();
  void take(RegistrationsPtr found);
  void failed(const Error& error);
  void plan_question();

  sdk::Worker& worker_;
  RegistrationStore& store_;
  task::Pool& thread_;
  RegistrationFeedOptions options_;
  Sink sink_;
  Clock now_;
  RegistrationsPtr known_;  // null before the first answer
  // Before the first answer: what this process registered, which must be reported as a change.
  std::set<std::pair<ChangeKind, std::string>> written_;
  uint64_t changes_ = 1;   // that we know of
  uint64_t answered_ = 0;  // changes before the last question that was answered
  std::optional<std::chrono::steady_clock::time_point> asked_at_;
  std::optional<std::chrono::steady_clock::time_point> silent_since_;
  std::chrono::steady_clock::duration took_{};  // the last question
  std::optional<Latch> under_way_;
  bool events_ = false;  // heard one on this connection
  std::vector<std::string> bindings_;
  TimerId question_timer_ = 0;
  bool said_ = false;  // that state is away
};

}  // namespace iii::directory
