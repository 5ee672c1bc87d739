// The directory in this process, for verbs without a server: the same table of functions, on a loop
// that runs while a call is answered.
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "app/daemon/config_keys.h"
#include "app/daemon/configuration.h"
#include "app/daemon/directory.h"
#include "app/daemon/folders.h"
#include "app/daemon/local_folders.h"
#include "app/daemon/verbs/call_progress.h"
#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/credentials.h"
#include "app/daemon/verbs/rows.h"
#include "bus/net/loop.h"
#include "directory/content/progress.h"
#include "directory/table/function_table.h"
#include "faces/cli/ask.h"
#include "faces/cli/interrupt.h"
#include "faces/cli/output.h"
#include "faces/cli/ticker.h"
#include "foundation/base/log_sink.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

// Between two looks whether somebody pressed Ctrl-C.
constexpr std::chrono::milliseconds kLookPause{50};

class Folders final : public Caller {
 public:
  Folders(ConfigReading reading, Use use)
      : reading_(std::move(reading)),
        worker_(without_bus_worker(), loop_),
        directory_(without_bus(reading_.config),
                   DirectoryPlaces{.home = reading_.home, .local_sources = use == Use::kInstall},
                   worker_, std::string(Directory::kCommandLine)) {}

  Result<std::string> call(const std::string& function_id, const std::string& payload) override {
    if (function_id == "engine::functions::list") return list_functions();
    if (function_id == "engine::functions::info") return function_info(payload);
    if (directory_.functions().find(function_id) == nullptr) {
      return fail("no_server",
                  "this needs a running server, and there is none. Next: start one "
                  "with `iii-directory serve`, or name one with --url.");
    }
    const auto progress = std::make_shared<CallProgress>(about_, "working");
    const cli::Ticker ticker([progress] { return progress->now(); });
    std::optional<Result<std::string>> out;
    std::stop_source stop;
    tasks_.spawn(run(function_id, payload, progress, stop.get_token(), out));
    while (!out) {
      const TimerId look = loop_.after(kLookPause, [this] { loop_.stop(); });
      loop_.run();
      loop_.cancel(look);
      if (cli::was_interrupted()) stop.request_stop();
    }
    return std::move(*out);
  }
  bool is_server() const override { return false; }
  const Directory* directory() const override { return &directory_; }
  std::optional<std::filesystem::path> skills_folder() const override {
    return expand_path(reading_.config.skills_folder, reading_.home);
  }
  std::string where() const override {
    std::vector<std::string> paths;
    for (const Folder& folder : folders_of(reading_.config, reading_.home)) {
      if (folder.state == FolderState::kReadable) paths.push_back(folder.path.string());
    }
    return paths.empty() ? "no folder of skills exists yet" : "folders " + join(paths, ", ");
  }

 private:
  // What an engine would say about the functions of this process.
  Result<std::string> list_functions() {
    json::Array rows;
    for (const directory::FunctionPtr& function : directory_.functions().functions()) {
      if (function->info.hints.internal) continue;
      rows.emplace_back(json::Object{{"function_id", function->info.id},
                                     {"description", function->info.description},
                                     {"worker_name", "iii-directory"}});
    }
    return json::to_text(json::Object{{"functions", std::move(rows)}});
  }
  Result<std::string> function_info(const std::string& payload) {
    const auto input = json::parse(payload);
    const auto function =
        input ? directory_.functions().find(text_at(*input, "function_id")) : nullptr;
    if (function == nullptr) return fail("function_not_found", "there is no such function");
    const auto schema = [](const std::optional<std::string>& text) {
      const auto parsed = text ? json::parse(*text) : fail("", "");
      return parsed ? *parsed : json::Value();
    };
    return json::to_text(json::Object{{"description", function->info.description},
                                      {"worker_name", "iii-directory"},
                                      {"request_schema", schema(function->request_schema)},
                                      {"response_schema", schema(function->response_schema)}});
  }

  task::Task<void> run(std::string function_id, std::string payload,
                       std::shared_ptr<CallProgress> progress, std::stop_token stop,
                       std::optional<Result<std::string>>& out) {
    directory::Context context{.caller = "command line", .cancelled = std::move(stop)};
    context.progress = [progress = std::move(progress)](const directory::CallProgress& step) {
      progress->tell(step.step, step.done, step.total);
    };
    directory::Answer answer = co_await directory_.functions().call(
        std::move(function_id), std::move(context), {std::move(payload)});
    if (answer) {
      out = std::move(answer->text);
    } else {
      out = std::unexpected(std::move(answer.error()));
    }
    loop_.stop();
  }

  ConfigReading reading_;
  net::Loop loop_;
  sdk::Worker worker_;
  Directory directory_;
  task::TaskGroup tasks_;
};

// A person reads these lines between the answers: no time, no level.
void note_log_line(LogLevel level, std::string_view text) {
  cli::note("{}: {}{}\n", level == LogLevel::kError ? "Error" : "Warning", text,
            text.ends_with('.') ? "" : ".");
}

}  // namespace

Result<std::unique_ptr<Caller>> local_caller(const cli::Args& args, Use use) {
  set_log_sink(note_log_line);
  // What goes wrong with a download is in its answer.
  set_log_level(use == Use::kInstall ? LogLevel::kError : LogLevel::kWarn);
  Result<ConfigReading> reading = configuration_of(args, serve_defaults());
  if (!reading) return std::unexpected(reading.error());
  if (auto safe = check_access_rules(*reading); !safe) return std::unexpected(safe.error());
  // Who types the command may use what git would use for them; a script says so in the file.
  std::string& helper = reading->config.git_credential_helper;
  if (use == Use::kInstall && helper.empty() && cli::can_ask()) helper = own_credential_helper();
  return local_caller(*reading, use);
}

std::unique_ptr<Caller> local_caller(const ConfigReading& reading, Use use) {
  const cli::Ticker ticker([] {
    return cli::Tick{.step = "reading folders", .done = content::entries_looked_at().load()};
  });
  return std::make_unique<Folders>(reading, use);
}

}  // namespace iii::daemon
