#include "content/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "base/utf8.h"
#include "content/document.h"
#include "content/findings.h"
#include "content/ids.h"
#include "content/kinds.h"

namespace iii::content {

namespace {

// More changes than this at once, and everything is sorted and decided again instead of one by one.
constexpr size_t kFewChanges = 256;

const std::string& path_of(const Document& document) {
  return document.skill ? document.skill->file.path : document.prompt->file.path;
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

const SkillPtr& row_of(const Document& document, const SkillPtr*) { return document.skill; }
const PromptPtr& row_of(const Document& document, const PromptPtr*) { return document.prompt; }
std::string_view key_of(const SkillPtr& row) { return row->id; }
std::string_view key_of(const PromptPtr& row) { return row->name; }

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

// Sorts by merging the ascending runs that are there already: a walk comes almost in order of the
// ids, and the library's sort gains nothing from that.
template <typename Item, typename Less>
void merge_runs(std::vector<Item>& items, Less less) {
  std::vector<size_t> ends;
  for (size_t i = 1; i <= items.size(); ++i) {
    if (i == items.size() || less(items[i], items[i - 1])) ends.push_back(i);
  }
  std::vector<Item> merged(items.size());
  while (ends.size() > 1) {
    std::vector<size_t> fewer;
    auto to = merged.begin();
    size_t begin = 0;
    for (size_t run = 0; run < ends.size(); run += 2) {
      const size_t end = ends[std::min(run + 1, ends.size() - 1)];
      const auto at = [&items](size_t place) {
        return items.begin() + static_cast<std::ptrdiff_t>(place);
      };
      to = std::merge(at(begin), at(ends[run]), at(ends[run]), at(end), to, less);
      fewer.push_back(end);
      begin = end;
    }
    items.swap(merged);
    ends = std::move(fewer);
  }
}

}  // namespace

Catalog::Catalog(std::vector<RootInfo> roots, uint64_t generations_before)
    : roots_(std::move(roots)), tops_(roots_.size(), nullptr) {
  auto empty = std::make_shared<Generation>();
  empty->number = generations_before;
  current_ = std::move(empty);
}

std::string_view Catalog::key(const Document& document) const {
  return document.skill ? document.skill->id : document.prompt->name;
}

// Who comes first among those that want one id: a file before what is compiled in, a file whose
// path gives the id before one that was bent to it, then the order of the roots, then R3.
bool Catalog::precedes(const Document& a, const Document& b) const {
  const std::string_view left = key(a), right = key(b);
  if (left != right) return left < right;
  const auto rank = [&](const Document& document) {
    const bool builtin = roots_[document.root].kind == RootKind::kBuiltin;
    return std::tuple(builtin, document.normalised, document.root);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return walk_before(path_of(a), path_of(b));
}

void Catalog::count_supporting(int64_t difference) {
  if (difference == 0) return;
  accounting_.supporting += static_cast<uint64_t>(difference);
  changed_ = true;
}

void Catalog::set_findings(uint16_t root, std::string_view path, FindingsPtr findings) {
  const std::pair key(root, path);
  const auto at = findings_.find(key);
  if (findings == nullptr) {
    if (at == findings_.end()) return;
    findings_.erase(at);
  } else if (at == findings_.end()) {
    findings_.emplace(std::pair(root, std::string(path)), std::move(findings));
  } else if (at->second == findings) {
    return;
  } else {
    at->second = std::move(findings);
  }
  findings_changed_ = changed_ = true;
}

void Catalog::account(Document& document, Account column) {
  if (document.account == column) return;
  changed_ = true;
  const auto of = [this](Account which) -> uint64_t* {
    switch (which) {
      case Account::kSkill:
        return &accounting_.skills;
      case Account::kPrompt:
        return &accounting_.prompts;
      case Account::kSkipped:
        return &accounting_.skipped;
      default:
        return nullptr;
    }
  };
  const bool counts = roots_[document.root].kind != RootKind::kBuiltin;
  if (uint64_t* before = of(document.account); before != nullptr && counts) --*before;
  if (uint64_t* after = of(column); after != nullptr && counts) ++*after;
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
  if (document.skill || document.prompt) {
    // Until decided.
    account(document, Account::kSkipped);
    (document.skill ? skills_ : prompts_).added.push_back(&document);
  } else {
    account(document, Account::kSkipped);
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
      auto row = std::make_shared<Skill>(*document.skill);
      row->kind = *kind;
      document.skill = std::move(row);
      skills_.dirty.emplace_back(document.skill->id);
      changed_ = true;
    });
  }
  overview_folders_.clear();
}

// As precedes() orders them; the keys are looked up once and not for every comparison.
void Catalog::sort_by_key(Documents& documents) const {
  std::vector<std::pair<std::string_view, Document*>> keyed;
  keyed.reserve(documents.size());
  for (Document* document : documents) keyed.emplace_back(key(*document), document);
  merge_runs(keyed, [this](const auto& a, const auto& b) {
    const int order = a.first.compare(b.first);
    return order != 0 ? order < 0 : precedes(*a.second, *b.second);
  });
  std::ranges::transform(keyed, documents.begin(), [](const auto& each) { return each.second; });
}

void Catalog::merge(List& list) {
  if (list.removed.empty() && list.added.empty()) return;
  changed_ = true;
  const auto order = [this](const Document* a, const Document* b) { return precedes(*a, *b); };
  const bool many = list.removed.size() + list.added.size() > kFewChanges;
  if (many) {
    list.all_dirty = true;
    std::erase_if(list.documents,
                  [](const Document* each) { return each->account == Account::kNone; });
    sort_by_key(list.added);
    Documents merged;
    merged.reserve(list.documents.size() + list.added.size());
    std::ranges::merge(list.documents, list.added, std::back_inserter(merged), order);
    list.documents = std::move(merged);
  } else {
    for (Document* document : list.removed) {
      list.dirty.emplace_back(key(*document));
      const auto at = std::ranges::lower_bound(list.documents, document, order);
      if (at != list.documents.end() && *at == document) list.documents.erase(at);
    }
    for (Document* document : list.added) {
      list.dirty.emplace_back(key(*document));
      list.documents.insert(std::ranges::upper_bound(list.documents, document, order), document);
    }
  }
  list.removed.clear();
  list.added.clear();
}

// R17: folders that came or went may hide, or no longer hide, what lower roots have under that
// name.
void Catalog::mark_shadowed(List& list) {
  if (list.all_dirty) return;
  for (const std::string& name : shadow_names_) {
    // A prompt's name says nothing about where it stands, and a bent id little.
    const bool anywhere = list.kind == Kind::kPrompt || !check_name(name);
    auto at = anywhere ? list.documents.begin()
                       : std::ranges::lower_bound(list.documents, std::string_view(name), {},
                                                  [this](const Document* d) { return key(*d); });
    for (; at != list.documents.end(); ++at) {
      const std::string_view id = key(**at);
      // Ids that begin with the name are contiguous; `name-x` lies between `name` and `name/x`.
      if (!anywhere && !id.starts_with(name)) break;
      if (first_part(id) == name || first_part(path_of(**at)) == name) list.dirty.emplace_back(id);
    }
  }
}

// R17, R18: a folder of that name directly in a root of higher precedence hides the document. What
// is compiled in has no folder that could be hidden: only another document of the same id replaces
// it.
const RootInfo* Catalog::hidden_by(const Document& document) const {
  if (roots_[document.root].kind == RootKind::kBuiltin) return nullptr;
  const std::string_view path = path_of(document);
  const std::string_view folder =
      path.find('/') == std::string_view::npos ? std::string_view() : first_part(path);
  const std::string_view space = document.skill ? first_part(document.skill->id) : folder;
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
  set_findings(document.root, path_of(document), document.own);
}

void Catalog::skip(Document& document, Severity severity, std::string_view code,
                   std::string message) {
  account(document, Account::kSkipped);
  if (roots_[document.root].kind == RootKind::kBuiltin) return;
  std::vector<Finding> findings;
  findings.push_back(
      make_finding(document.root, path_of(document), severity, code, std::move(message)));
  if (document.own) {
    for (const Finding& finding : *document.own) {
      findings.push_back(finding);
      findings.back().served_as.reset();
    }
  }
  set_findings(document.root, path_of(document),
               std::make_shared<const std::vector<Finding>>(std::move(findings)));
}

void Catalog::decide_run(Documents::const_iterator first, Documents::const_iterator last) {
  const Document* winner = nullptr;
  for (; first != last; ++first) {
    Document& document = **first;
    if (const RootInfo* by = hidden_by(document)) {
      skip(document, Severity::kInfo, findings::kShadowed,
           fmt::format("The {} root has a folder of that name, which hides this one.", by->label));
    } else if (winner == nullptr) {
      winner = &document;
      serve(document);
    } else {
      const bool other_root = winner->root != document.root;
      const std::string_view what = document.skill ? "id" : "name";
      skip(document, other_root ? Severity::kInfo : Severity::kWarning,
           other_root       ? findings::kShadowed
           : document.skill ? findings::kDuplicateId
                            : findings::kDuplicateName,
           fmt::format(
               "The {} `{}` belongs to `{}`{}, so this file is not served.", what, key(document),
               printable(path_of(*winner)),
               other_root ? fmt::format(" of the {} root", roots_[winner->root].label) : ""));
    }
  }
}

void Catalog::decide(List& list) {
  const auto same_key = [this](const Document* a, const Document* b) { return key(*a) == key(*b); };
  if (list.all_dirty) {
    for (auto first = list.documents.cbegin(); first != list.documents.cend();) {
      auto last = first + 1;
      while (last != list.documents.cend() && same_key(*first, *last)) ++last;
      decide_run(first, last);
      first = last;
    }
    return;
  }
  std::ranges::sort(list.dirty);
  list.dirty.erase(std::unique(list.dirty.begin(), list.dirty.end()), list.dirty.end());
  for (const std::string& id : list.dirty) {
    const auto run = std::ranges::equal_range(list.documents, std::string_view(id), {},
                                              [this](const Document* d) { return key(*d); });
    decide_run(run.begin(), run.end());
  }
}

template <typename Row>
void Catalog::update_rows(const List& list, std::vector<Row>& rows) {
  const Account column = list.kind == Kind::kSkill ? Account::kSkill : Account::kPrompt;
  if (list.all_dirty) {
    rows.clear();
    rows.reserve(list.documents.size());
    for (const Document* document : list.documents) {
      if (document->account == column) rows.push_back(row_of(*document, rows.data()));
    }
    return;
  }
  for (const std::string& id : list.dirty) {
    const auto run = std::ranges::equal_range(list.documents, std::string_view(id), {},
                                              [this](const Document* d) { return key(*d); });
    const auto winner =
        std::ranges::find_if(run, [&](const Document* d) { return d->account == column; });
    const auto at = std::ranges::lower_bound(rows, std::string_view(id), {},
                                             [](const Row& row) { return key_of(row); });
    const bool known = at != rows.end() && key_of(*at) == id;
    if (winner == run.end()) {
      if (known) rows.erase(at);
    } else if (known) {
      *at = row_of(**winner, rows.data());
    } else {
      rows.insert(at, row_of(**winner, rows.data()));
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
    if (!skills_.all_dirty) next->skills = current_->skills;
    if (!prompts_.all_dirty) next->prompts = current_->prompts;
    update_rows(skills_, next->skills);
    update_rows(prompts_, next->prompts);
    if (findings_changed_) {
      next->findings.reserve(findings_.size());
      for (const auto& [file, findings] : findings_) next->findings.push_back(findings);
    } else {
      next->findings = current_->findings;
    }
    next->accounting = accounting_;
    next->accounting.files =
        accounting_.skills + accounting_.prompts + accounting_.supporting + accounting_.skipped;
    current_ = std::move(next);
  }
  for (List* list : {&skills_, &prompts_}) {
    list->dirty.clear();
    list->all_dirty = false;
  }
  shadow_names_.clear();
  findings_changed_ = changed_ = false;
  return current_;
}

}  // namespace iii::content
