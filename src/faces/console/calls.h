// POST /console/call and POST /console/cancel: one function of the table or of the bus at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/client_shares.h"
#include "bus/net/http_message.h"
#include "bus/net/loop.h"
#include "directory/table/function.h"
#include "faces/console/host.h"
#include "foundation/task/task_group.h"

namespace iii::console {

struct CallLimits {
  size_t max_body_bytes = 4 * 1024 * 1024;
  // A larger body is read on another thread.
  size_t large_body_bytes = 64 * 1024;
  size_t max_answer_bytes = 4 * 1024 * 1024;
  size_t max_running = 128;  // that clients share as net::Places says
  std::chrono::milliseconds read_timeout{30'000};
  std::chrono::milliseconds write_timeout{600'000};  // of the directory's own functions that write
  std::chrono::milliseconds progress_pause{100};     // between two reports of one step
};

// How far a call with a name is.
struct JobProgress {
  std::string job;
  std::string step;
  uint64_t done = 0;
  uint64_t total = 0;
  std::string_view state;  // `running`, `done`, `failed` or `cancelled`
  std::string code = {};   // of the error, when it failed
  std::string message = {};
};

// On the loop thread.
class Calls {
 public:
  using ResponsePtr = std::shared_ptr<net::HttpResponse>;
  using Tell = std::function<void(const JobProgress&)>;

  // `host` is used when a call comes, and outlives this.
  Calls(net::Loop& loop, const Host& host, Tell tell, CallLimits limits = {},
        std::shared_ptr<net::ClientMemory> memory = nullptr);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  void call(net::HttpRequest request, ResponsePtr response);
  void cancel(const net::HttpRequest& request, const ResponsePtr& response);
  // What runs is told to end; nothing is waited for.
  void shut_down();

  // The calls with a name that are running.
  std::vector<JobProgress> jobs() const;

  const CallLimits& limits() const { return limits_; }
  size_t running() const { return tasks_.size(); }

 private:
  struct Input;
  struct Running;
  using RunningPtr = std::shared_ptr<Running>;

  // What a call has as long as it runs.
  struct Share {
    net::Places::Place place;
    net::KeptPtr memory;
  };

  task::Task<void> run(std::string body, ResponsePtr response, Share share);
  task::Task<void> run_own(RunningPtr running, directory::FunctionPtr function);
  task::Task<void> run_on_bus(RunningPtr running);
  task::Task<Result<std::optional<directory::Hints>>> ask_hints(std::string function_id);
  bool begin(const RunningPtr& running, std::chrono::milliseconds most);
  directory::Context context_of(const RunningPtr& running);
  void report(const RunningPtr& running, const directory::CallProgress& now);
  void finish(const RunningPtr& running, directory::Answer answer);
  void end_job(const RunningPtr& running, const Error* error);

  net::Loop& loop_;
  const Host& host_;
  const Tell tell_;
  const CallLimits limits_;
  const std::shared_ptr<net::ClientMemory> memory_;
  net::Places places_;
  std::map<std::string, RunningPtr, std::less<>> jobs_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  task::TaskGroup tasks_;
};

}  // namespace iii::console
