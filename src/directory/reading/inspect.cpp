#include "directory/reading/inspect.h"

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/content/parse.h"
#include "directory/library/document_paths.h"
#include "directory/library/library.h"
#include "directory/reading/finding_details.h"
#include "directory/reading/installed.h"
#include "directory/reading/resolve.h"
#include "directory/reading/skill_links.h"
#include "directory/reading/skill_types.h"
#include "directory/reading/suggest.h"
#include "directory/search/token_budget.h"
#include "directory/sources/lock_file.h"
#include "directory/sources/source.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/base/utf8_head.h"
#include "foundation/markdown/tree.h"

namespace iii::directory {

static auto describe(json::Type<InspectRoot>) {
  using T = InspectRoot;
  return json::object<T>(
      "InspectRoot", "", json::field("root", &T::root, "Label of the folder."),
      json::field("folder", &T::folder, "The folder as people write it."),
      json::field("role", &T::role,
                  "`serves`, `hidden` (another document has the place), `not served` or `none`."),
      json::field("path", &T::path, "The file there."));
}
static auto describe(json::Type<InspectLock>) {
  using T = InspectLock;
  return json::object<T>(
      "InspectLock", "", json::field("namespace", &T::name_space, "What was installed."),
      json::field("source", &T::source, "Where from, as in directory::lock::verify."),
      json::field("resolved", &T::resolved, "Version or commit."),
      json::field("state", &T::state, "`intact`, or `edited` since."),
      json::field("written", &T::written, "Digest of the file as it was installed."));
}
static auto describe(json::Type<InspectTokens>) {
  using T = InspectTokens;
  return json::object<T>("InspectTokens", "Estimates, rather too high than too low.",
                         json::field("index", &T::index, "Title and description."),
                         json::field("body", &T::body, "The document."));
}
static auto describe(json::Type<InspectedSkill>) {
  using T = SkillDocument;
  json::ObjectDescription out = json::object<InspectedSkill>(
      "InspectOutput", "A row of directory::skills::browse, and:",
      json::field("generation", &T::generation, "The state of the folders that this answer shows."),
      json::field("since_generation", &T::since_generation,
                  "The generation that last changed it; absent when that is not known: it has not "
                  "changed since the server started, or its last change is forgotten."),
      json::field("served", &T::served, "Whether agents can read it."),
      json::field("body", &T::body, "The text without frontmatter; at most 1 MiB."),
      json::field("tree", &T::tree,
                  "The body as nodes: a text, or [name, attributes or null, children...]. Links "
                  "are classified; raw HTML is text."),
      json::field("tree_cut", &T::tree_cut, "true: the tree does not show everything."),
      json::field("source", &T::source,
                  "The file as it is, at most 1 MiB; absent when it cannot be read as text."),
      json::field("source_cut", &T::source_cut, "true: the file is longer."),
      json::field("digest", &T::digest, "`sha256:` of the file."),
      json::field("chain", &T::chain, "All folders in order of precedence, and who serves."),
      json::field("lock", &T::lock, "What directory.lock says about the file; null: nothing.")
          .nullable(),
      json::field("findings", &T::findings, "As directory::doctor gives them with details."),
      json::field("tokens", &T::tokens, ""),
      json::field("related", &T::related, "Skills that it links to, or that stand beside it."),
      json::field("functions", &T::functions, "Functions that it names."),
      json::field("risks", &T::risks, kRisksHelp));
  const json::ObjectDescription row = describe(json::Type<BrowsedSkill>());
  out.fields.insert(out.fields.begin(), row.fields.begin(), row.fields.end());
  return out;
}

namespace {

struct InspectInput {
  std::string id;
};

auto describe(json::Type<InspectInput>) {
  using T = InspectInput;
  return json::object<T>(
      "InspectInput", "",
      json::field("id", &T::id,
                  "Required. An id as directory::skills::browse shows it (also `root:path` of a "
                  "file that is "
                  "not served), another spelling of it, or the path of a file."));
}

constexpr size_t kMaxSource = 1024UL * 1024;
constexpr size_t kMostRelated = 8;

// Which skill a link in the document at `file` means, without an index of paths: ids follow from
// paths.
class LinkResolver {
 public:
  LinkResolver(const View& view, content::FileRef file) : view_(view), file_(std::move(file)) {}

  std::optional<std::string> operator()(std::string_view href) {
    const content::Skill* skill = skill_at(href);
    // On the web a question mark begins a query; in a folder it may be part of a name.
    if (skill == nullptr) skill = skill_at(href.substr(0, href.find_first_of("?#")));
    if (skill == nullptr) return std::nullopt;
    std::string shown = view_.display(skill->id);
    if (linked_.size() < kMostRelated && std::ranges::find(linked_, shown) == linked_.end()) {
      linked_.push_back(shown);
    }
    return shown;
  }
  const std::vector<std::string>& linked() const { return linked_; }

