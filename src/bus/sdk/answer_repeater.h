// Answers to calls that arrived a moment ago, which an engine may have to be told twice.
//
// An engine that records a call only after it has forwarded it drops an answer that comes in
// between. It does not tell, so a quick answer is sent twice: at once, which nearly always is
// enough, and again when the engine must have recorded the call. An answer that is too large for
// that is held instead, for as long as an engine that is not short of CPU time needs.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "foundation/base/timers.h"

namespace iii::sdk {

// The largest answer that is sent twice, and all that wait together. What is larger is sent once,
// this long after the call.
inline constexpr size_t kRepeatedAnswerBytes = 64 * 1024;
inline constexpr size_t kHeldAnswersBytes = 4 * 1024 * 1024;
inline constexpr Millis kLargeAnswerDelay{1};

class AnswerRepeater {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `repeat` after the arrival of a call an engine has surely recorded it; 0 sends all answers
  // once.
  AnswerRepeater(Timers& timers, Millis repeat, std::function<void(std::string)> send)
      : timers_(timers), repeat_(repeat), send_(std::move(send)) {}
  ~AnswerRepeater() { timers_.cancel(timer_); }
  AnswerRepeater(const AnswerRepeater&) = delete;
  AnswerRepeater& operator=(const AnswerRepeater&) = delete;

  // `arrived`: when the call did.
  void answer(Time arrived, std::string text);
  // What waits, without waiting any longer.
  void send_all() {
    send_due(Time::max());
    forget();
  }
  // The engine has ended the calls of a connection that is lost.
  void forget();

 private:
  void send_later(Time due, std::string text);
  void send_due(Time now);

  Timers& timers_;
  const Millis repeat_;
  const std::function<void(std::string)> send_;
  std::multimap<Time, std::string> held_;  // by the time when they are due
  size_t held_bytes_ = 0;
  TimerId timer_ = 0;
};

}  // namespace iii::sdk
