// `watch`: changes as they happen. A server calls us when there are some (the on-change types);
// folders are looked at again and again. Either way directory::changes says which.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"
#include "app/daemon/version.h"
#include "bus/sdk/worker.h"
#include "faces/cli/engine_link.h"
#include "faces/cli/interrupt.h"
#include "faces/cli/output.h"
#include "faces/cli/table.h"
#include "foundation/base/log.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using cli::Style;

constexpr std::chrono::milliseconds kPause{200};

std::atomic<bool> stop_watching = false;

Style style_of(const std::string& change) {
  if (change == "added") return Style::kGood;
  return change == "removed" ? Style::kBad : Style::kWarn;
}

void show(const json::Value& change, const cli::Args& args, const cli::Screen& screen) {
  if (args.has("json")) {
    cli::print_json(json::to_text(change));
    return;
  }
  const std::string what = text_at(change, "change");
  cli::Styled line;
  line.add(what, style_of(what)).add(std::string(what.size() < 9 ? 9 - what.size() : 1, ' '));
  line.add(text_at(change, "kind") + "  ", Style::kDim);
  line.add(printable(text_at(change, "id")), Style::kName);
  line.add("  " + text_at(change, "op") + "\n", Style::kDim);
  cli::print_styled(line, screen);
}

// What was seen so far, and how the changes after it are shown.
class Feed {
 public:
  Feed(const cli::Args& args, int64_t count)
      : args_(args),
        screen_(cli::screen_of(args)),
        prefix_(args.positionals().empty() ? "" : args.positionals().front()),
        count_(count) {}

  // The input of the next call of directory::changes.
  json::Object question() const {
    if (!begun_) return {};
    return {{"since", generation_}, {"epoch", epoch_}};
  }
  // Shows what the answer has; the first one only says where to begin. True: ask again at once.
  bool take(const json::Value& answer, const std::string& where) {
    generation_ = number_at(answer, "generation");
    epoch_ = text_at(answer, "epoch");
    if (!std::exchange(begun_, true)) {
      if (!args_.has("json")) cli::note("Watching ({}). Ctrl-C ends it.\n", where);
      return false;
    }
    if (flag_at(answer, "truncated")) {
      cli::note("Note: changes are missing; the server was restarted, or there were too many.\n");
    }
    for (const json::Value& change : rows_at(answer, "changes")) {
      if (end_ || !text_at(change, "id").starts_with(prefix_)) continue;
      show(change, args_, screen_);
      if (++seen_ == count_) end_ = 0;
    }
    if (cli::finish_output(0) != 0) end_ = 1;
    if (cli::reader_left()) end_ = 0;
    return !end_ && flag_at(answer, "more");
  }
  bool begun() const { return begun_; }
  // The exit code, once there is nothing more to do.
  const std::optional<int>& end() const { return end_; }

 private:
  const cli::Args& args_;
  const cli::Screen screen_;
  const std::string prefix_;
  const int64_t count_;  // 0: no end
  bool begun_ = false;
  int64_t generation_ = 0;
  std::string epoch_;
  int64_t seen_ = 0;
  std::optional<int> end_;
};

int poll(Caller& caller, Feed& feed) {
  cli::catch_interrupts(stop_watching);
  while (!stop_watching) {
    const auto answer = caller.ask("directory::changes", feed.question());
    if (!answer) return stop_watching ? cli::kInterrupted : cli::complain(answer.error());
    const bool more = feed.take(*answer, caller.where());
    if (feed.end()) return *feed.end();
    if (!more) std::this_thread::sleep_for(kPause);
  }
  return cli::kInterrupted;
}

// A worker of the server for as long as this runs: the server calls it after every change, and
// while the server is away it waits for it to come back.
class ServerWatch {
 public:
  ServerWatch(const cli::EngineAddress& address, Feed& feed)
      : feed_(feed),
        where_("server " + address.text()),
        worker_(options_for(address), loop_),
        function_("iii-cli::watch-" + std::to_string(::getpid())) {}

  int run() {
    const sdk::FunctionOptions about{.id = function_,
                                     .description = "Told about changes.",
                                     .metadata = json::Raw{R"({"internal":true})"}};
    const auto told = worker_.function(about, [this](const json::Raw&) {
      look();
      return json::Raw{};
    });
    if (!told) return cli::complain(told.error());
    for (const char* type : {"directory::skills::on-change", "directory::prompts::on-change"}) {
      sdk::TriggerSpec spec;
      spec.trigger_type = type;
      spec.function_id = function_;
      spec.config = "{}";
      // A directory without these types is asked again and again, as folders are.
      spec.on_rejected = [this](const auto&) { polls_ = true; };
      if (const auto bound = worker_.bind(std::move(spec)); !bound) {
        return cli::complain(bound.error());
      }
    }
    worker_.on_ready([this] { look(); });
    loop_.on_stop_signals([this] { end(cli::kInterrupted); });
    if (auto started = worker_.start(); !started) return cli::complain(started.error());
    loop_.run();
    return worker_.fatal_error() ? cli::complain(*worker_.fatal_error()) : code_;
  }

 private:
  static sdk::WorkerOptions options_for(const cli::EngineAddress& address) {
    sdk::WorkerOptions out;
    out.url = address.text();
    out.token = address.token;
    out.name = "iii-cli:watch-" + std::to_string(::getpid());
    out.version = kVersion;
    return out;
  }

  // What comes while the server is being asked is asked for afterwards.
  void look() {
    again_ = true;
    if (!std::exchange(looking_, true)) worker_.spawn(ask());
  }
  task::Task<void> ask() {
    while (again_) {
      again_ = false;
      bool polls = polls_;
      const sdk::Reply<json::Raw> answer = co_await worker_.trigger<json::Raw>(
          "directory::changes", json::Raw{json::to_text(feed_.question())});
      const auto value = answer ? json::parse(answer->text) : fail("", "");
      // Away: on_ready comes again.
      if (answer && value) again_ |= feed_.take(*value, where_);
      if (!answer && answer.error().code == "function_not_found") {
        if (!feed_.begun()) {
          end(cli::complain({"", "the server has no directory that tells about changes."}));
        }
        polls = true;  // the directory was there: it is being restarted
      }
      if (feed_.end()) end(*feed_.end());
      if (polls && !ended_) {
        co_await worker_.sleep(kPause);
        again_ = true;
      }
      again_ = again_ && !ended_;
    }
    looking_ = false;
  }
  void end(int code) {
    if (std::exchange(ended_, true)) return;
    code_ = code;
    worker_.stop([this] { loop_.stop(); });
  }

  Feed& feed_;
  const std::string where_;
  net::Loop loop_;
  sdk::Worker worker_;
  const std::string function_;
  bool polls_ = false;
  bool again_ = false;
  bool looking_ = false;
  bool ended_ = false;
  int code_ = 0;
};

}  // namespace

int run_watch(const cli::Args& args) {
  int64_t count = 0;
  if (const auto text = args.value("count")) {
    const auto given = cli::number("count", *text, 1, 1'000'000'000);
    if (!given) return cli::complain(given.error());
    count = *given;
  }
  const auto caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  Feed feed(args, count);
  if (!(*caller)->is_server()) return poll(**caller, feed);
  set_log_level(LogLevel::kWarn);
  const auto address = cli::engine_address(args);
  if (!address) return cli::complain(address.error());
  return ServerWatch(*address, feed).run();
}

}  // namespace iii::daemon
