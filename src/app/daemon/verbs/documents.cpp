// `index`, `search`, `prompts`: lists of documents.
#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/markdown.h"
#include "faces/cli/output.h"
#include "faces/cli/table.h"
#include "foundation/base/counted.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using cli::Style;

struct Asked {
  std::unique_ptr<Caller> caller;
  std::string answer;
};

// Asks, and says where the answer comes from. Nothing: the error was told, `code` has the exit
// code.
std::optional<Asked> ask(const cli::Args& args, const std::string& function_id,
                         const json::Object& input, int& code) {
  Result<std::unique_ptr<Caller>> caller = caller_of(args);
  if (!caller) {
    code = cli::complain(caller.error());
    return std::nullopt;
  }
  Result<std::string> answer = (*caller)->call(function_id, json::to_text(input));
  if (!answer) {
    code = cli::complain(answer.error());
    return std::nullopt;
  }
  code = 0;
  say_where(**caller, args);
  return Asked{std::move(*caller), std::move(*answer)};
}

std::string text_of(json::Slice row, std::string_view key) {
  const auto value = json::member(row, key);
  return value && json::kind_of(*value) == json::Kind::kString ? json::string_of(*value) : "";
}

// Calls `take` for every element of the array `key`, without building values: a list may be long.
template <typename Take>
void each_row(const std::string& answer, std::string_view key, Take take) {
  const auto rows = json::member(json::trimmed(answer), key);
  if (!rows) return;
  json::Walker walker(*rows);
  json::Slice ignored;
  json::Slice row;
  while (walker.next(ignored, row)) take(row);
}

}  // namespace

int run_index(const cli::Args& args) {
  json::Object input;
  if (!args.positionals().empty()) input.emplace("prefix", args.positionals().front());
  int code = 0;
  const auto asked = ask(args, "directory::skills::index", input, code);
  if (!asked) return code;
  if (args.has("json")) {
    cli::print_json(asked->answer);
    return 0;
  }
  const cli::Screen screen = cli::screen_of(args);
  const std::string body = text_of(json::trimmed(asked->answer), "body");
  if (screen.terminal && !args.has("raw")) {
    cli::print_styled(cli::render_markdown(body, screen.width), screen);
  } else {
    cli::print_text(body.ends_with('\n') ? body : body + "\n");
  }
  return 0;
}

namespace {

// What a server without search can say: rows that have the text, in the shape of search.
Result<std::string> search_by_list(Caller& caller, const std::string& query, int64_t limit) {
  const auto found =
      caller.ask("directory::skills::list", json::Object{{"search", query}, {"limit", limit}});
  if (!found) return std::unexpected(found.error());
  json::Array rows;
  for (const json::Value& row : rows_at(*found, "skills")) {
    json::Object out{{"rank", static_cast<int64_t>(rows.size() + 1)}, {"score", 0.0}};
    for (const char* key : {"id", "title", "description", "kind"})
      out.emplace(key, text_at(row, key));
    rows.emplace_back(std::move(out));
  }
  const auto searched = static_cast<int64_t>(rows.size());
  return json::to_text(json::Object{{"skills", std::move(rows)},
                                    {"searched", searched},
                                    {"next", "call directory::skills::get with an id"}});
}

Result<std::string> search(Caller& caller, const std::string& query, int64_t limit) {
  Result<std::string> answer = caller.call(
      "directory::skills::search", json::to_text(json::Object{{"query", query}, {"limit", limit}}));
  if (answer) return answer;
  const bool missing =
      answer.error().code == "function_not_found" || answer.error().code == "no_server";
  return missing ? search_by_list(caller, query, limit) : answer;
}

void show_found(const json::Value& answer, const cli::Screen& screen) {
  cli::Table table({{"ID", Style::kName}, {"TITLE"}, {"WHY", Style::kDim}});
  for (const json::Value& row : rows_at(answer, "skills")) {
    const json::Value* snippet = row.find("snippet");
    const std::string why = snippet != nullptr ? text_at(*snippet, "text") : "";
    table.add({text_at(row, "id"), text_at(row, "title"),
               why.empty() ? text_at(row, "description") : why});
  }
  cli::print_styled(table.text(screen), screen);
  if (table.size() > 0) return;
  std::string near;
  for (const json::Value& id : rows_at(answer, "nearest")) {
    if (id.as_string() != nullptr) near += (near.empty() ? "" : ", ") + *id.as_string();
  }
  cli::note("Nothing was found.{} Next: use other words, or see `iii-directory list`.\n",
            near.empty() ? "" : " Nearest: " + near + ".");
}

}  // namespace

int run_search(const cli::Args& args) {
  const auto limit = cli::number("limit", args.value("limit").value_or("20"), 1, 100);
  if (!limit) return cli::complain(limit.error());
  Result<std::unique_ptr<Caller>> caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  const Result<std::string> answer = search(**caller, join(args.positionals(), " "), *limit);
  if (!answer) return cli::complain(answer.error());
  if (args.has("json")) {
    cli::print_json(*answer);
    return 0;
  }
  say_where(**caller, args);
  const auto value = json::parse(*answer);
  if (!value) return cli::complain(value.error());
  show_found(*value, cli::screen_of(args));
  return 0;
}

int run_prompts(const cli::Args& args) {
  int code = 0;
  const auto asked = ask(args, "directory::prompts::list", {}, code);
  if (!asked) return code;
  if (args.has("json")) {
    cli::print_json(asked->answer);
    return 0;
  }
  const cli::Screen screen = cli::screen_of(args);
  cli::Table table({{"NAME", Style::kName}, {"DESCRIPTION"}});
  each_row(asked->answer, "prompts", [&](json::Slice row) {
    table.add({text_of(row, "name"), text_of(row, "description")});
  });
  cli::print_styled(table.text(screen), screen);
  if (table.size() == 0) {
    cli::note("There are no prompts yet. Next: `iii-directory new prompt NAME` writes one.\n");
  }
  return 0;
}

}  // namespace iii::daemon
