// What a caller sees of a download under way: its steps (resolve, fetch, check, stage, swap,
// announce), and that it can be cancelled until the swap.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "directory/sources/progress.h"
#include "directory/table/context.h"
#include "foundation/base/result.h"

namespace iii::directory {

class DownloadWatch : public std::enable_shared_from_this<DownloadWatch> {
 public:
  // `name` is for the log, and for those who ask what is running.
  DownloadWatch(const Context& context, std::string name);

  // Makes the job report here and end when the caller cancels. Its `before_swap` is called, too.
  sources::Job attach(sources::Job job);

  // On the loop thread, before and after the work.
  void begin() { publish(Step::kResolve, 0, 0); }
  void announce() { publish(Step::kAnnounce, 0, 0); }
  // From any thread.
  const std::string& caller() const { return caller_; }
  const std::string& name() const { return name_; }
  std::chrono::steady_clock::time_point began() const { return began_; }
  CallProgress now() const;
  // The caller cancelled, and nothing has been replaced.
  bool was_cancelled() const { return cancelled_.stop_requested() && !swapped_.load(); }

 private:
  enum class Step : uint8_t { kResolve, kFetch, kCheck, kStage, kSwap, kAnnounce };
  static Step step_of(const sources::Progress& progress);

  void report(const sources::Progress& progress);
  void publish(Step step, uint64_t done, uint64_t total);

  const std::stop_token cancelled_;
  const std::function<void(const CallProgress&)> progress_;
  const std::string caller_;
  const std::string name_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  CallProgress now_{.step = "wait"};
  std::string logged_;  // step of the source
  Step step_ = Step::kResolve;
  bool published_ = false;
  std::chrono::steady_clock::time_point last_;
  std::atomic<bool> swapped_ = false;
};

// What a caller who cancelled in time is told about `name`.
Error download_cancelled(const std::string& name);

}  // namespace iii::directory
