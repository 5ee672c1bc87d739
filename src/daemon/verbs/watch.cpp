// `watch`: changes as they happen, from directory::changes.
#include <atomic>
#include <chrono>
#include <thread>

#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/table.h"
#include "daemon/verbs/caller.h"
#include "daemon/verbs/rows.h"
#include "daemon/verbs/verbs.h"
#include "json/write.h"

namespace iii::daemon {

namespace {

using cli::Style;

constexpr std::chrono::milliseconds kPause{200};

std::atomic<bool> stop = false;

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

}  // namespace

int run_watch(const cli::Args& args) {
  const auto count = cli::number("count", args.value("count").value_or("0"), 0, 1'000'000'000);
  if (!count) return cli::complain(count.error());
  const auto caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  const std::string prefix = args.positionals().empty() ? "" : args.positionals().front();
  const cli::Screen screen = cli::screen_of(args);
  cli::catch_interrupts(stop);
  auto answer = (*caller)->ask("directory::changes");
  if (!answer) return cli::complain(answer.error());
  if (!args.has("json")) cli::note("Watching ({}). Ctrl-C ends it.\n", (*caller)->where());
  int64_t seen = 0;
  while (!stop) {
    const json::Object since{{"since", number_at(*answer, "generation")},
                             {"epoch", text_at(*answer, "epoch")}};
    answer = (*caller)->ask("directory::changes", since);
    if (!answer) return stop ? cli::kInterrupted : cli::complain(answer.error());
    if (flag_at(*answer, "truncated")) {
      cli::note("Note: changes are missing; the server was restarted, or there were too many.\n");
    }
    for (const json::Value& change : rows_at(*answer, "changes")) {
      if (!text_at(change, "id").starts_with(prefix)) continue;
      show(change, args, screen);
      if (++seen == *count) return 0;
    }
    if (cli::finish_output(0) != 0) return 1;
    if (!flag_at(*answer, "more")) std::this_thread::sleep_for(kPause);
  }
  return cli::kInterrupted;
}

}  // namespace iii::daemon
