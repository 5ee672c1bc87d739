#include "functions/downloader.h"

#include <exception>
#include <utility>

#include "base/log.h"

namespace iii::directory {

namespace {

using sources::InstallReport;
using sources::NamespaceResult;

// Steps of one download as log lines; not every block of bytes.
std::function<void(const sources::Progress&)> log_steps(std::string name) {
  return [name = std::move(name), last = std::string()](const sources::Progress& progress) mutable {
    if (progress.step == last) return;
    last = progress.step;
    log_info("{}: {}", name, progress.step);
  };
}

// A job whose changes are told as a download from the swap on.
sources::Job job_of(const sources::Downloads& downloads, Library& library, std::string name,
                    std::string_view source) {
  sources::Job job = downloads.job(log_steps(name));
  job.before_swap = [&marks = library.download_marks(), name = std::move(name),
                     source = std::string(source)](const std::vector<std::string>& paths) {
    marks.announce(name, source, paths);
  };
  return job;
}

// Nothing that goes wrong in a library of others may leave a download without its end.
template <typename T, typename F>
Result<T> guarded(F work) {
  try {
    return work();
  } catch (const std::exception& e) {
    log_warn("download: {}", e.what());
    return fail("D330", "D330 write_failed: something unexpected went wrong. Next: try again.");
  }
}

}  // namespace

Downloader::~Downloader() {
  downloads_->cancel();
  for (const auto& weak : earlier_) {
    if (const auto earlier = weak.lock()) earlier->cancel();
  }
  pool_.stop();
}

void Downloader::use(std::shared_ptr<sources::Downloads> downloads) {
  std::erase_if(earlier_, [](const auto& weak) { return weak.expired(); });
  earlier_.push_back(std::exchange(downloads_, std::move(downloads)));
}

sdk::Task<Result<InstallReport>> Downloader::install(sources::Source source,
                                                     sources::InstallOptions options) {
  const std::string name = sources::namespace_of(source);
  changes_.begin(name, sources::kind_of(source));
  auto work = [downloads = downloads_, library = &library_, source, options, name] {
    const auto download = [&] {
      return downloads->download(source, options,
                                 job_of(*downloads, *library, name, sources::kind_of(source)));
    };
    return guarded<InstallReport>(download);
  };
  Result<InstallReport> report = co_await pool_.run(std::move(work));
  co_await changes_.end(name, report && report->skills_changed, report && report->prompts_changed);
  if (!report) {
    log_warn("{}: {}", name, report.error().message);
    co_return std::unexpected(on_the_bus(std::move(report.error())));
  }
  library_.installed().forget();
  log_info("{}: {} skills, {} prompts written, {} unchanged, {} pruned, {} kept as edited", name,
           report->skills_written.size(), report->prompts_written.size(), report->unchanged.size(),
           report->pruned.size(), report->conflicts.size());
  co_return report;
}

sdk::Task<Result<NamespaceResult>> Downloader::again(Again what, std::string name_space,
                                                     std::string_view source_kind, bool force) {
  changes_.begin(name_space, source_kind);
  auto work = [downloads = downloads_, library = &library_, what, name_space, force,
               kind = std::string(source_kind)] {
    const auto repeat = [&]() -> Result<NamespaceResult> {
      const sources::Job job = job_of(*downloads, *library, name_space, kind);
      auto outcomes = what == Again::kUpdate ? downloads->update(name_space, force, job)
                                             : downloads->restore(name_space, force, job);
      if (!outcomes) return std::unexpected(std::move(outcomes.error()));
      return std::move(outcomes->front());
    };
    return guarded<NamespaceResult>(repeat);
  };
  Result<NamespaceResult> outcome = co_await pool_.run(std::move(work));
  const bool done = outcome && outcome->report;
  co_await changes_.end(name_space, done && outcome->report->skills_changed,
                        done && outcome->report->prompts_changed);
  if (!outcome) co_return std::unexpected(on_the_bus(std::move(outcome.error())));
  library_.installed().forget();
  co_return outcome;
}

Error on_the_bus(Error error) { return {"invocation_failed", std::move(error.message)}; }

}  // namespace iii::directory