 private:
  const content::Skill* skill_at(std::string_view href) const {
    return href.starts_with("iii://") ? by_id(href) : by_path(href);
  }
  const content::Skill* by_id(std::string_view href) const {
    const Result<std::string> id = normalise_input(href.substr(0, href.find('#')));
    return id ? look_up(view_, *id) : nullptr;
  }
  const content::Skill* by_path(std::string_view href) const {
    if (content::is_registered(view_.generation(), file_)) return by_id(href);
    for (const std::string& target : link_targets(file_.path, href)) {
      const std::string id = content::normalise_id(content::path_id(target));
      const content::Skill* skill = look_up(view_, id);
      if (skill != nullptr && skill->file.root == file_.root) return skill;
    }
    return nullptr;
  }

  const View& view_;
  const content::FileRef file_;
  std::vector<std::string> linked_;
};

// The bytes of a document as they are now, or the beginning of them.
struct Bytes {
  std::string text;
  bool whole = true;
};
std::optional<Bytes> read_bytes(const View& view, const content::FileRef& file) {
  if (const RegisteredDocument* registered = view.registration(file)) {
    return Bytes{registered->text};
  }
  const auto& folders = view.snapshot().folders;
  if (folders == nullptr) return std::nullopt;
  Result<FileBytes> now = folders->content->read(view.generation(), file);
  if (now) return Bytes{std::move(now->bytes)};
  // Too large, or no text: what can be had of it.
  const auto folder = folders->content->folder_of(file);
  if (folder == nullptr) return std::nullopt;
  now = folder->read_head(file.path, kMaxSource + 1);
  if (!now) return std::nullopt;
  const bool whole = now->bytes.size() <= kMaxSource;
  return Bytes{.text = std::move(now->bytes), .whole = whole};
}

void fill_text(InspectedSkill& out, const View& view, const content::FileRef& file,
               const Bytes& bytes) {
  if (bytes.whole) out.digest = file_digest(bytes.text);
  const std::string_view text = utf8_head(bytes.text, kMaxSource);
  if (!is_utf8(text)) return;
  out.source = text;
  if (!bytes.whole || text.size() < bytes.text.size()) out.source_cut = true;
  const auto& content = *view.snapshot().folders->content;
  const auto parsed = content::parse_document(text, parse_options(content, file.path));
  out.body = text.substr(std::min<size_t>(parsed.body_offset, text.size()));
  LinkResolver links(view, file);
  markdown::Tree tree =
      markdown::parse_tree(out.body, [&links](std::string_view href) { return links(href); });
  out.tree.text = std::move(tree.nodes);
  if (tree.cut || out.source_cut) out.tree_cut = true;
  out.related = links.linked();
  std::erase(out.related, out.id);
  out.tokens.body = search::estimate_tokens(out.body);
}

// Skills beside it, after those that it links to.
void fill_related(InspectedSkill& out, const View& view) {
  const content::Generation& generation = view.generation();
  const auto [first, last] = generation.prefix_range(out.name_space + "/");
  for (size_t i = first; i < last && out.related.size() < kMostRelated; ++i) {
    const content::Skill& skill = *generation.skills[i];
    const std::string shown = view.display(skill.id);
    if (shown == out.id || !view.shows(skill.id) || skill.kind != content::SkillKind::kSkill ||
        std::ranges::find(out.related, shown) != out.related.end()) {
      continue;
    }
    out.related.push_back(shown);
  }
}

void fill_chain(InspectedSkill& out, const View& view, const DocumentRow& row,
                const std::vector<RootPlace>& places) {
  const content::Generation& generation = view.generation();
  const DocumentTablePtr table = view.table();
  for (size_t root = 0; root < generation.roots.size(); ++root) {
    out.chain.push_back({.root = generation.roots[root].label,
                         .folder = places[root].name,
                         .role = "none",
                         .path = {}});
  }
  const std::string wanted = row.skill != nullptr ? out.id : row.unserved->wanted;
  const auto say = [&](const content::FileRef& file, std::string_view role) {
    out.chain[file.root].role = role;
    out.chain[file.root].path = file.path;
  };
  for (const DocumentRow& other : table->rows()) {
    if (other.unserved == nullptr || other.unserved->wanted != wanted) continue;
    const bool hidden = other.state == DocumentState::kShadowed;
    say(other.file(), hidden ? "hidden" : "not served");
  }
  const std::optional<size_t> at = table->find(wanted);
  if (!at || table->rows()[*at].skill == nullptr) return;
  const DocumentRow& served = table->rows()[*at];
  const bool shown = view.state(served) <= DocumentState::kFinding;
  say(served.file(), shown ? "serves" : "not served");
}

void fill_findings(InspectedSkill& out, const View& view, const DocumentRow& row) {
  const content::FindingsPtr list = row.skill != nullptr
                                        ? findings_of(view.generation(), row.skill->file)
                                        : row.unserved->findings;
  if (list == nullptr) return;
  for (const content::Finding& each : *list) {
    out.findings.push_back(doctor_finding(view.generation(), each));
  }
  if (view.snapshot().folders != nullptr) {
    add_details(*view.snapshot().folders->content, view.generation(), out.findings);
  }
}

void fill_lock(InspectedSkill& out, const content::Generation& generation,
               const content::FileRef& file, const sources::Downloads& downloads) {
  if (generation.roots[file.root].kind != content::RootKind::kGlobal || !out.digest) return;
  const size_t slash = file.path.find('/');
  if (slash == std::string::npos) return;
  const Result<sources::LockPtr> lock = downloads.lock();
  if (!lock) return;
  const auto space = (*lock)->namespaces.find(std::string_view(file.path).substr(0, slash));
  if (space == (*lock)->namespaces.end()) return;
  const auto known = space->second.files.find(std::string_view(file.path).substr(slash + 1));
  if (known == space->second.files.end()) return;
  const std::string now = out.digest->substr(out.digest->find(':') + 1);
  out.lock = InspectLock{.name_space = space->first,
                         .source = sources::source_json(space->second.source, space->second.branch),
                         .resolved = space->second.resolved,
                         .state = known->second.is_ours(now) ? "intact" : "edited",
                         .written = "sha256:" + known->second.sha256};
}

// On the loop thread; what it refers to outlives it.
class Inspector {
 public:
  explicit Inspector(InspectHost host) : host_(std::move(host)) {}

