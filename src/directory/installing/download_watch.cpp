#include "directory/installing/download_watch.h"

#include <array>
#include <utility>

#include "foundation/base/log.h"

namespace iii::directory {

namespace {

// How often a step reports how far it is.
constexpr std::chrono::milliseconds kInterval{100};

// A step of a source, for the log.
std::string_view step_text(std::string_view step) {
  if (step == "asking") return "asking its source what there is";
  if (step == "fetching") return "fetching files from its source";
  if (step == "checking") return "checking files";
  if (step == "writing") return "writing files";
  return step;
}

}  // namespace

DownloadWatch::DownloadWatch(const Context& context, std::string name)
    : cancelled_(context.cancelled),
      progress_(context.progress),
      caller_(context.caller),
      name_(std::move(name)) {}

CallProgress DownloadWatch::now() const {
  const std::lock_guard held(mutex_);
  return now_;
}

sources::Job DownloadWatch::attach(sources::Job job) {
  job.stop = cancelled_;
  job.report = [self = shared_from_this()](const sources::Progress& progress) {
    self->report(progress);
  };
  job.before_swap = [self = shared_from_this(),
                     before = std::move(job.before_swap)](const std::vector<std::string>& paths) {
    self->swapped_.store(true);
    self->publish(Step::kSwap, 0, paths.size());
    if (before) before(paths);
  };
  return job;
}

// Sources look at what they fetched, and may fetch more then: `checking` means the files of the
// bundle only when their number is known.
DownloadWatch::Step DownloadWatch::step_of(const sources::Progress& progress) {
  if (progress.step == "asking") return Step::kResolve;
  if (progress.step == "writing") return Step::kStage;
  if (progress.step == "checking" && progress.total > 0) return Step::kCheck;
  return Step::kFetch;
}

void DownloadWatch::report(const sources::Progress& progress) {
  if (progress.step != logged_) {  // not every block of bytes
    logged_ = progress.step;
    log_info("download of {}: {}{}", name_, step_text(progress.step),
             caller_.empty() ? "" : " (asked for by " + caller_ + ")");
  }
  const Step step = step_of(progress);
  // A source may ask once more while it fetches; what comes after a swap is the next batch.
  if (step < step_ && step_ != Step::kSwap) return;
  publish(step, progress.done, progress.total);
}

void DownloadWatch::publish(Step step, uint64_t done, uint64_t total) {
  constexpr auto kWords =
      std::to_array<const char*>({"resolve", "fetch", "check", "stage", "swap", "announce"});
  const auto now = std::chrono::steady_clock::now();
  const bool is_new = !published_ || step != step_;
  step_ = step;
  if (!is_new && now - last_ < kInterval) return;
  published_ = true;
  last_ = now;
  CallProgress progress{.step = kWords[static_cast<size_t>(step)], .done = done, .total = total};
  {
    const std::lock_guard held(mutex_);
    now_ = progress;
  }
  if (progress_) progress_(progress);
}

Error download_cancelled(const std::string& name) {
  return {"cancelled", "cancelled: stopped before anything was replaced; `" + name +
                           "` is as it was. Next: call again to start anew."};
}

}  // namespace iii::directory
