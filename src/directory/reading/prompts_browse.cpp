#include "directory/reading/prompts_browse.h"

#include <utility>

#include "directory/library/library.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/utf8.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct BrowsePromptsInput {};
struct BrowsedPrompt {
  std::string name;
  std::string description;
  std::string origin;
  std::optional<std::string> root;
  std::optional<std::string> path;
  std::optional<std::string> modified_at;
  std::optional<std::string> handler;
  std::optional<std::string> worker;
  std::vector<BrowsedArgument> arguments;
  std::optional<bool> finding;
};
struct BrowsePromptsOutput {
  uint64_t generation = 0;
  std::vector<BrowsedPrompt> prompts;
};

}  // namespace

inline auto describe(json::Type<BrowsedArgument>) {
  using T = BrowsedArgument;
  return json::object<T>("BrowsedArgument", "",
                         json::field("name", &T::name, "Key of `arguments`."),
                         json::field("description", &T::description, "What to give."),
                         json::field("required", &T::required, "Must be given."),
                         json::field("values", &T::values, "What it may be, where that is known."));
}

namespace {

auto describe(json::Type<BrowsePromptsInput>) {
  return json::object<BrowsePromptsInput>("BrowsePromptsInput", "");
}
auto describe(json::Type<BrowsedPrompt>) {
  using T = BrowsedPrompt;
  return json::object<T>(
      "BrowsedPrompt", "", json::field("name", &T::name, "Pass it to directory::prompts::get."),
      json::field("description", &T::description, "What it is for."),
      json::field("origin", &T::origin, "`file`, or `registered` by a worker."),
      json::field("root", &T::root, "Label of the folder that its file is in."),
      json::field("path", &T::path, "Path of the file below that folder."),
      json::field("modified_at", &T::modified_at, "Time of the file, or of the registration."),
      json::field("handler", &T::handler, "Function that makes a registered prompt."),
      json::field("worker", &T::worker, "First part of the handler's id."),
      json::field("arguments", &T::arguments, "What it takes."),
      json::field("finding", &T::finding, "true: directory::doctor has a finding about it."));
}
auto describe(json::Type<BrowsePromptsOutput>) {
  using T = BrowsePromptsOutput;
  return json::object<T>(
      "BrowsePromptsOutput", "",
      json::field("generation", &T::generation, "The state of the folders that this answer shows."),
      json::field("prompts", &T::prompts, "By name."));
}

void fill_registered(BrowsedPrompt& out, const RegisteredDocument& document) {
  out.origin = "registered";
  out.handler = document.function_id;
  const size_t colons = document.function_id.find("::");
  if (colons != std::string::npos) out.worker = document.function_id.substr(0, colons);
  for (const PromptArgument& each : document.arguments) {
    out.arguments.push_back({.name = each.name,
                             .description = each.description,
                             .required = each.required,
                             .values = {}});
  }
}

// On an answer thread: the files are read.
std::string all_prompts(const View& view, const ArgumentsOf& arguments_of) {
  const content::Generation& generation = view.generation();
  BrowsePromptsOutput out{.generation = generation.number, .prompts = {}};
  for (const content::PromptPtr& prompt : generation.prompts) {
    BrowsedPrompt row{.name = prompt->name, .description = prompt->description};
    const std::string time = content::format_time(prompt->mtime_ns);
    if (!time.empty()) row.modified_at = time;
    row.root = generation.roots[prompt->file.root].label;
    if (const RegisteredDocument* registered = view.registration(prompt->file)) {
      fill_registered(row, *registered);
    } else {
      row.origin = "file";
      row.path = prompt->file.path;
      const auto& folders = view.snapshot().folders;
      const auto bytes = folders->content->read(generation, prompt->file);
      if (bytes && is_utf8(bytes->bytes)) row.arguments = arguments_of(bytes->bytes);
      if (findings_of(generation, prompt->file) != nullptr) row.finding = true;
    }
    out.prompts.push_back(std::move(row));
  }
  return json::encode(out);
}

task::Task<Result<json::Raw>> browse_prompts(Library& library, ArgumentsOf arguments_of) {
  const View view = co_await library.current({.filtered = false});
  auto work = [view, arguments_of] { return all_prompts(view, arguments_of); };
  std::string text = co_await library.on_answer_thread(std::move(work));
  co_return bounded(std::move(text), "directory::prompts::list with `limit`");
}

}  // namespace

void add_prompts_browse(FunctionTable& table, Library& library, ArgumentsOf arguments_of) {
  table.add<BrowsePromptsInput, BrowsePromptsOutput>(
      {.id = "directory::prompts::browse",
       .title = "Browse prompts",
       .description = about::kPromptsBrowse,
       .hints = kReadOnly},
      [&library, arguments_of = std::move(arguments_of)](BrowsePromptsInput) {
        return browse_prompts(library, arguments_of);
      });
}

}  // namespace iii::directory
