#include "directory/installing/jobs.h"

#include "directory/installing/downloader.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"

namespace iii::directory {

namespace {

struct JobsInput {};
auto describe(json::Type<JobsInput>) { return json::object<JobsInput>("JobsInput", ""); }

}  // namespace

void add_jobs(FunctionTable& table, const Downloader& downloader) {
  table.add<JobsInput, JobsOutput>(
      {.id = "directory::jobs",
       .title = "Downloads under way",
       .description = about::kJobs,
       .hints = {.read_only = true}},
      [&downloader](const Context& context, JobsInput) {
        JobsOutput out;
        for (const auto& job : downloader.jobs()) {
          const CallProgress now = job->now();
          const auto passed = std::chrono::steady_clock::now() - job->began();
          out.jobs.push_back({.about = job->name(),
                              .step = now.step,
                              .done = now.done,
                              .total = now.total,
                              .seconds = static_cast<uint64_t>(
                                  std::chrono::duration_cast<std::chrono::seconds>(passed).count()),
                              .own = job->caller() == context.caller});
        }
        return out;
      });
}

}  // namespace iii::directory
