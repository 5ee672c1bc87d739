#include "directory/reading/explain.h"

#include <algorithm>
#include <utility>

#include "directory/content/findings.h"
#include "directory/content/ids.h"
#include "directory/library/document_paths.h"
#include "directory/library/library.h"
#include "directory/reading/resolve.h"
#include "directory/reading/skill_row.h"
#include "directory/reading/suggest.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/base/counted.h"
#include "foundation/base/edit_distance.h"
#include "foundation/base/text.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct ExplainInput {
  std::string id;
};
struct ExplainOutput {
  std::string id;
  std::string kind;
  std::string verdict;
  std::string reason;
  std::vector<std::string> near = {};
  std::optional<std::string> next = {};
  uint64_t generation = 0;
};

auto describe(json::Type<ExplainInput>) {
  using T = ExplainInput;
  return json::object<T>(
      "ExplainInput", "",
      json::field("id", &T::id,
                  "Required. Id of a skill, name of a prompt, path of a file, or `root:path` as "
                  "directory::skills::browse shows it."));
}
auto describe(json::Type<ExplainOutput>) {
  using T = ExplainOutput;
  return json::object<T>(
      "ExplainOutput", "", json::field("id", &T::id, "Id or name as it is shown."),
      json::field("kind", &T::kind, "`skill`, `prompt`, `folder`, or empty when it is absent."),
      json::field("verdict", &T::verdict,
                  "`served`, `missing` (there is a file that cannot be served), `filtered` (its "
                  "worker is not installed), `shadowed` (another document has its place) or "
                  "`absent`."),
      json::field("reason", &T::reason, "Why that is so: which file it is, and what was found."),
      json::field("near", &T::near, "Ids or names that may be meant."),
      json::field("next", &T::next, "What to do about it."),
      json::field("generation", &T::generation,
                  "The state of the folders that this answer shows."));
}

std::string root_labels(const content::Generation& generation) {
  std::vector<std::string> labels;
  for (const content::RootInfo& root : generation.roots) labels.push_back(root.label);
  return join(labels, ", ");
}

// Where a served document comes from, and what is to say about it.
std::string why_served(const content::Generation& generation, const content::FileRef& file,
                       bool for_agents) {
  const std::string place = generation.roots[file.root].label + ":" + file.path;
  std::string out = content::is_registered(generation, file)
                        ? "A worker registered it."
                        : "The file " + place + " leads to it, and nothing hides it.";
  if (!for_agents) {
    out +=
        " `disable-model-invocation` keeps it out of lists for agents; it can be read by its id.";
  }
  const content::FindingsPtr findings = findings_of(generation, file);
  if (findings == nullptr) return out;
  const content::Finding& first = findings->front();
  out += " directory::doctor has " + counted(findings->size(), "finding") + ": ";
  if (first.line) out += "line " + std::to_string(*first.line) + ": ";
  return out + first.message + " [" + first.code + "]";
}

std::string next_of(DocumentState state) {
  switch (state) {
    case DocumentState::kMissing:
      return "Fix the file; it is read again as soon as it changes. `iii-directory doctor` shows "
             "where.";
    case DocumentState::kShadowed:
      return "Rename one of the two, or remove the one that is not wanted.";
    case DocumentState::kFiltered:
      return "Install the worker, or set `filter_unregistered: false` to show everything.";
    case DocumentState::kServed:
    case DocumentState::kFinding:
      break;
  }
  return {};
}

ExplainOutput explain_row(const View& view, const DocumentRow& row) {
  const SkillRow shown = table_row(view, row);
  const DocumentState state = view.state(row);
  ExplainOutput out{.id = shown.id,
                    .kind = "skill",
                    .verdict = shown.state,
                    .generation = view.generation().number};
  if (shown.kind == "prompt" || shown.kind == "folder") out.kind = shown.kind;
  if (state <= DocumentState::kFinding) {
    out.verdict = "served";
    out.reason = why_served(view.generation(), row.file(), row.skill->for_agents);
  } else {
    out.reason = shown.root + ":" + shown.path.value_or("") + ": " + shown.reason.value_or("") +
                 " [" + shown.code.value_or("") + "]";
    out.next = next_of(state);
  }
  return out;
}

ExplainOutput explain_prompt(const View& view, const content::Prompt& prompt) {
  return {.id = prompt.name,
          .kind = "prompt",
          .verdict = "served",
          .reason = why_served(view.generation(), prompt.file, true),
          .generation = view.generation().number};
}

ExplainOutput explain_absent(const View& view, std::string_view asked,
                             std::vector<std::string> near) {
  const bool none = near.empty();
  return {.id = std::string(trim(asked)),
          .kind = "",
          .verdict = "absent",
          .reason = "No file in any folder (" + root_labels(view.generation()) +
                    ") leads to this id, and no worker registered it.",
          .near = std::move(near),
          .next = none ? "Call directory::skills::search to find it by what it is about, or call "
                         "directory::registry::workers::list for what can be installed."
                       : "Call directory::skills::explain with one of `near`.",
          .generation = view.generation().number};
}

// A prompt that is not served: by its path, which rows have, or by the name of its file.
std::optional<size_t> unserved_prompt(const DocumentTable& table, std::string_view name) {
  const auto rows = table.rows();
  const auto at = std::ranges::find_if(rows, [name](const DocumentRow& row) {
    return row.unserved != nullptr && row.unserved->kind == "prompt" &&
           without_suffix(file_name(row.file().path)) == name;
  });
  if (at == rows.end()) return std::nullopt;
  return static_cast<size_t>(at - rows.begin());
}

// Nothing: it is absent.
std::optional<ExplainOutput> explain_known(const View& view, std::string_view asked) {
  const std::string_view text = trim(asked);
  const content::Generation& generation = view.generation();
  std::optional<size_t> row = find_row(view, text);
  const content::Prompt* prompt = generation.prompt(text);
  for (const content::PromptPtr& each : generation.prompts) {
    if (prompt == nullptr && each->file.path == text) prompt = each.get();
  }
  if (!row && prompt != nullptr) return explain_prompt(view, *prompt);
  const DocumentTablePtr table = view.table();
  if (!row) row = unserved_prompt(*table, text);
  if (!row) return std::nullopt;
  return explain_row(view, table->rows()[*row]);
}

task::Task<ExplainOutput> explain(Library& library, ExplainInput in) {
  const View view = co_await library.current();
  auto look = [id = in.id](const View& v) { return explain_known(v, id); };
  std::optional<ExplainOutput> known = co_await library.answer(view, std::move(look));
  if (known) co_return std::move(*known);
  std::vector<std::string> near =
      co_await suggest_skills(library, view, content::normalise_id(in.id));
  // These are the nearest, however far: only those that could be a slip of the fingers.
  const EditDistance distance(in.id);
  std::vector<std::string> prompts = co_await suggest_prompts(library, view, in.id);
  for (std::string& name : prompts) {
    const bool alike = distance.to(name) <= std::max<size_t>(1, in.id.size() / 3);
    if (alike && near.size() < 3) near.push_back(std::move(name));
  }
  co_return explain_absent(view, in.id, std::move(near));
}

}  // namespace

void add_explain(FunctionTable& table, Library& library) {
  table.add<ExplainInput, ExplainOutput>(
      {.id = "directory::skills::explain",
       .title = "Explain why a skill is missing",
       .description = about::kSkillsExplain,
       .hints = kReadOnly},
      [&library](ExplainInput in) { return explain(library, std::move(in)); });
}

}  // namespace iii::directory