  task::Task<Result<json::Raw>> inspect(InspectInput in) {
    const View view = co_await host_.library.current();
    auto look = [id = in.id](const View& v) { return found_in(v, id); };
    const Found found = co_await host_.library.answer(view, std::move(look));
    const DocumentRow* row = found.row;
    if (row == nullptr) {
      const auto near = co_await suggest_skills(host_.library, view, content::normalise_id(in.id));
      co_return std::unexpected(skill_not_found(in.id, near));
    }
    const auto downloads = host_.installed != nullptr ? host_.installed->downloads() : nullptr;
    auto work = [view, found, places = host_.places(view.generation()), downloads] {
      return read(view, *found.row, places, downloads.get());
    };
    InspectedSkill out = co_await host_.library.on_answer_thread(std::move(work));
    if (host_.last_change) out.since_generation = host_.last_change(out.id);
    if (const content::Skill* skill = row->skill) {
      if (host_.links != nullptr) out.functions = co_await host_.links->of(*skill);
      auto risks = co_await document_risks(host_.library, view, *skill);
      if (risks && !risks->empty()) out.risks = std::move(*risks);
    }
    auto write = [out = std::move(out)] { return json::encode(out); };
    std::string text = co_await host_.library.on_answer_thread(std::move(write));
    co_return bounded(std::move(text), "directory::skills::get with `offset` and `limit`");
  }

 private:
  // A row and the table that it is in; null: there is none.
  struct Found {
    DocumentTablePtr table;
    const DocumentRow* row = nullptr;
  };
  static Found found_in(const View& view, const std::string& id) {
    Found out{.table = view.table()};
    if (const auto at = find_row(view, id)) out.row = &out.table->rows()[*at];
    return out;
  }

  // On an answer thread.
  static InspectedSkill read(const View& view, const DocumentRow& row,
                             const std::vector<RootPlace>& places,
                             const sources::Downloads* downloads) {
    InspectedSkill out;
    out.functions.emplace();
    static_cast<SkillRow&>(out) = table_row(view, row);
    if (row.skill != nullptr) out.description = row.skill->description;
    out.generation = view.generation().number;
    out.served = view.state(row) <= DocumentState::kFinding;
    const content::FileRef& file = row.file();
    if (const std::optional<Bytes> bytes = read_bytes(view, file)) {
      fill_text(out, view, file, *bytes);
      if (out.bytes == 0) out.bytes = bytes->text.size();
    }
    out.tokens.index = search::estimate_tokens(out.title + "\n" + out.description);
    fill_related(out, view);
    fill_chain(out, view, row, places);
    fill_findings(out, view, row);
    if (downloads != nullptr) fill_lock(out, view.generation(), file, *downloads);
    return out;
  }

  const InspectHost host_;
};

}  // namespace

void add_inspect(FunctionTable& table, InspectHost host) {
  const auto inspector = std::make_shared<Inspector>(std::move(host));
  table.add<InspectInput, InspectedSkill>(
      {.id = "directory::skills::inspect",
       .title = "Inspect a skill",
       .description = about::kSkillsInspect,
       .hints = kReadOnly},
      [inspector](InspectInput in) { return inspector->inspect(std::move(in)); });
}

}  // namespace iii::directory
