#include "library/library.h"

#include <thread>
#include <utility>

namespace iii::directory {

namespace {

// A swap takes milliseconds. Whoever holds the gate for longer is stopped or broken, and must not
// keep everybody else from reading.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kPause{1};

}  // namespace

void Library::replace(std::unique_ptr<content::Content> content, std::unique_ptr<Gate> gate) {
  content_ = std::move(content);
  gate_ = std::move(gate);
  last_.reset();
  refused_since_.reset();
}

bool Library::may_look() {
  if (gate_->enter()) {
    refused_since_.reset();
    return true;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!refused_since_) refused_since_ = now;
  if (now - *refused_since_ < kPatience) return false;
  gate_log_.warn("another process holds the skills folder for too long; reading it all the same");
  return true;
}

content::GenerationPtr Library::fresh() {
  if (gate_ != nullptr) {
    while (!may_look()) {
      if (last_ != nullptr) return last_;
      // Only before the first generation: there is nothing else to answer with.
      std::this_thread::sleep_for(kPause);
    }
  }
  content::GenerationPtr now = content_->fresh();
  if (gate_ != nullptr && !gate_->leave()) {
    // The first download ever began meanwhile. The next look waits for its end.
    if (last_ != nullptr) return last_;
    return fresh();
  }
  const content::GenerationPtr before = std::exchange(last_, now);
  if (observer_ && before != nullptr && before != now) observer_(before, now);
  return now;
}

}  // namespace iii::directory
