#include "engine/fanout.h"

#include <utility>

namespace iii::engine {

namespace {

// One event on its way. Kept alive by the reply it waits for; when the engine drops that reply, the
// delivery ends with it.
class Delivery : public std::enable_shared_from_this<Delivery> {
 public:
  Delivery(Bus& bus, std::vector<FanoutTarget> targets, std::string payload,
           std::shared_ptr<void> ticket)
      : bus_(bus),
        targets_(std::move(targets)),
        payload_(std::move(payload)),
        ticket_(std::move(ticket)) {}

  // Answers may come while the call is being made. They are noted and handled by the loop below,
  // not by recursion: a thousand missing functions in a row must not use up the stack.
  void run() {
    if (running_) {
      again_ = true;
      return;
    }
    running_ = true;
    do {
      again_ = false;
      step();
    } while (again_);
    running_ = false;
  }

 private:
  void step() {
    if (at_ == targets_.size()) return;
    const FanoutTarget& target = targets_[at_];
    if (target.condition_function_id && !asked_) {
      asked_ = true;
      call({*target.condition_function_id, target.name_space, payload_, std::nullopt},
           [](Delivery& self, const Outcome& answer) {
             if (!answer || *answer == "false") self.next_target();
           });
      return;
    }
    OutgoingCall event{target.function_id, target.name_space, {}, target.metadata};
    // The last call takes the payload with it, so that a single target costs no copy.
    if (at_ + 1 == targets_.size()) {
      event.data = std::move(payload_);
    } else {
      event.data = payload_;
    }
    call(std::move(event), [](Delivery& self, const Outcome&) { self.next_target(); });
  }

  void next_target() {
    ++at_;
    asked_ = false;
  }

  void call(OutgoingCall call, void (*then)(Delivery&, const Outcome&)) {
    bus_.call(std::move(call), [self = shared_from_this(), then](Outcome answer) {
      then(*self, answer);
      self->run();
    });
  }

  Bus& bus_;
  std::vector<FanoutTarget> targets_;
  std::string payload_;
  std::shared_ptr<void> ticket_;
  size_t at_ = 0;
  bool asked_ = false;  // the condition function of the target at `at_`
  bool running_ = false;
  bool again_ = false;
};

}  // namespace

EventBudget::EventBudget(size_t max_events, size_t max_bytes)
    : max_events_(max_events), max_bytes_(max_bytes), use_(std::make_shared<Use>()) {}

std::shared_ptr<void> EventBudget::take(size_t bytes) {
  const bool fits = use_->events < max_events_ && use_->bytes + bytes <= max_bytes_;
  if (!fits && use_->events > 0) return nullptr;
  ++use_->events;
  use_->bytes += bytes;
  return {use_.get(), [use = use_, bytes](void*) {
            --use->events;
            use->bytes -= bytes;
          }};
}

void fan_out(Bus& bus, std::vector<FanoutTarget> targets, std::string payload,
             std::shared_ptr<void> ticket) {
  if (targets.empty()) return;
  std::make_shared<Delivery>(bus, std::move(targets), std::move(payload), std::move(ticket))->run();
}

}  // namespace iii::engine
