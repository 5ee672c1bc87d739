#include "daemon/verbs/caller.h"

#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "cli/engine_link.h"
#include "cli/output.h"
#include "json/write.h"

namespace iii::daemon {

namespace {

using std::chrono::milliseconds;

class Server final : public Caller {
 public:
  Server(std::unique_ptr<cli::EngineLink> link, std::string address)
      : link_(std::move(link)), address_(std::move(address)) {}

  Result<std::string> call(const std::string& function_id, const std::string& payload) override {
    Result<std::string> answer = link_->call(
        {.function_id = function_id, .payload = payload, .name_space = {}, .timeout = timeout_});
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

// A server on this machine answers at once or is not there.
constexpr milliseconds kQuick{300};
constexpr milliseconds kPatient{10'000};

}  // namespace

Result<json::Value> Caller::ask(const std::string& function_id, const json::Object& input) {
  const Result<std::string> answer = call(function_id, json::to_text(input));
  if (!answer) return std::unexpected(answer.error());
  return json::parse(*answer);
}

Result<std::unique_ptr<Caller>> caller_of(const cli::Args& args, bool server_only) {
  const Result<cli::EngineAddress> address = cli::engine_address(args);
  if (!address) return std::unexpected(address.error());
  const bool folders_named = args.has("skills") || args.has("config");
  if (folders_named && !args.has("url")) return local_caller(args);
  const bool must = address->explicitly || server_only;
  auto link = cli::EngineLink::open(*address, must ? kPatient : kQuick);
  if (!link && (must || link.error().code == "unauthorized")) {
    return std::unexpected(link.error());
  }
  if (!link) return local_caller(args);
  auto server = std::make_unique<Server>(std::move(*link), address->text());
  if (must) return server;
  // An engine that happens to run there need not have a directory.
  const auto health = server->call("directory::health", "{}");
  if (!health && health.error().code == "function_not_found") return local_caller(args);
  return server;
}

void say_where(const Caller& caller, const cli::Args& args) {
  if (args.has("json") || ::isatty(STDOUT_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return;
  cli::note("({})\n", caller.where());
}

}  // namespace iii::daemon
