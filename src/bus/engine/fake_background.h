// A Background for tests: jobs run on the loop thread, in a later turn, in the order in which they
// were given.
#pragma once

#include <set>
#include <utility>

#include "bus/engine/background.h"
#include "foundation/base/timers.h"

namespace iii::engine {

class FakeBackground final : public Background {
 public:
  explicit FakeBackground(Timers& timers) : timers_(timers) {}
  ~FakeBackground() override { drop_all(); }

  void run(OwnerId owner, Action job, Action done) override {
    ++jobs;
    auto id = std::make_shared<TimerId>(0);
    *id = timers_.after(std::chrono::microseconds{0},
                        [this, owner, id, job = std::move(job), done = std::move(done)]() mutable {
                          waiting_.erase({owner, *id});
                          job();
                          done();
                        });
    waiting_.insert({owner, *id});
  }

  void drop(OwnerId owner) override {
    while (!waiting_.empty()) {
      const auto it = waiting_.lower_bound({owner, 0});
      if (it == waiting_.end() || it->first != owner) return;
      timers_.cancel(it->second);
      waiting_.erase(it);
    }
  }

  size_t jobs = 0;  // that were ever given

 private:
  void drop_all() {
    for (const auto& [owner, timer] : waiting_) timers_.cancel(timer);
  }

  Timers& timers_;
  std::set<std::pair<OwnerId, TimerId>> waiting_;
};

}  // namespace iii::engine
