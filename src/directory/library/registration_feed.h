// What workers registered at run time: kept in `state::*` of whichever engine we are connected to,
// so that it outlives us, and known here as a snapshot.
//
// Our own writes are applied to the snapshot. `state::*` is asked after every connect, when a
// `state` event says that somebody else wrote, and after a while (`ttl`; much later when events are
// known to come). One such question at a time. When state does not answer, the last snapshot is
// used.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/sdk/worker.h"
#include "directory/library/latch.h"
#include "directory/library/registrations.h"
#include "foundation/task/pool.h"

namespace iii::directory {

// What the engine calls when state changes; it leads to RegistrationFeed::state_changed().
inline constexpr const char* kOnStateChange = "directory::__on_state_change";

// `state::list` gives a whole scope in one message, and an engine refuses messages above 64 MiB.
// What could not be listed would be lost, so registrations end below that; the rest is room for
// framing and for records of others.
inline constexpr size_t kMaxRegisteredBytes = 48 * 1024 * 1024;
// Code of the error.
inline constexpr const char* kScopeFull = "scope_full";

struct RegistrationOptions {
  std::string skills_scope = "skills";
  std::string prompts_scope = "prompts";
  // `state_timeout_ms`: of every call to state, sections and handlers
  std::chrono::milliseconds timeout{10'000};
  size_t max_bytes = kMaxRegisteredBytes;  // of all records of a scope, as JSON
  // `registered_documents`: views have them. Otherwise they are known only to who asks.
  bool in_views = true;
  std::chrono::milliseconds ttl{1'000};  // `registered_ttl_ms`; 0: every reader asks
  std::chrono::milliseconds ttl_with_events{60'000};
  // While state does not answer it is asked again this often, and callers do not wait.
  std::chrono::milliseconds retry_after{5'000};
  std::chrono::milliseconds gather{10};  // changes that come together are reported together
};

// On the loop thread. Everything outlives the worker's use of it. Errors carry the cause (remote
// code and message, time-out), or are kScopeFull or kUnreadableRecord.
class RegistrationFeed {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  // Takes each new snapshot. `first`: the state before this process started, which is not a change.
  using Sink = std::function<void(RegistrationsPtr registrations, bool first)>;
  // Large lists are decoded on `thread`.
  RegistrationFeed(
      sdk::Worker& worker, task::Pool& thread, RegistrationOptions options, Sink sink,
      Clock now = [] { return std::chrono::steady_clock::now(); });
  ~RegistrationFeed();
  RegistrationFeed(const RegistrationFeed&) = delete;
  RegistrationFeed& operator=(const RegistrationFeed&) = delete;

  // Views have them, and refresh() is due before the next one. Costs nothing.
  bool needs_refresh() const { return options_.in_views && !is_fresh_since(changes_); }
  // Comes back when the snapshot is up to date, or when state did not answer in time.
  task::Task<void> refresh();

  // For callers that expect to see at once what other workers wrote, and an error when state fails:
  // asks for one scope, and gives the snapshot then.
  task::Task<Result<RegistrationsPtr>> refresh(ChangeKind kind);
  // Asks for one record; null when there is none.
  task::Task<Result<RegisteredPtr>> refresh(ChangeKind kind, std::string key);

  // Later readers see it. Only key, text and what belongs to the record need to be set.
  task::Task<Result<void>> put(ChangeKind kind, RegisteredDocument document);
  // Whether there was something.
  task::Task<Result<bool>> remove(ChangeKind kind, std::string key);

  // The engine says that a record changed.
  void state_changed(std::string_view event);

  const RegistrationOptions& options() const { return options_; }
  void set_options(RegistrationOptions options);

 private:
  // A write of ours that has not been answered; `document` null: a removal.
  struct Write {
    ChangeKind kind;
    std::string key;
    RegisteredPtr document;
  };
  // A list that has been asked for, and the keys that we wrote since.
  struct List {
    ChangeKind kind;
    std::set<std::string, std::less<>> written = {};
  };
  // Owned by the coroutines that wait for the answers: a caller may leave meanwhile.
  template <typename T>
  using UnderWay = std::vector<std::weak_ptr<T>>;

  task::Task<Result<json::Raw>> call(std::string function_id, json::Raw payload);
  const std::string& scope_name(ChangeKind kind) const;
  void written(const Write& write);
  void take(RegistrationsPtr now, bool first);
  bool is_known(ChangeKind kind, const RegisteredDocument* after,
                const RegisteredDocument* before) const;
  bool is_fresh_since(uint64_t change) const;
  void outdated();
  void bind_events();
  task::Task<void> ask();
  void failed(const Error& error);
  void plan_question();

  sdk::Worker& worker_;
  task::Pool& thread_;
  RegistrationOptions options_;
  Sink sink_;
  Clock now_;
  RegistrationsPtr known_ = std::make_shared<const Registrations>();
  UnderWay<List> lists_;
  UnderWay<Write> writes_;
  uint64_t questions_ = 0;                  // for lists
  std::map<ChangeKind, uint64_t> answers_;  // the question that the rows of each kind answer
  uint64_t changes_ = 1;                    // by others that we know of
  uint64_t answered_ = 0;                   // changes before the last question that was answered
  std::optional<std::chrono::steady_clock::time_point> asked_at_;
  std::optional<std::chrono::steady_clock::time_point> silent_since_;
  std::chrono::steady_clock::duration took_{};  // the last question
  SingleFlight asking_;
  bool events_ = false;  // one came on this connection
  std::vector<std::string> bindings_;
  TimerId question_timer_ = 0;
  bool reported_ = false;  // that state does not answer
};

}  // namespace iii::directory
