#include "bus/sdk/answer_repeater.h"

#include <algorithm>
#include <utility>

namespace iii::sdk {
namespace {

using RepeatInterval = std::chrono::duration<int64_t, std::centi>;

}  // namespace

void AnswerRepeater::answer(Time arrived, std::string text) {
  const auto now = timers_.now();
  if (arrived + repeat_ <= now) return send_(std::move(text));
  if (text.size() > kRepeatedAnswerBytes || held_bytes_ + text.size() > kHeldAnswersBytes) {
    const auto due = arrived + std::min(repeat_, kLargeAnswerDelay);
    return due <= now ? send_(std::move(text)) : send_later(due, std::move(text));
  }
  send_(text);
  // Rounded, so that many leave together: the copies cost few wake-ups.
  send_later(std::chrono::ceil<RepeatInterval>(arrived + repeat_), std::move(text));
}

void AnswerRepeater::send_later(Time due, std::string text) {
  held_bytes_ += text.size();
  const auto added = held_.emplace(due, std::move(text));
  if (added != held_.begin()) return;
  timers_.cancel(std::exchange(timer_, 0));
  send_due(timers_.now());
}

void AnswerRepeater::send_due(Time now) {
  while (!held_.empty() && held_.begin()->first <= now) {
    std::string text = std::move(held_.extract(held_.begin()).mapped());
    held_bytes_ -= text.size();
    send_(std::move(text));
  }
  if (held_.empty()) return;
  const auto wait = std::chrono::ceil<std::chrono::microseconds>(held_.begin()->first - now);
  timer_ = timers_.after(wait, [this] {
    timer_ = 0;
    send_due(timers_.now());
  });
}

void AnswerRepeater::forget() {
  timers_.cancel(std::exchange(timer_, 0));
  held_.clear();
  held_bytes_ = 0;
}

}  // namespace iii::sdk
