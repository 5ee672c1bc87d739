#include "directory/reading/explain.h"

#include <algorithm>
#include <utility>

#include "directory/content/findings.h"
#include "directory/content/ids.h"
#include "directory/library/library.h"
#include "directory/reading/browse.h"
#include "directory/reading/paths.h"
#include "directory/reading/suggest.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/base/edit_distance.h"
#include "foundation/base/text.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct ExplainInput {
  std::string id;
};
struct ExplainStep {
  std::string ok;
  std::string what;
  std::string detail;
};
struct ExplainOutput {
  std::string id;
  std::string kind;
  std::string verdict;
  std::vector<ExplainStep> steps;
  std::vector<std::string> near;
  std::optional<std::string> next;
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
auto describe(json::Type<ExplainStep>) {
  using T = ExplainStep;
  return json::object<T>("ExplainStep", "",
                         json::field("ok", &T::ok, "`yes`, `warn` or `no`: it ends there."),
                         json::field("what", &T::what, "What was checked."),
                         json::field("detail", &T::detail, "What was found."));
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
      json::field("steps", &T::steps, "The checks in the order in which they are made."),
      json::field("near", &T::near, "Ids or names that may be meant."),
      json::field("next", &T::next, "What to do about it."),
      json::field("generation", &T::generation,
                  "The state of the folders that this answer shows."));
}

class Explanation {
 public:
  explicit Explanation(const View& view) : view_(view) { out_.generation = generation().number; }

  ExplainOutput of_row(const DocumentRow& row) {
    const BrowseRow shown = browse_row(view_, row);
    const DocumentState state = view_.state(row);
    out_.id = shown.id;
    out_.kind = shown.kind == "prompt" || shown.kind == "folder" ? shown.kind : "skill";
    out_.verdict = state == DocumentState::kFinding ? "served" : shown.state;
    const bool registered = content::is_registered(generation(), row.file());
    yes(registered ? "A worker registered it" : "A file leads to this id",
        place(shown.root, shown.path));
    if (state == DocumentState::kMissing) return missing(shown);
    if (row.skill == nullptr) return shadowed(shown);
    yes("It can be read", std::to_string(shown.bytes) + " bytes, UTF-8");
    say_findings(findings_of(generation(), row.skill->file));
    yes("Nothing hides it", "roots in order of precedence: " + roots());
    if (state == DocumentState::kFiltered) return filtered(shown);
    say_filter(shown);
    if (shown.user_only.value_or(false)) {
      warn("It is for users alone",
           "`disable-model-invocation` keeps it out of lists for agents; it can be read by its id");
    }
    return served();
  }

  ExplainOutput of_prompt(const content::Prompt& prompt) {
    out_.id = prompt.name;
    out_.kind = "prompt";
    out_.verdict = "served";
    const std::string& root = generation().roots[prompt.file.root].label;
    if (content::is_registered(generation(), prompt.file)) {
      yes("A worker registered it", place(root, prompt.name));
    } else {
      yes("A file leads to this name", place(root, prompt.file.path));
      yes("It can be read", std::to_string(prompt.bytes) + " bytes, UTF-8");
      say_findings(findings_of(generation(), prompt.file));
      yes("Nothing hides it", "roots in order of precedence: " + roots());
    }
    return served();
  }

  ExplainOutput absent(std::string_view asked, std::vector<std::string> near) {
    out_.id = trim(asked);
    out_.verdict = "absent";
    no("No file in any folder leads to this id", roots());
    no("No worker registered it", "nothing of that name is registered");
    out_.near = std::move(near);
    out_.next = out_.near.empty()
                    ? "Call directory::skills::search to find it by what it is about, or "
                      "call directory::registry::workers::list for what can be installed."
                    : "Call directory::skills::explain with one of `near`.";
    return std::move(out_);
  }

 private:
  const content::Generation& generation() const { return view_.generation(); }
  std::string roots() const {
    std::vector<std::string> labels;
    for (const content::RootInfo& root : generation().roots) labels.push_back(root.label);
    return join(labels, ", ");
  }
  static std::string place(std::string_view root, std::string_view path) {
    return std::string(root) + ":" + std::string(path);
  }
  void yes(std::string what, std::string detail) { add("yes", std::move(what), std::move(detail)); }
  void warn(std::string what, std::string detail) {
    add("warn", std::move(what), std::move(detail));
  }
  void no(std::string what, std::string detail) { add("no", std::move(what), std::move(detail)); }
  void add(std::string ok, std::string what, std::string detail) {
    out_.steps.push_back({std::move(ok), std::move(what), std::move(detail)});
  }

  void say_findings(const content::FindingsPtr& findings) {
    if (findings == nullptr) return yes("Its text is in order", "no finding");
    for (const content::Finding& each : *findings) {
      std::string detail;
      if (each.line) detail = "line " + std::to_string(*each.line) + ": ";
      detail.append(each.message).append(" [").append(each.code).append("]");
      warn(each.fix ? "The doctor has a finding, and a patch" : "The doctor has a finding",
           std::move(detail));
    }
  }
  void say_filter(const BrowseRow& shown) {
    if (view_.installed() == nullptr) {
      yes("The filter lets it through", "`filter_unregistered` is off, or knows no workers yet");
    } else {
      yes("The filter lets it through", "`" + shown.name_space + "` is shown");
    }
  }

  ExplainOutput missing(const BrowseRow& shown) {
    no(shown.kind == "prompt" ? "It is not served as a prompt" : "It cannot be served",
       shown.reason.value_or("") + " [" + shown.code.value_or("") + "]");
    out_.next =
        "Fix the file; it is read again as soon as it changes. `iii-directory doctor` shows "
        "where.";
    return std::move(out_);
  }
  ExplainOutput shadowed(const BrowseRow& shown) {
    no("Another document has its place",
       shown.reason.value_or("") + " [" + shown.code.value_or("") + "]");
    out_.next = "Rename one of the two, or remove the one that is not wanted.";
    return std::move(out_);
  }
  ExplainOutput filtered(const BrowseRow& shown) {
    no("Its worker is not installed", shown.reason.value_or(""));
    out_.next = "Install the worker, or set `filter_unregistered: false` to show everything.";
    return std::move(out_);
  }
  ExplainOutput served() {
    yes("It is in generation " + std::to_string(out_.generation), "every caller reads this one");
    return std::move(out_);
  }

  const View& view_;
  ExplainOutput out_;
};

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
  if (!row && prompt != nullptr) return Explanation(view).of_prompt(*prompt);
  const DocumentTablePtr table = view.table();
  if (!row) row = unserved_prompt(*table, text);
  if (!row) return std::nullopt;
  return Explanation(view).of_row(table->rows()[*row]);
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
  co_return Explanation(view).absent(in.id, std::move(near));
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
