// Something that happens once, and coroutines that wait for it. On the loop thread.
#pragma once

#include <algorithm>
#include <coroutine>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace iii::directory {

class Latch {
 public:
  bool is_open() const { return shared_->open; }

  // Waiting coroutines are resumed at once.
  void open() {
    shared_->open = true;
    while (!shared_->waiting.empty()) {
      const std::coroutine_handle<> next = shared_->waiting.front();
      shared_->waiting.erase(shared_->waiting.begin());
      next.resume();
    }
  }

 private:
  struct Shared {
    bool open = false;
    std::vector<std::coroutine_handle<>> waiting;
  };

 public:
  // A coroutine that ends while it waits is forgotten.
  class Awaiter {
   public:
    explicit Awaiter(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      if (handle_) std::erase(shared_->waiting, handle_);
    }

    bool await_ready() const { return shared_->open; }
    void await_suspend(std::coroutine_handle<> waiting) {
      handle_ = waiting;
      shared_->waiting.push_back(waiting);
    }
    void await_resume() { handle_ = nullptr; }

   private:
    std::shared_ptr<Shared> shared_;
    std::coroutine_handle<> handle_;
  };
  Awaiter operator co_await() const { return Awaiter(shared_); }

 private:
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

// Work that one coroutine does at a time while others wait for its end:
//
//   if (flight_.is_under_way()) {
//     const Latch end = flight_.end();
//     co_await end;
//   } else {
//     const SingleFlight::Flight flight = flight_.begin();
//     …
//   }
class SingleFlight {
 public:
  // Ends with its scope, also when an exception leaves it. It may outlive its SingleFlight.
  class Flight {
   public:
    explicit Flight(Latch end) : end_(std::move(end)) {}
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    ~Flight() { end_.open(); }

   private:
    Latch end_;
  };

  bool is_under_way() const { return end_ && !end_->is_open(); }
  Latch end() const { return *end_; }
  // Only when none is under way.
  Flight begin() { return Flight(end_.emplace()); }

 private:
  std::optional<Latch> end_;  // of the last one
};

}  // namespace iii::directory
