// `why`: whether a document is served, and why not.
#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/next_step.h"
#include "faces/cli/output.h"
#include "faces/cli/styled.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using cli::Style;

void show_verdict(const json::Value& answer, const cli::Args& args) {
  cli::Styled out;
  const std::string verdict = text_at(answer, "verdict");
  out.add(printable(text_at(answer, "id")), Style::kName);
  out.add("  " + printable(verdict) + "\n", verdict == "served" ? Style::kPlain : Style::kBold);
  out.add("  " + printable(text_at(answer, "reason")) + "\n", Style::kDim);
  cli::print_styled(out, cli::screen_of(args));
}

std::string near_of(const json::Value& answer) {
  std::vector<std::string> ids;
  for (const json::Value& id : rows_at(answer, "near")) {
    if (id.as_string() != nullptr) ids.push_back(printable(*id.as_string()));
  }
  return join(ids, ", ");
}

}  // namespace

int run_why(const cli::Args& args) {
  Result<std::unique_ptr<Caller>> caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  const json::Object input{{"id", args.positionals().front()}};
  const Result<json::Value> answer = (*caller)->ask("directory::skills::explain", input);
  if (!answer) return cli::complain(answer.error());
  const int code = text_at(*answer, "verdict") == "served" ? 0 : 1;
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(*answer));
    return code;
  }
  say_where(**caller, args);
  show_verdict(*answer, args);
  if (const std::string near = near_of(*answer); !near.empty()) {
    cli::note("Did you mean: {}? Next: run `iii-directory why` with one of them.\n", near);
  } else if (const std::string next = text_at(*answer, "next"); !next.empty()) {
    cli::note("Next: {}\n", cli::as_commands(next));
  }
  return code;
}

}  // namespace iii::daemon
