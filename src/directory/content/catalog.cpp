#include "directory/content/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "directory/content/document.h"
#include "directory/content/ids.h"
#include "directory/content/kinds.h"
#include "foundation/base/utf8.h"

namespace iii::content {

namespace {

const std::string& path_of(const Document& document) {
  return document.skill ? document.skill->file.path : document.prompt->file.path;
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

bool is_spelling(const Document& document) {
  if (!document.skill) return false;
  return overview_name(file_name(document.skill->file.path)) == OverviewName::kSpelling;
}

// What two files have to have in common to be the same document in two files (`SKILL.md`,
// `index.md`), other than two documents whose ids happen to be equal.
std::string claim_of(const Document& document) {
  return document.skill ? path_id(document.skill->file.path) : document.prompt->file.path;
}

std::string alternate_id_of(const Document& document, AlternateRow::Kind kind) {
  if (!document.skill) return alternate_name(document.prompt->name, document.prompt->file.path);
  const std::string& path = document.skill->file.path;
  return kind == AlternateRow::Kind::kSecondOverview ? second_overview_id(path)
                                                     : alternate_id(path);
}

// The findings of a file that is served under another id than `wanted`.
FindingsPtr reworded(const Document& document, std::string_view wanted, const std::string& id) {
  if (!document.own) return nullptr;
  const std::string end = served_as_sentence(wanted);
  std::vector<Finding> findings = *document.own;
  for (Finding& finding : findings) {
    finding.served_as = id;
    if (!is_about_name(finding) || !finding.message.ends_with(end)) continue;
    finding.message.replace(
        finding.message.size() - end.size(), end.size(),
        fmt::format(" Another file would have the {} `{}`, too.{}", document.skill ? "id" : "name",
                    wanted, served_as_sentence(id)));
  }
  return std::make_shared<const std::vector<Finding>>(std::move(findings));
}

bool is_below_a_skill(const Document& document) {
  for (const Folder* folder = document.parent; folder != nullptr; folder = folder->parent) {
    if (folder->overviews > 0) return true;
  }
  return false;
}

// The kind that the folders give it, where it is another one than the row says.
std::optional<SkillKind> other_kind(const Document& document) {
  if (!document.skill || !document.skill->kind_by_folder) return std::nullopt;
  const SkillKind kind = kind_of({.by_folder = true}, is_below_a_skill(document));
  return kind == document.skill->kind ? std::nullopt : std::optional(kind);
}

// What a document is served as.
template <typename Row>
const Row& row_of(const Document& document) {
  if constexpr (std::is_same_v<Row, SkillPtr>) {
    return document.alternate ? document.alternate->skill : document.skill;
  } else {
    return document.alternate ? document.alternate->prompt : document.prompt;
  }
}
std::string_view id_of(const SkillPtr& row) { return row->id; }
std::string_view id_of(const PromptPtr& row) { return row->name; }

}  // namespace

Catalog::Catalog(std::vector<RootInfo> roots, uint64_t generations_before)
    : roots_(std::move(roots)),
      tops_(roots_.size(), nullptr),
      skills_(roots_.size() - 1),
      prompts_(roots_.size() - 1),
      accounting_(roots_.size()) {
  auto empty = std::make_shared<Generation>();
  empty->number = generations_before;
  current_ = std::move(empty);
}

// A file before what is compiled in, a file whose path gives the id before one whose id was
// normalised, then the order of the roots, then other spellings of SKILL.md last, then R3.
bool Catalog::Order::operator()(const Document* a, const Document* b) const {
  if (const int order = key(*a).compare(key(*b)); order != 0) return order < 0;
  const auto rank = [this](const Document& document) {
    const bool builtin = document.root == builtin_root;
    return std::tuple(builtin, document.normalised, document.root, is_spelling(document));
  };
  if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
  return walk_before(path_of(*a), path_of(*b));
}

void Catalog::count_supporting(uint16_t root, int64_t difference) {
  if (difference == 0) return;
  accounting_[root].supporting += static_cast<uint64_t>(difference);
  changed_ = true;
}

void Catalog::set_findings(uint16_t root, std::string_view path, FindingsPtr findings) {
  const auto at = findings_.find(std::pair(root, path));
  const bool known = at != findings_.end();
  if (known ? at->second == findings : findings == nullptr) return;
  if (findings == nullptr) {
    findings_.erase(at);
  } else if (known) {
    at->second = std::move(findings);
  } else {
    findings_.emplace(std::pair(root, std::string(path)), std::move(findings));
  }
  findings_changed_ = changed_ = true;
}

void Catalog::account(Document& document, Account column) {
  if (document.account == column) return;
  changed_ = true;
  static constexpr std::array<uint64_t Accounting::*, 4> kColumns{
      nullptr, &Accounting::skills, &Accounting::prompts, &Accounting::skipped};
  if (roots_[document.root].kind != RootKind::kBuiltin) {
    Accounting& root = accounting_[document.root];
    if (const auto before = kColumns.at(static_cast<size_t>(document.account))) --(root.*before);
    if (const auto after = kColumns.at(static_cast<size_t>(column))) ++(root.*after);
  }
  document.account = column;
}

void Catalog::remove(Document& document) {
  if (document.account == Account::kNone) return;  // never got here
  account(document, Account::kNone);
  count_overview(document, false);
  if (document.skill || document.prompt) {
    set_findings(document.root, path_of(document), nullptr);
    (document.skill ? skills_ : prompts_).removed.push_back(&document);
  } else {
    set_findings(document.root, document.path(), nullptr);
  }
}

void Catalog::add(Document& document) {
  count_overview(document, true);
  account(document, Account::kSkipped);  // until decided
  if (document.skill || document.prompt) {
    (document.skill ? skills_ : prompts_).added.push_back(&document);
  } else {
    set_findings(document.root, document.path(), document.own);
  }
}

void Catalog::count_overview(const Document& document, bool there) {
  Folder* folder = document.parent;
  if (folder == nullptr || !document.skill || !is_skill_file(document.name)) return;
  there ? ++folder->overviews : --folder->overviews;
  overview_folders_.push_back(folder);
}

// Documents that do not describe themselves are references below a SKILL.md and skills elsewhere:
// those that are new, and all below a folder whose only SKILL.md came or went.
void Catalog::set_kinds() {
  for (Document* document : skills_.added) {
    // Nobody has seen the row of a new document.
    if (const auto kind = other_kind(*document)) const_cast<Skill&>(*document->skill).kind = *kind;
  }
  for (Folder* folder : overview_folders_) {
    const bool has = folder->overviews > 0;
    if (folder->gone || std::exchange(folder->had_overview, has) == has) continue;
    each_node(*folder, [this](Node& node) {
      if (node.kind != NodeKind::kDocument) return;
      auto& document = static_cast<Document&>(node);
      const auto kind = other_kind(document);
      if (!kind) return;
      take_alternate(skills_, document);
      auto row = std::make_shared<Skill>(*document.skill);
      row->kind = *kind;
      document.skill = std::move(row);
      skills_.dirty.emplace(document.skill->id, nullptr);
      changed_ = true;
    });
  }
  overview_folders_.clear();
}

void Catalog::merge(List& list) {
  changed_ = changed_ || !list.removed.empty() || !list.added.empty();
  for (Document* document : list.removed) {
    list.dirty.emplace(key(*document), nullptr);
    take_alternate(list, *document);
    list.documents.erase(document);
  }
  for (Document* document : list.added) {
    list.dirty.emplace(key(*document), nullptr);
    list.documents.insert(document);
  }
  list.removed.clear();
  list.added.clear();
}

void Catalog::top_name_changed(uint16_t root, const std::string& name) {
  const bool is_last = root + 2U >= roots_.size();  // only what is compiled in stands below it
  if (!is_last) shadow_names_.insert(name);
}

// R17: folders that came or went may hide, or no longer hide, what lower roots have under that
// name.
void Catalog::mark_shadowed(List& list) {
  if (shadow_names_.empty()) return;
  const auto mark = [&](std::string_view id, const Document& document) {
    if (shadow_names_.contains(first_part(id)) ||
        shadow_names_.contains(first_part(path_of(document)))) {
      list.dirty.emplace(id, nullptr);
    }
  };
  for (const Document* document : list.documents) mark(key(*document), *document);
  for (const auto& [id, document] : list.alternates) mark(id, *document);
}

// R17, R18: a folder of that name directly in a root of higher precedence hides the document. What
// is compiled in has no folder that could be hidden: only another document of the same id replaces
// it.
const RootInfo* Catalog::hidden_by(const Document& document, std::string_view id) const {
  if (roots_[document.root].kind == RootKind::kBuiltin) return nullptr;
  const std::string_view path = path_of(document);
  const std::string_view folder =
      path.find('/') == std::string_view::npos ? std::string_view() : first_part(path);
  const std::string_view space = document.skill ? first_part(id) : folder;
  for (uint16_t root = 0; root < document.root; ++root) {
    if (tops_[root] == nullptr) continue;
    for (const std::string_view name : {space, folder}) {
      const Node* entry = name.empty() ? nullptr : tops_[root]->find(name);
      if (entry != nullptr && entry->kind == NodeKind::kFolder) return &roots_[root];
    }
  }
  return nullptr;
}

void Catalog::serve(Document& document) {
  account(document, document.skill ? Account::kSkill : Account::kPrompt);
  if (roots_[document.root].kind == RootKind::kBuiltin) return;
  set_findings(document.root, path_of(document),
               document.alternate ? document.alternate->own : document.own);
}

void Catalog::skip(Document& document, const findings::Code& code, std::string message) {
  account(document, Account::kSkipped);
  if (roots_[document.root].kind == RootKind::kBuiltin) return;
  std::vector<Finding> findings;
  findings.push_back(make_finding(document.root, path_of(document), code, std::move(message)));
  if (document.own) {
    for (const Finding& finding : *document.own) {
      if (is_about_name(finding)) continue;
      findings.push_back(finding);
      findings.back().served_as.reset();
    }
  }
  set_findings(document.root, path_of(document),
               std::make_shared<const std::vector<Finding>>(std::move(findings)));
}

Catalog::Documents Catalog::run_of(const List& list, std::string_view id) {
  const auto [first, last] = list.documents.equal_range(id);
  return {first, last};
}

// Among the files of one root that want one id, the one that is called exactly so keeps it; all
// others, or all if there is none, get alternate ids. Which depends on these files alone. Several
// files that are the same document (SKILL.md and index.md of a folder) do not contest each other:
// the first is the document, another spelling of SKILL.md becomes an ordinary one.
void Catalog::displace(List& list, const Documents& run) {
  struct Claim {
    const Document* first = nullptr;  // legal ones come first
    std::string what;
    bool contested = false;
  };
  std::vector<Claim> claims(run.size() > 1 ? roots_.size() : 0);
  if (run.size() > 1) {
    for (const Document* document : run) {
      Claim& claim = claims[document->root];
      if (claim.first == nullptr) {
        claim = {.first = document, .what = claim_of(*document)};
      } else if (claim.first->normalised && claim_of(*document) != claim.what) {
        claim.contested = true;
      }
    }
  }
  for (Document* document : run) {
    std::optional<AlternateRow::Kind> kind;
    if (run.size() > 1) {
      const Claim& claim = claims[document->root];
      const bool normalised = document->normalised && !claim.first->normalised;
      if (claim.contested || normalised) {
        kind = AlternateRow::Kind::kHashed;
      } else if (document != claim.first && is_spelling(*document)) {
        kind = AlternateRow::Kind::kSecondOverview;
      }
    }
    const AlternateRow* const now = document->alternate.get();
    if (now != nullptr ? now->kind == kind : !kind) continue;
    take_alternate(list, *document);
    if (kind) give_alternate(list, *document, *kind);
  }
}

void Catalog::give_alternate(List& list, Document& document, AlternateRow::Kind kind) {
  auto row = std::make_unique<AlternateRow>();
  row->kind = kind;
  row->id = alternate_id_of(document, kind);
  row->own = reworded(document, key(document), row->id);
  if (document.skill) {
    auto skill = std::make_shared<Skill>(*document.skill);
    skill->id = row->id;
    row->skill = std::move(skill);
  } else {
    auto prompt = std::make_shared<Prompt>(*document.prompt);
    prompt->name = row->id;
    row->prompt = std::move(prompt);
  }
  list.dirty.emplace(row->id, nullptr);
  list.alternates.emplace(row->id, &document);
  document.alternate = std::move(row);
}

void Catalog::take_alternate(List& list, Document& document) {
  const std::unique_ptr<AlternateRow> row = std::move(document.alternate);
  if (row == nullptr) return;
  list.dirty.emplace(row->id, nullptr);
  const auto [first, last] = list.alternates.equal_range(row->id);
  const auto at =
      std::find_if(first, last, [&](const auto& each) { return each.second == &document; });
  if (at != last) list.alternates.erase(at);
}

// The documents that could be served under an id: first those whose own it is.
Catalog::Documents Catalog::candidates(const List& list, std::string_view id) {
  Documents out = run_of(list, id);
  std::erase_if(out, [](const Document* document) { return document->alternate != nullptr; });
  const auto own = static_cast<std::ptrdiff_t>(out.size());
  const auto [first, last] = list.alternates.equal_range(id);
  for (auto at = first; at != last; ++at) out.push_back(at->second);
  const auto order = [](const Document* a, const Document* b) {
    const auto rank = [](const Document& d) { return std::tuple(d.root, is_spelling(d)); };
    if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
    return walk_before(path_of(*a), path_of(*b));
  };
  std::sort(out.begin() + own, out.end(), order);
  return out;
}

// Gives the one that is served, or null.
const Document* Catalog::decide_among(std::string_view id, const Documents& candidates) {
  const Document* winner = nullptr;
  for (Document* const candidate : candidates) {
    Document& document = *candidate;
    if (const RootInfo* by = hidden_by(document, id)) {
      skip(document, findings::kShadowed,
           fmt::format("The {} root has a folder of that name, which hides this one.", by->label));
    } else if (winner == nullptr) {
      winner = &document;
      serve(document);
    } else {
      const bool other_root = winner->root != document.root;
      const std::string_view what = document.skill ? "id" : "name";
      skip(document,
           other_root       ? findings::kShadowed
           : document.skill ? findings::kDuplicateId
                            : findings::kDuplicateName,
           fmt::format(
               "The {} `{}` belongs to `{}`{}, so this file is not served.", what, id,
               printable(path_of(*winner)),
               other_root ? fmt::format(" of the {} root", roots_[winner->root].label) : ""));
    }
  }
  return winner;
}

void Catalog::decide(List& list) {
  std::vector<std::string> ids;
  for (const auto& [id, winner] : list.dirty) ids.push_back(id);
  for (const std::string& id : ids) {
    const Documents run = run_of(list, id);
    displace(list, run);
    for (const Document* document : run) {
      if (document->alternate) list.dirty.emplace(document->alternate->id, nullptr);
    }
  }
  for (auto& [id, winner] : list.dirty) winner = decide_among(id, candidates(list, id));
}

template <typename Row>
void Catalog::update_rows(const List& list, Rows<Row>& rows) {
  for (const auto& [id, winner] : list.dirty) {
    const auto at = std::ranges::lower_bound(rows, std::string_view(id), {},
                                             [](const Row& row) { return id_of(row); });
    const auto place = static_cast<size_t>(at - rows.begin());
    const bool known = at != rows.end() && id_of(*at) == id;
    if (winner == nullptr) {
      if (known) rows.erase(place);
      continue;
    }
    const Row& row = row_of<Row>(*winner);
    if (!known) {
      rows.insert(place, row);
    } else if (*at != row) {
      rows.set(place, row);
    }
  }
}

GenerationPtr Catalog::publish() {
  set_kinds();
  for (List* list : {&skills_, &prompts_}) {
    merge(*list);
    mark_shadowed(*list);
    decide(*list);
  }
  if (changed_) {
    auto next = std::make_shared<Generation>();
    next->number = current_->number + 1;
    next->roots = roots_;
    next->skills = current_->skills;
    next->prompts = current_->prompts;
    next->findings = current_->findings;
    update_rows(skills_, next->skills);
    update_rows(prompts_, next->prompts);
    if (std::exchange(findings_changed_, false)) {
      const auto lists = findings_ | std::views::values;
      next->findings = Rows<FindingsPtr>({lists.begin(), lists.end()});
    }
    for (Accounting root : accounting_) {
      root.files = root.skills + root.prompts + root.supporting + root.skipped;
      next->accounting.files += root.files;
      next->accounting.skills += root.skills;
      next->accounting.prompts += root.prompts;
      next->accounting.supporting += root.supporting;
      next->accounting.skipped += root.skipped;
      next->accounting_of_roots.push_back(root);
    }
    current_ = std::move(next);
  }
  for (List* list : {&skills_, &prompts_}) list->dirty.clear();
  shadow_names_.clear();
  changed_ = false;
  return current_;
}

}  // namespace iii::content
