// `version`, `help`, `completion`, and the words that completion scripts ask for.
#include <filesystem>
#include <fstream>

#include "app/daemon/config_keys.h"
#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/function_page.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/schemas.h"
#include "app/daemon/verbs/shapes.h"
#include "app/daemon/verbs/verbs.h"
#include "app/daemon/version.h"
#include "faces/cli/completion.h"
#include "faces/cli/engine_link.h"
#include "faces/cli/man.h"
#include "faces/cli/output.h"
#include "faces/cli/verbs.h"

namespace iii::daemon {

namespace {

using std::chrono::milliseconds;

// Only a server that was named has to be there.
Result<std::optional<ServerShape>> running_server(const cli::Args& args) {
  const auto address = cli::engine_address(args);
  if (!address) return std::unexpected(address.error());
  const auto link = cli::EngineLink::open(*address, cli::EngineLink::kLooking);
  if (!link) {
    if (address->explicitly) return std::unexpected(link.error());
    return std::nullopt;
  }
  ServerShape out{
      .address = address->text(), .version = "", .status = "an engine without a directory"};
  const auto health =
      (*link)->call({.function_id = "directory::health", .timeout = milliseconds(5'000)});
  const auto value = health ? json::parse(*health) : fail("", "");
  if (value) {
    out.version = text_at(*value, "version");
    out.status = text_at(*value, "status");
  }
  return out;
}

Result<void> write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return fail("write", path.string() + " cannot be written");
  return {};
}

// What is made from the tables of verbs and of functions, for the packages and scripts/docs.
Result<void> write_all(const std::filesystem::path& folder) {
  std::vector<std::pair<std::filesystem::path, std::string>> files;
  files.emplace_back("man/iii-directory.1", cli::man_page());
  for (const cli::Verb& verb : cli::verbs()) {
    const std::string name(verb.name);
    if (verb.hidden) continue;
    files.emplace_back("man/iii-directory-" + name + ".1", cli::man_page(verb));
    if (verb.json) files.emplace_back("cli/" + name + ".schema.json", verb_schema(verb) + "\n");
  }
  files.emplace_back("completion/iii-directory.bash", *cli::completion_script("bash"));
  files.emplace_back("completion/_iii-directory", *cli::completion_script("zsh"));
  files.emplace_back("completion/iii-directory.fish", *cli::completion_script("fish"));
  Result<std::string> functions = function_page();
  if (!functions) return std::unexpected(functions.error());
  files.emplace_back("functions.md", std::move(*functions));
  for (const auto& [path, text] : files) {
    if (auto written = write_file(folder / path, text); !written) return written;
  }
  return {};
}

std::vector<std::string> words_of(const cli::Args& args, const std::string& kind) {
  if (kind == "keys") return config_key_names();
  std::vector<std::string> out;
  const auto caller = caller_of(args);
  if (!caller) return out;
  struct Source {
    const char* kind;
    const char* function;
    const char* rows;
    const char* id;
  };
  for (const Source& source :
       {Source{"skills", "directory::skills::list", "skills", "id"},
        Source{"prompts", "directory::prompts::list", "prompts", "name"},
        Source{"namespaces", "directory::lock::list", "namespaces", "namespace"},
        Source{"functions", "engine::functions::list", "functions", "function_id"}}) {
    if (kind != source.kind) continue;
    const auto answer = (*caller)->ask(source.function);
    if (!answer) return out;
    for (const json::Value& row : rows_at(*answer, source.rows))
      out.push_back(text_at(row, source.id));
  }
  return out;
}

}  // namespace

int run_version(const cli::Args& args) {
  const auto server = running_server(args);
  const VersionShape shape{.version = kVersion,
                           .commit = kCommit,
                           .target = III_TARGET,
                           .server = server.value_or(std::nullopt)};
  if (args.has("json")) {
    cli::print_json(pretty_json(shape));
  } else {
    cli::print("iii-directory {} ({}, {})\n", kVersion, kCommit, III_TARGET);
    if (shape.server) {
      cli::print("server {}: {}{}\n", shape.server->address, shape.server->status,
                 shape.server->version.empty() ? "" : ", version " + shape.server->version);
    }
  }
  return server ? 0 : cli::complain(server.error());
}

int run_help(const cli::Args& args) {
  if (const auto folder = args.value("write")) {
    const auto written = write_all(*folder);
    return written ? 0 : cli::complain(written.error());
  }
  const size_t width = cli::screen_of(args).width;
  if (args.positionals().empty()) {
    cli::print_text(cli::overview(width));
    return 0;
  }
  const cli::Verb* verb = cli::find_verb(args.positionals().front());
  if (verb == nullptr) {
    return cli::complain({"usage", cli::unknown_verb(args.positionals().front())});
  }
  cli::print_text(cli::help_text(*verb, width));
  return 0;
}

int run_completion(const cli::Args& args) {
  const Result<std::string> script = cli::completion_script(args.positionals().front());
  if (!script) return cli::complain(script.error());
  cli::print_text(*script);
  return 0;
}

int run_complete(const cli::Args& args) {
  const std::string prefix = args.positionals().size() > 1 ? args.positionals()[1] : "";
  for (const std::string& word : words_of(args, args.positionals().front())) {
    if (word.starts_with(prefix)) cli::print("{}\n", word);
  }
  return 0;
}

}  // namespace iii::daemon
