// directory::jobs: how far downloads are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::directory {

class Downloader;
class FunctionTable;

struct JobRow {
  std::string about;
  std::string step;
  uint64_t done = 0;
  uint64_t total = 0;
  uint64_t seconds = 0;
  bool own = false;
};
struct JobsOutput {
  std::vector<JobRow> jobs;
};

inline auto describe(json::Type<JobRow>) {
  using T = JobRow;
  return json::object<T>(
      "Job", "",
      json::field("about", &T::about,
                  "Namespace or repository, or `skills_folder` for everything that is installed."),
      json::field("step", &T::step,
                  "`wait` (for other downloads), `resolve`, `fetch`, `check`, `stage`, `swap` or "
                  "`announce`. From `swap` on it can no longer be cancelled."),
      json::field("done", &T::done, "Bytes or files of this step that are done."),
      json::field("total", &T::total, "How many there are; 0 when that is not known."),
      json::field("seconds", &T::seconds, "Seconds since it was asked for."),
      json::field("own", &T::own, "The worker that asks now asked for it, too."));
}
inline auto describe(json::Type<JobsOutput>) {
  return json::object<JobsOutput>("JobsOutput", "",
                                  json::field("jobs", &JobsOutput::jobs, "The oldest first."));
}

void add_jobs(FunctionTable& table, const Downloader& downloader);

}  // namespace iii::directory
