// `list`: one row per skill. A pipe gets all of them, page by page, as they come.
#include <algorithm>
#include <array>

#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/output.h"
#include "faces/cli/table.h"
#include "faces/cli/width.h"
#include "foundation/base/counted.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using cli::Style;

constexpr int64_t kTerminalRows = 100;
// Pages are as large as the buffers that are used again (kDiscardBytes, with the frame around the
// answer): what is larger is new memory each time, which the system has to clear.
constexpr int64_t kFirstPage = 1'000;
constexpr int64_t kMostRows = 100'000;
constexpr size_t kPageBytes = 240UL * 1024;

constexpr std::array<std::string_view, 3> kCellKeys = {R"("id")", R"("title")", R"("description")"};
using Cells = std::array<json::Slice, kCellKeys.size()>;

Result<json::Object> list_input(const cli::Args& args, bool terminal) {
  json::Object input;
  if (!args.positionals().empty()) input.emplace("prefix", args.positionals().front());
  for (const char* key : {"search", "kind", "type"}) {
    if (const auto value = args.value(key)) input.emplace(key, *value);
  }
  if (args.has("user-only")) input.emplace("include_user_only", true);
  if (const auto limit = args.value("limit")) {
    const auto number = cli::number("limit", *limit, 1, 1'000'000'000);
    if (!number) return std::unexpected(number.error());
    input.emplace("limit", *number);
  } else if (terminal && !args.has("all") && !args.has("json")) {
    input.emplace("limit", kTerminalRows);
  }
  return input;
}

// The rows that were asked for: one page where there is a limit, else all pages one by one.
class Pages {
 public:
  Pages(Caller& caller, json::Object input)
      : caller_(caller), input_(std::move(input)), all_(!input_.contains("limit")) {}

  // False when there is no further page; rows() and text() are about the last one.
  Result<bool> next() {
    if (over_) return false;
    if (all_) input_.insert_or_assign("limit", rows_wanted_);
    Result<std::string> answer = caller_.call("directory::skills::list", json::to_text(input_));
    if (!answer) return std::unexpected(answer.error());
    text_ = std::move(*answer);
    rows_ = "[]";
    more_ = false;
    json::Walker walker(json::trimmed(text_));
    json::Slice key;
    json::Slice value;
    while (walker.next(key, value)) {
      if (key == R"("skills")") rows_ = value;
      if (key != R"("next_cursor")" || value == "null") continue;
      more_ = true;
      input_.insert_or_assign("cursor", json::string_of(value));
    }
    over_ = !all_ || !more_;
    const int64_t fits = rows_wanted_ * static_cast<int64_t>(kPageBytes) /
                         static_cast<int64_t>(std::max<size_t>(text_.size(), 1));
    rows_wanted_ = std::clamp<int64_t>(fits, 1, kMostRows);
    return true;
  }
  const std::string& text() const { return text_; }
  json::Slice rows() const { return rows_; }  // the array
  bool more() const { return more_; }         // there are rows behind this page
  bool over() const { return over_; }         // next() gives no further page

 private:
  Caller& caller_;
  json::Object input_;
  const bool all_;
  bool over_ = false;
  bool more_ = false;
  int64_t rows_wanted_ = kFirstPage;
  std::string text_;
  json::Slice rows_;
};

Cells cells_of(json::Slice row) {
  Cells cells;
  json::Walker walker(row);
  json::Slice key;
  json::Slice value;
  size_t found = 0;
  while (found < kCellKeys.size() && walker.next(key, value)) {
    for (size_t i = 0; i < kCellKeys.size(); ++i) {
      if (key != kCellKeys[i]) continue;
      if (json::kind_of(value) == json::Kind::kString) cells[i] = value;
      ++found;
    }
  }
  return cells;
}

template <typename Take>
void each_row(json::Slice rows, Take take) {
  json::Walker walker(rows);
  json::Slice ignored;
  json::Slice row;
  while (walker.next(ignored, row)) take(cells_of(row));
}

std::string text_of(json::Slice cell) { return cell.empty() ? "" : json::string_of(cell); }

// Nothing in it has to be escaped or put on one line.
bool is_simple(std::string_view text) {
  char before = ' ';
  for (const char c : text) {
    if (c < ' ' || c > '~' || (c == ' ' && before == ' ')) return false;
    before = c;
  }
  return text.empty() || before != ' ';
}

void append_cell(std::string& out, json::Slice cell) {
  if (cell.empty()) return;
  const auto plain = json::plain_string(cell);
  if (plain && is_simple(*plain)) {
    out += *plain;
  } else {
    out += printable(cli::one_line(json::string_of(cell)));
  }
}

// Rows separated by tabs, written as soon as a page is there.
Result<size_t> print_rows(Pages& pages) {
  size_t count = 0;
  std::string out;
  while (true) {
    const Result<bool> page = pages.next();
    if (!page) return std::unexpected(page.error());
    if (!*page) return count;
    out.clear();
    each_row(pages.rows(), [&](const Cells& cells) {
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) out += '\t';
        append_cell(out, cells[i]);
      }
      out += '\n';
      ++count;
    });
    cli::print_escaped(out);
    if (cli::reader_left()) return count;
  }
}

