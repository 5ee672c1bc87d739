// `registry search|info`: the public registry of workers.
#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/markdown.h"
#include "faces/cli/output.h"
#include "faces/cli/table.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using cli::Style;

int search(Caller& caller, const cli::Args& args) {
  json::Object input;
  if (args.positionals().size() > 1) input.emplace("search", args.positionals()[1]);
  const auto answer = caller.ask("directory::registry::workers::list", input);
  if (!answer) return cli::complain(answer.error());
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(*answer));
    return 0;
  }
  const cli::Screen screen = cli::screen_of(args);
  cli::Table table({{"WORKER", Style::kName}, {"VERSION"}, {"TYPE"}, {"DESCRIPTION", Style::kDim}});
  for (const json::Value& row : rows_at(*answer, "workers")) {
    table.add({text_at(row, "name"), text_at(row, "version"), text_at(row, "type"),
               text_at(row, "description")});
  }
  cli::print_styled(table.text(screen), screen);
  if (table.size() == 0) cli::note("No worker matches.\n");
  const json::Value* page = answer->find("pagination");
  if (page != nullptr && flag_at(*page, "has_more")) {
    cli::note("There are more. Next: search for something narrower.\n");
  }
  return 0;
}

void show_list(const json::Value& tree, const char* key, const char* name, const char* title,
               const cli::Screen& screen) {
  if (rows_at(tree, key).empty()) return;
  cli::Styled head;
  cli::print_styled(head.add("\n" + std::string(title) + "\n", Style::kBold), screen);
  cli::Table table({{"NAME", Style::kName}, {"DESCRIPTION", Style::kDim}});
  for (const json::Value& row : rows_at(tree, key)) {
    table.add({text_at(row, name), text_at(row, "description")});
  }
  cli::print_styled(table.text(screen), screen);
}

int info(Caller& caller, const cli::Args& args) {
  if (args.positionals().size() < 2) {
    return cli::complain({"usage",
                          "registry info: name a worker, for example `iii-directory "
                          "registry info resend`."});
  }
  const std::string& word = args.positionals()[1];
  const size_t at = word.find('@');
  json::Object input{{"name", word.substr(0, at)}};
  if (at != std::string::npos) input.emplace("version", word.substr(at + 1));
  if (const auto tag = args.value("tag")) input.emplace("tag", *tag);
  const auto answer = caller.ask("directory::registry::workers::info", input);
  if (!answer) return cli::complain(answer.error());
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(*answer));
    return 0;
  }
  const cli::Screen screen = cli::screen_of(args);
  const json::Value* worker = answer->find("worker");
  const json::Value none;
  const json::Value& row = worker == nullptr ? none : *worker;
  cli::Styled head;
  head.add(printable(text_at(row, "name")), Style::kTitle);
  head.add(
      "  " + printable(text_at(row, "version")) + "  " + printable(text_at(row, "repo")) + "\n",
      Style::kDim);
  head.add(printable(text_at(row, "description")) + "\n");
  cli::print_styled(head, screen);
  if (const json::Value* tree = answer->find("skills_tree")) {
    show_list(*tree, "skills", "path", "Skills", screen);
    show_list(*tree, "prompts", "name", "Prompts", screen);
  }
  if (const json::Value* api = answer->find("api_reference")) {
    show_list(*api, "functions", "name", "Functions", screen);
    show_list(*api, "triggers", "name", "Trigger types", screen);
  }
  const std::string readme = text_at(*answer, "readme");
  if (readme.empty()) return 0;
  cli::print_text("\n");
  if (screen.terminal && !args.has("raw")) {
    cli::print_styled(cli::render_markdown(readme, screen.width), screen);
  } else {
    cli::print_document(readme.ends_with('\n') ? readme : readme + "\n", screen);
  }
  return 0;
}

}  // namespace

int run_registry(const cli::Args& args) {
  const std::string& what = args.positionals().front();
  if (what != "search" && what != "info") {
    return cli::complain({"usage", "registry: '" + what + "' is not one of search, info." +
                                       cli::did_you_mean(what, {"search", "info"})});
  }
  const auto caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  (*caller)->set_timeout(std::chrono::milliseconds(90'000));
  return what == "search" ? search(**caller, args) : info(**caller, args);
}

}  // namespace iii::daemon
