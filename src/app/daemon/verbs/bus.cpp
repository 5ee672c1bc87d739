// `workers`, `functions`, `triggers`: what is on the bus.
#include <algorithm>

#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/schema_fields.h"
#include "app/daemon/verbs/shapes.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/output.h"
#include "faces/cli/table.h"
#include "faces/cli/width.h"
#include "foundation/base/text.h"

namespace iii::daemon {

namespace {

using cli::Style;

template <typename Shape>
int show(const Caller& caller, const cli::Args& args, const Shape& shape, const cli::Table& table,
         std::string_view none) {
  if (args.has("json")) {
    cli::print_json(pretty_json(shape));
    return 0;
  }
  say_where(caller, args);
  const cli::Screen screen = cli::screen_of(args);
  cli::print_styled(table.text(screen), screen);
  if (table.size() == 0) cli::note("{}\n", none);
  return 0;
}

// The connection of this process is not what anybody asks for.
bool is_ours(const std::string& name) { return name.starts_with("iii-cli:"); }

}  // namespace

int run_workers(const cli::Args& args) {
  const auto caller = caller_of(args, Use::kServer);
  if (!caller) return cli::complain(caller.error());
  const auto answer = (*caller)->ask("engine::workers::list");
  if (!answer) return cli::complain(answer.error());
  WorkersShape shape;
  for (const json::Value& row : rows_at(*answer, "workers")) {
    if (is_ours(text_at(row, "name"))) continue;
    shape.workers.push_back({.id = text_at(row, "id"),
                             .name = text_at(row, "name"),
                             .status = text_at(row, "status"),
                             .runtime = text_at(row, "runtime"),
                             .version = text_at(row, "version"),
                             .name_space = text_at(row, "namespace"),
                             .functions = number_at(row, "function_count"),
                             .description = text_at(row, "description")});
  }
  std::ranges::sort(shape.workers, {}, &WorkerShape::name);
  cli::Table table({{"NAME", Style::kName},
                    {"STATUS"},
                    {"FUNCTIONS"},
                    {"RUNTIME"},
                    {"VERSION"},
                    {"DESCRIPTION", Style::kDim}});
  for (const WorkerShape& worker : shape.workers) {
    table.add({worker.name, worker.status, std::to_string(worker.functions), worker.runtime,
               worker.version, worker.description});
  }
  return show(**caller, args, shape, table, "No worker is connected.");
}

namespace {

bool is_internal(const std::string& id) { return id.find("::__") != std::string::npos; }

Result<FunctionsShape> list_functions(Caller& caller, const std::string& prefix, bool internal) {
  const auto answer =
      caller.ask("engine::functions::list", json::Object{{"include_internal", internal}});
  if (!answer) return std::unexpected(answer.error());
  FunctionsShape shape;
  for (const json::Value& row : rows_at(*answer, "functions")) {
    const std::string id = text_at(row, "function_id");
    if (!id.starts_with(prefix) || (!internal && is_internal(id))) continue;
    shape.functions.push_back({.id = id,
                               .worker = text_at(row, "worker_name"),
                               .description = text_at(row, "description"),
                               .request_schema = {},
                               .response_schema = {}});
  }
  std::ranges::sort(shape.functions, {}, &FunctionShape::id);
  return shape;
}

std::optional<json::Raw> schema_at(const json::Value& info, const char* name,
                                   const char* old_name) {
  const json::Value* schema = info.find(name);
  if (schema == nullptr) schema = info.find(old_name);
  if (schema == nullptr || schema->is_null()) return std::nullopt;
  return json::Raw{json::to_text(*schema)};
}

constexpr size_t kWidest = 100;  // of text that is read

// For people: what a field means is there to be read, so it is not cut.
cli::Styled field_paragraphs(const std::vector<SchemaField>& fields, size_t width) {
  constexpr size_t kIndent = 6;
  cli::Styled out;
  for (const SchemaField& field : fields) {
    out.add("  ").add(printable(field.name), Style::kName).add(field.required ? " *  " : "  ");
    out.add(printable(field.type) + "\n", Style::kCode);
    const size_t room = std::min(width, kWidest) - kIndent;
    for (const std::string& line :
         cli::wrapped(printable(cli::one_line(field.description)), room)) {
      out.add(std::string(kIndent, ' ') + line + "\n");
    }
  }
  return out;
}

void show_fields(const std::string& title, const std::optional<json::Raw>& schema,
                 const cli::Screen& screen) {
  const auto value = schema ? json::parse(schema->text) : fail("", "");
  const auto fields = value ? schema_fields(*value) : std::vector<SchemaField>();
  if (fields.empty()) return;
  cli::Styled out;
  cli::print_styled(out.add("\n" + title + "\n", Style::kBold), screen);
  if (screen.terminal) return cli::print_styled(field_paragraphs(fields, screen.width), screen);
  cli::Table table({{"FIELD", Style::kName}, {"TYPE", Style::kCode}, {"DESCRIPTION"}});
  for (const SchemaField& field : fields) {
    table.add({field.name + (field.required ? " *" : ""), field.type, field.description});
  }
  cli::print_styled(table.text(screen), screen);
}

int show_function(const Caller& caller, const FunctionShape& function, const cli::Args& args) {
  if (args.has("json")) {
    cli::print_json(pretty_json(FunctionsShape{{function}}));
    return 0;
  }
  say_where(caller, args);
  const cli::Screen screen = cli::screen_of(args);
  cli::Styled head;
  head.add(function.id, Style::kName).add("  " + function.worker + "\n\n", Style::kDim);
  for (const std::string& line :
       cli::wrapped(function.description, std::min(screen.width, kWidest))) {
    head.add(line + "\n");
  }
  cli::print_styled(head, screen);
  show_fields("Input (* required)", function.request_schema, screen);
  show_fields("Output", function.response_schema, screen);
  return 0;
}

Result<FunctionShape> function_info(Caller& caller, const std::string& id) {
  const auto info = caller.ask("engine::functions::info", json::Object{{"function_id", id}});
  if (info) {
    return FunctionShape{.id = id,
                         .worker = text_at(*info, "worker_name"),
                         .description = text_at(*info, "description"),
                         .request_schema = schema_at(*info, "request_schema", "request_format"),
                         .response_schema = schema_at(*info, "response_schema", "response_format")};
  }
  if (const auto all = list_functions(caller, "", true)) {
    std::vector<std::string> ids;
    for (const FunctionShape& each : all->functions) ids.push_back(each.id);
    return fail("function_not_found", "there is no function " + id + "." +
                                          cli::did_you_mean(id, ids) +
                                          " Next: list them with `iii-directory functions`.");
  }
  return std::unexpected(info.error());
}

}  // namespace

int run_functions(const cli::Args& args) {
  const auto caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  const std::string word = args.positionals().empty() ? "" : args.positionals().front();
  const bool one = !word.empty() && !word.ends_with(':') && word.find("::") != std::string::npos;
  const auto shape = list_functions(**caller, word, args.has("internal"));
  if (!shape) return cli::complain(shape.error());
  // The beginning of several ids, when it is not one itself.
  const bool several =
      !shape->functions.empty() &&
      std::ranges::none_of(shape->functions, [&](const auto& each) { return each.id == word; });
  if (one && !several) {
    const auto function = function_info(**caller, word);
    return function ? show_function(**caller, *function, args) : cli::complain(function.error());
  }
  cli::Table table({{"FUNCTION", Style::kName}, {"WORKER"}, {"DESCRIPTION", Style::kDim}});
  for (const FunctionShape& each : shape->functions) {
    table.add({each.id, each.worker, each.description});
  }
  return show(**caller, args, *shape, table, "No function matches.");
}

int run_triggers(const cli::Args& args) {
  const auto caller = caller_of(args, Use::kServer);
  if (!caller) return cli::complain(caller.error());
  const bool types = args.has("types");
  // Engines that do not know `include_parked` list what is live.
  // What is called internal there can be bound to by everybody.
  const auto answer =
      types ? (*caller)->ask("engine::triggers::list", json::Object{{"include_internal", true}})
            : (*caller)->ask("engine::registered-triggers::list",
                             json::Object{{"include_parked", true}});
  if (!answer) return cli::complain(answer.error());
  TriggersShape shape;
  for (const json::Value& row : rows_at(*answer, types ? "triggers" : "registered_triggers")) {
    const json::Value* config = row.find("config");
    const std::string status = text_at(row, "status");
    shape.triggers.push_back({.id = text_at(row, "id"),
                              .type = text_at(row, types ? "id" : "trigger_type"),
                              .function_id = text_at(row, "function_id"),
                              .worker = text_at(row, "worker_name"),
                              .config = config == nullptr ? "" : json::to_text(*config),
                              .status = status == "parked" ? "waiting" : status,
                              .description = text_at(row, "description")});
  }
  cli::Table table({{"TYPE", Style::kName},
                    {"FUNCTION", Style::kName},
                    {"WORKER"},
                    {"STATUS"},
                    {"CONFIG", Style::kCode},
                    {"DESCRIPTION", Style::kDim}});
  for (const TriggerShape& each : shape.triggers) {
    table.add(
        {each.type, each.function_id, each.worker, each.status, each.config, each.description});
  }
  return show(**caller, args, shape, table,
              types ? "There are no trigger types." : "Nothing is bound.");
}

}  // namespace iii::daemon
