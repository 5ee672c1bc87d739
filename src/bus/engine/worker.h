// One connected worker, as the engine knows it.
#pragma once

#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bus/engine/builtin.h"
#include "bus/engine/call_stats.h"
#include "bus/engine/ledger.h"
#include "bus/engine/link.h"
#include "foundation/base/log.h"
#include "foundation/base/timers.h"
#include "foundation/base/uuid.h"

namespace iii::engine {

struct Function;
struct LargeFrame;
struct ObservedCall;
struct Observer;
struct Worker;

namespace intrusive = boost::intrusive;
using AutoUnlink = intrusive::link_mode<intrusive::auto_unlink>;
struct ByCaller;
struct ByCallee;

// A call that was forwarded and not answered yet. Recorded *before* it is forwarded, so that an
// answer can never overtake it.
struct PendingCall : intrusive::list_base_hook<intrusive::tag<ByCaller>, AutoUnlink>,
                     intrusive::list_base_hook<intrusive::tag<ByCallee>, AutoUnlink> {
  Uuid id;
  // Null for the engine's own calls, which have `reply` instead, and for void calls, which are
  // remembered only when they are observed.
  Worker* caller = nullptr;
  Worker* callee = nullptr;
  std::shared_ptr<CallRecord> record;  // of the function that is called
  SteadyTime started;
  std::optional<std::string> traceparent;  // the caller's own, echoed in the answer
  std::optional<std::string> baggage;
  Charge charge;                           // of the caller
  OwnerId owner = kEngineOwner;            // of the engine's own calls: whose slice `reply` is
  Reply reply;                             // may be empty
  std::shared_ptr<ObservedCall> observed;  // when somebody observes the function
  std::shared_ptr<void> place;             // among the activations of an observer
  // Observers are concerned with it, or others were told its id: only the callee may answer it.
  bool guarded = false;
};

template <typename Tag>
using CallList = intrusive::list<
    PendingCall, intrusive::base_hook<intrusive::list_base_hook<intrusive::tag<Tag>, AutoUnlink>>,
    intrusive::constant_time_size<false>>;

// Lives from the accepted connection to the end of its teardown; only the engine creates and ends
// it.
struct Worker : std::enable_shared_from_this<Worker> {
  Worker(Link& its_link, Uuid its_id, Uuid its_token, OwnerId owner, const EngineLimits& limits)
      : link(its_link),
        id(its_id),
        id_text(its_id.to_string()),
        token(its_token),
        ledger(owner, limits) {}

  WorkerLink link;
  const Uuid id;
  const std::string id_text;
  const Uuid token;
  Ledger ledger;  // what it costs
  std::string ip;
  bool gone = false;  // its teardown has begun
  int64_t connected_at_ms = 0;

  // What it said of itself in `engine::workers::register`.
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> version;
  std::optional<std::string> runtime;
  std::optional<std::string> os;
  std::optional<std::string> isolation;
  std::optional<uint32_t> pid;

  // Registrations wait here until the announce (or the end of the grace) has fixed the namespace.
  std::string name_space = "default";
  bool namespace_fixed = false;
  bool announced = false;  // under a name
  // Features that it has named (observers §1). v2 includes v1.
  bool observes = false;
  bool observes_v2 = false;
  bool dispatches_locally = false;  // it can, and this engine lets it
  struct Buffered {
    std::string text;
    std::shared_ptr<const LargeFrame> large;  // then `text` is empty
  };
  std::deque<Buffered> buffered;
  size_t buffered_bytes = 0;
  TimerId grace_timer = 0;

  std::map<std::shared_ptr<const Function>, Charge> functions;
  std::set<std::string, std::less<>> bindings;    // ids of trigger bindings it made
  std::set<std::shared_ptr<Observer>> observers;  // that it holds

  CallList<ByCaller> calls_made;
  CallList<ByCallee> calls_running;
  size_t running = 0;  // size of calls_running

  OwnerId owner() const { return ledger.owner; }
  std::shared_ptr<Ledger> shared_ledger() { return {shared_from_this(), &ledger}; }
  size_t active_invocations() const { return ledger.calls.used() + running; }

  uint64_t dropped_frames = 0;
  LogOnce malformed_log;
  LogOnce limit_log;
  LogOnce inactive_log;  // events that came when its observers were not active

  // The name for people: what it calls itself, else its id.
  const std::string& label() const { return name ? *name : id_text; }
};

}  // namespace iii::engine