Result<size_t> print_table(Pages& pages, const cli::Screen& screen) {
  cli::Table table({{"ID", Style::kName}, {"TITLE"}, {"DESCRIPTION", Style::kDim}});
  while (true) {
    const Result<bool> page = pages.next();
    if (!page) return std::unexpected(page.error());
    if (!*page) break;
    each_row(pages.rows(), [&](const Cells& cells) {
      table.add({text_of(cells[0]), text_of(cells[1]), text_of(cells[2])});
    });
  }
  cli::print_styled(table.text(screen), screen);
  return table.size();
}

// One value, whatever the number of pages.
Result<void> print_json(Pages& pages) {
  bool first = true;
  while (true) {
    const Result<bool> page = pages.next();
    if (!page) return std::unexpected(page.error());
    if (!*page) break;
    if (first && pages.over()) {
      cli::print_json(pages.text());
      return {};
    }
    const json::Slice rows = pages.rows();
    cli::print_text(first ? R"({"skills":[)" : ",");
    cli::print_text(rows.substr(1, rows.size() - 2));
    first = false;
  }
  cli::print_json("]}");
  return {};
}

void hint_when_empty(const cli::Args& args) {
  const bool filtered =
      !args.positionals().empty() || args.has("search") || args.has("kind") || args.has("type");
  cli::note("{}\n", filtered ? "No skill matches."
                             : "There are no skills yet. Next: `iii-directory add SOURCE` installs "
                               "some, `iii-directory new skill NAME` writes one.");
}

// The rows do not say what the filter of a server leaves out.
uint64_t hidden_skills(Caller& caller) {
  const json::Object question{{"state", json::Array{"filtered"}}, {"limit", 1}};
  const Result<json::Value> answer = caller.ask("directory::skills::browse", question);
  return answer ? static_cast<uint64_t>(number_at(*answer, "total")) : 0;
}

}  // namespace

int run_list(const cli::Args& args) {
  const cli::Screen screen = cli::screen_of(args);
  Result<json::Object> input = list_input(args, screen.terminal);
  if (!input) return cli::complain(input.error());
  const Result<std::unique_ptr<Caller>> caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  Pages pages(**caller, std::move(*input));
  if (args.has("json")) {
    const Result<void> printed = print_json(pages);
    return printed ? 0 : cli::complain(printed.error());
  }
  say_where(**caller, args);
  const bool plain = !screen.terminal && !screen.colours;
  const Result<size_t> rows = plain ? print_rows(pages) : print_table(pages, screen);
  if (!rows) return cli::complain(rows.error());
  const uint64_t hidden = screen.terminal && (*caller)->is_server() ? hidden_skills(**caller) : 0;
  if (hidden > 0) {
    cli::note(
        "{} not shown: `filter_unregistered` hides the skills of workers that are not installed. "
        "Next: `iii-directory doctor --code hidden_by_filter` names the workers.\n",
        counted(hidden, "skill is", "skills are"));
  } else if (*rows == 0) {
    hint_when_empty(args);
  }
  if (screen.terminal && pages.more()) {
    cli::note(
        "{} shown; there are more. Next: --all shows all, `iii-directory list PREFIX` fewer.\n",
        counted(*rows, "row"));
  }
  return 0;
}

}  // namespace iii::daemon
