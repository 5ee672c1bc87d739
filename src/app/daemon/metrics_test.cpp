#include "app/daemon/metrics.h"

#include <gmock/gmock.h>

namespace iii::daemon {
namespace {

using testing::HasSubstr;
using testing::Not;

Metrics sample() {
  Metrics out;
  out.version = "1.2.3";
  out.mode = "serve";
  out.bus.calls = 12;
  out.bus.errors_by_code = {{"broken \"x\"\n", 2}};
  FunctionMetrics f{.id = "demo::f", .name_space = "default", .calls = 10, .errors = 2};
  f.latencies.record(300);
  out.bus.functions = {f};
  out.bus.others = {.id = "other", .name_space = {}, .calls = 2};
  return out;
}

TEST(MetricsText, FunctionsAndTheRest) {
  const std::string text = metrics_text(sample(), {});
  EXPECT_THAT(text, HasSubstr("iii_build_info{version=\"1.2.3\",mode=\"serve\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("iii_calls_total 12\n"));
  EXPECT_THAT(text, HasSubstr("iii_call_errors_total{code=\"broken \\\"x\\\"\\n\"} 2\n"));
  EXPECT_THAT(text,
              HasSubstr("iii_function_calls_total{function=\"demo::f\",namespace=\"default\"} 10\n"
                        "iii_function_calls_total{function=\"other\",namespace=\"\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("iii_function_duration_seconds_bucket{function=\"demo::f\","
                              "namespace=\"default\",le=\"0.000512\"} 1\n"));
}

TEST(MetricsText, TheDirectoryIsLeftOutWhereThereIsNone) {
  Metrics metrics = sample();
  EXPECT_THAT(metrics_text(metrics, {}), Not(HasSubstr("iii_directory")));
  metrics.directory.emplace();
  metrics.directory->content.skills = 7;
  EXPECT_THAT(metrics_text(metrics, {}), HasSubstr("iii_directory_skills 7\n"));
  EXPECT_THAT(metrics_text(metrics, {}), Not(HasSubstr("iii_mcp")));
}

TEST(MetricsText, TheProcess) {
  const ProcessUsage now = process_usage();
  EXPECT_GT(now.resident_bytes, 1'000'000U);
  EXPECT_GT(now.open_files, 2U);
  EXPECT_GE(now.max_open_files, now.open_files);
  EXPECT_GT(now.started_at, 1.6e9);
  EXPECT_THAT(metrics_text(sample(), now), HasSubstr("process_open_fds "));
}

// At most so many functions are told apart, and nothing is lost.
TEST(BusMetrics, TheRestIsSummedUp) {
  net::Loop loop;
  engine::EmbeddedOptions options;
  auto embedded = engine::Embedded::start(loop, std::move(options));
  ASSERT_TRUE(embedded);
  engine::CallStats& stats = (*embedded)->engine().calls();
  std::vector<std::shared_ptr<engine::CallRecord>> records;
  const auto now = std::chrono::steady_clock::now();
  for (int i = 1; i <= 10; ++i) {
    records.push_back(std::make_shared<engine::CallRecord>("default", "f" + std::to_string(i)));
    for (int call = 0; call < i; ++call) stats.answered(records.back(), now, now, "");
  }
  stats.forget(*records[9]);
  stats.refused(nullptr, "function_not_found", now);
  const BusMetrics told = bus_metrics(**embedded, 3);
  std::vector<std::string> ids;
  for (const FunctionMetrics& function : told.functions) ids.push_back(function.id);
  EXPECT_THAT(ids, testing::UnorderedElementsAre("f9", "f8", "f7"));
  EXPECT_EQ(told.calls, 56U);
  EXPECT_EQ(told.others.calls, 56U - 9 - 8 - 7);
  EXPECT_EQ(told.others.latencies.count(), 55U - 9 - 8 - 7);
  EXPECT_EQ(told.others.errors, 1U);
  (*embedded)->stop();
}

}  // namespace
}  // namespace iii::daemon
