// What State and Configuration have in common: they keep their data in memory, make changes durable
// through the store, and do what is too much for the loop elsewhere, without mixing up the order.
//
// Operations on one lane (a scope, an entry) take place in the order in which they were called.
// Usually each is over at once. One that computes on another thread, or in slices, holds its lane:
// the operations that come meanwhile wait, those on other lanes do not.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/store/store.h"
#include "foundation/base/discard.h"

namespace iii::engine {

inline SharedText share(std::string text) { return shared_text(std::move(text)); }

class Durable {
 public:
  // Both outlive it.
  Durable(Store& store, Bus& bus);
  ~Durable();
  Durable(const Durable&) = delete;
  Durable& operator=(const Durable&) = delete;

  // Gets an error when it may not wait: its owner has too much waiting already.
  using Operation = std::move_only_function<void(Result<void>)>;
  // Runs the operation, at once when its lane is free. `bytes` is what it keeps while it waits.
  void enter(const std::string& lane, OwnerId owner, size_t bytes, Operation operation);

  // From inside an operation: runs the pure function `job` on another thread, then `done` with what
  // it returned. The lane waits.
  template <typename Job, typename Done>
  void compute(const std::string& lane, OwnerId owner, Job job, Done done) {
    hold(lane);
    bus_.background().compute(
        lasting(owner), std::move(job),
        [alive = std::weak_ptr(alive_), lane, done = std::move(done)](auto value) mutable {
          const auto self = alive.lock();
          if (!self) return;
          done(std::move(value));
          (*self)->release(lane);
        });
  }
  // From inside an operation: repeats `step` in slices as long as it returns true. The lane waits.
  void repeat(const std::string& lane, OwnerId owner, Slices::Step step);

  // Memory was changed: makes that durable. `undo` changes it back when that fails, before `done`
  // hears of it; when writes are undone, the newest is undone first.
  void write(std::vector<Change> changes, std::move_only_function<void()> undo,
             std::move_only_function<void(Result<void>)> done);

  Store& store() { return store_; }

 private:
  struct Waiting {
    OwnerId owner;
    size_t bytes;
    Operation operation;
  };
  struct Lane {
    size_t holds = 0;
    bool draining = false;  // a slice will run the next one that waits
    std::deque<Waiting> waiting;
  };
  struct Use {
    size_t operations = 0;
    size_t bytes = 0;
  };

  void hold(const std::string& lane) { ++lanes_[lane].holds; }
  void release(const std::string& lane);
  void drain_soon(const std::string& name, Lane& lane);
  void run_next(const std::string& name);

  Store& store_;
  Bus& bus_;
  std::map<std::string, Lane> lanes_;  // those that are held or have somebody waiting
  std::map<OwnerId, Use> waiting_;     // who has how much waiting; never an empty entry
  std::shared_ptr<Durable*> alive_;
};

}  // namespace iii::engine
