#include "app/daemon/verbs/caller.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "app/daemon/verbs/call_progress.h"
#include "directory/installing/jobs.h"
#include "faces/cli/engine_link.h"
#include "faces/cli/output.h"
#include "faces/cli/ticker.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using std::chrono::milliseconds;

// How far the server is with what this process asked for.
void tell_own(std::string_view answer, CallProgress& progress) {
  const auto output = json::decode<directory::JobsOutput>(answer);
  if (!output) return;
  for (const directory::JobRow& job : output->jobs) {
    if (job.own) progress.tell(job.step, job.done, job.total);
  }
}

class Server final : public Caller {
 public:
  Server(std::unique_ptr<cli::EngineLink> link, std::string address)
      : link_(std::move(link)), address_(std::move(address)) {}

  Result<std::string> call(const std::string& function_id, const std::string& payload) override {
    cli::EngineLink::Call call{.function_id = function_id,
                               .payload = payload,
                               .name_space = {},
                               .timeout = timeout_,
                               .meanwhile = {},
                               .on_meanwhile = {}};
    CallProgress progress(about_, "waiting for the server");
    std::optional<cli::Ticker> ticker;
    if (!about_.empty()) {
      ticker.emplace([&progress] { return progress.now(); });
      call.meanwhile = "directory::jobs";
      call.on_meanwhile = [&progress](std::string_view jobs) { tell_own(jobs, progress); };
    }
    Result<std::string> answer = link_->call(call);
    ticker.reset();
    if (answer || answer.error().code != "function_not_found") return answer;
    return fail("function_not_found",
                "the server at " + address_ + " has no function " + function_id +
                    ". Next: is it an engine without the directory? `iii-directory workers` shows "
                    "who is connected; --skills DIR reads a folder instead.");
  }
  bool is_server() const override { return true; }
  std::string where() const override { return "server " + address_; }
  void set_timeout(milliseconds timeout) override { timeout_ = timeout; }

 private:
  std::unique_ptr<cli::EngineLink> link_;
  std::string address_;
  milliseconds timeout_{30'000};
};

constexpr milliseconds kPatient{10'000};
// Several downloads, each within the time-out of the server.
constexpr milliseconds kInstallTimeout{3'600'000};

bool names_folders(const cli::Args& args) {
  return (args.has("skills") || args.has("config")) && !args.has("url");
}

}  // namespace

Result<json::Value> Caller::ask(const std::string& function_id, const json::Object& input) {
  const Result<std::string> answer = call(function_id, json::to_text(input));
  if (!answer) return std::unexpected(answer.error());
  return json::parse(*answer);
}

bool names_server(const cli::Args& args) {
  const Result<cli::EngineAddress> address = cli::engine_address(args);
  return address && address->explicitly && !names_folders(args);
}

Result<std::unique_ptr<Caller>> server_of(const cli::Args& args, Use use) {
  const Result<cli::EngineAddress> address = cli::engine_address(args);
  if (!address) return std::unexpected(address.error());
  if (names_folders(args)) return nullptr;
  const bool must = address->explicitly || use == Use::kServer;
  auto link = cli::EngineLink::open(*address, must ? kPatient : cli::EngineLink::kLooking);
  if (!link && (must || link.error().code == "unauthorized")) {
    return std::unexpected(link.error());
  }
  if (!link) return nullptr;
  auto server = std::make_unique<Server>(std::move(*link), address->text());
  // An engine that happens to run there need not have a directory.
  const auto health = must ? Result<std::string>() : server->call("directory::health", "{}");
  if (!health && health.error().code == "function_not_found") return nullptr;
  if (use == Use::kInstall) server->set_timeout(kInstallTimeout);
  return server;
}

Result<std::unique_ptr<Caller>> caller_of(const cli::Args& args, Use use) {
  Result<std::unique_ptr<Caller>> server = server_of(args, use);
  return server && *server == nullptr ? local_caller(args, use) : std::move(server);
}

void say_where(const Caller& caller, const cli::Args& args) {
  if (args.has("json") || ::isatty(STDOUT_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return;
  cli::note("({})\n", caller.where());
}

}  // namespace iii::daemon
