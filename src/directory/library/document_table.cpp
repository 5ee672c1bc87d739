#include "directory/library/document_table.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "directory/content/findings.h"
#include "directory/content/ids.h"
#include "directory/content/tree.h"
#include "directory/library/document_paths.h"
#include "foundation/base/hash.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

namespace codes = content::findings;
using content::Finding;
using content::FindingsPtr;
using content::Generation;

constexpr std::string_view kOverviewSuffix = "/index";

// An overview is shown as its folder.
std::string_view shown_part(std::string_view id) {
  return id.ends_with(kOverviewSuffix) ? id.substr(0, id.size() - kOverviewSuffix.size()) : id;
}

std::string_view first_part(std::string_view id) { return id.substr(0, id.find('/')); }

void append_folded(std::string& out, std::string_view text) {
  out += fold_case(text);
  out += kTextEnd;
}

// Names as numbers.
class Numbers {
 public:
  explicit Numbers(std::vector<std::string>& names) : names_(names) {}

  uint32_t of(std::string_view name) {
    const auto known = places_.find(name);
    if (known != places_.end()) return known->second;
    const auto place = static_cast<uint32_t>(names_.size());
    names_.emplace_back(name);
    places_.emplace(name, place);
    return place;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> places_;
};

std::string_view kind_of(const Finding& finding) {
  const std::string& path = finding.file.path;
  if (content::is_prompt_path(path)) return "prompt";
  const bool folder = finding.code == codes::kLinkCycle || finding.code == codes::kTooDeep ||
                      finding.code == codes::kTooManyFiles ||
                      (finding.code == codes::kUnreadable && !is_document_path(path));
  return folder ? "folder" : kind_word(content::SkillKind::kSkill);
}

// The id under which it would be served: known for skills alone.
std::string wanted_id(const Generation& generation, const Finding& finding, std::string_view kind) {
  const std::string& path = finding.file.path;
  // Registrations stand below `skills/` and `prompts/`.
  if (content::is_registered(generation, finding.file)) return path.substr(path.find('/') + 1);
  if (kind != kind_word(content::SkillKind::kSkill)) return path;
  return std::string(shown_part(content::normalise_id(content::path_id(path))));
}

bool says_shadowed(std::string_view code) {
  return code == codes::kShadowed || code == codes::kDuplicateId || code == codes::kDuplicateName ||
         code == codes::kRegisteredHidden || code == codes::kOtherRoot;
}

DocumentTable::Fit fit_of(std::string_view path, const std::string& file) {
  using enum DocumentTable::Fit;
  if (file == path) return kFile;
  const std::string_view stem = without_suffix(file);
  if (stem == path) return kWithoutSuffix;
  if (stem.size() == path.size() || stem.size() == without_suffix(path).size()) {
    if (iequals(stem, without_suffix(path))) return kOtherCase;
  }
  const std::string_view folder = folder_of(file);
  const bool overview =
      !folder.empty() && folder.size() == path.size() && is_overview_file(file_name(file));
  if (!overview || !iequals(folder, path)) return kNone;
  return folder == path ? kFolder : kOtherCase;
}

}  // namespace

std::string_view kind_word(content::SkillKind kind) {
  switch (kind) {
    case content::SkillKind::kReference:
      return "reference";
    case content::SkillKind::kReadme:
      return "readme";
    case content::SkillKind::kSkill:
      break;
  }
  return "skill";
}

FindingsPtr findings_of(const Generation& generation, const content::FileRef& file) {
  const std::string path = printable(file.path);
  const auto& lists = generation.findings;
  const auto is_it = [&](const FindingsPtr& list) {
    return list->front().file.root == file.root && list->front().file.path == path;
  };
  // Registrations come last and are in another order; odd names are sorted as they really are.
  const bool sorted = path == file.path && !content::is_registered(generation, file);
  const auto before = [&](const FindingsPtr& list, int) {
    const content::FileRef& other = list->front().file;
    return other.root != file.root ? other.root < file.root
                                   : content::walk_before(other.path, path);
  };
  const auto at = sorted ? std::lower_bound(lists.begin(), lists.end(), 0, before)
                         : std::find_if(lists.begin(), lists.end(), is_it);
  return at != lists.end() && is_it(*at) ? *at : nullptr;
}

DocumentTable::TextBlock::TextBlock(Chunk rows) : chunk(std::move(rows)) {
  ends.reserve(chunk->size());
  for (const content::SkillPtr& row : *chunk) {
    const std::string_view id = shown_part(row->id);
    append_folded(text, id);
    append_folded(text, row->title);
    append_folded(text, row->description);
    if (!row->name.empty() && row->name != id) append_folded(text, row->name);
    if (const auto path = unusual_path(*row); !path.empty()) append_folded(text, path);
    ends.push_back(static_cast<uint32_t>(text.size()));
  }
  text.shrink_to_fit();
}

class DocumentTable::Maker {
 public:
  explicit Maker(DocumentTable& out)
      : out_(out), generation_(*out.generation_), types_(out.types_), spaces_(out.spaces_) {}

  void run(const DocumentTable* before) {
    add_unserved();
    add_blocks(before);
    add_rows();
    mark_findings();
  }

 private:
  void add_unserved() {
    std::unordered_set<std::string> ids;
    for (const FindingsPtr& list : generation_.findings) {
      const Finding& reason = list->front();
      if (reason.served_as || reason.file.path.empty()) continue;
      UnservedDocument row{.findings = list, .kind = kind_of(reason)};
      row.wanted = row.id = wanted_id(generation_, reason, row.kind);
      const bool taken = row.kind == kind_word(content::SkillKind::kSkill) &&
                         (generation_.skill(row.id) != nullptr ||
                          generation_.skill(row.id + std::string(kOverviewSuffix)) != nullptr);
      if (taken || !ids.insert(row.id).second) {
        row.id = generation_.roots[reason.file.root].label + ":" + reason.file.path;
      }
      out_.unserved_.push_back(std::move(row));
    }
    std::ranges::sort(out_.unserved_, {},
                      [](const UnservedDocument& row) { return std::tie(row.wanted, row.id); });
  }

  void add_blocks(const DocumentTable* before) {
    std::unordered_map<const void*, std::shared_ptr<const TextBlock>> known;
    if (before != nullptr) {
      for (const auto& block : before->blocks_) known.emplace(block->chunk.get(), block);
    }
    for (const Chunk& chunk : generation_.skills.chunks()) {
      const auto found = known.find(chunk.get());
      out_.blocks_.push_back(found != known.end() ? found->second
                                                  : std::make_shared<const TextBlock>(chunk));
    }
  }

  // Both kinds of rows are in order; a row that is not served comes before the one of its id.
  void add_rows() {
    out_.rows_.reserve(generation_.skills.size() + out_.unserved_.size());
    auto next = out_.unserved_.begin();
    for (const auto& block : out_.blocks_) {
      size_t begin = 0;
      for (size_t i = 0; i < block->chunk->size(); ++i) {
        const content::Skill& skill = *(*block->chunk)[i];
        while (next != out_.unserved_.end() && next->wanted <= skill.id) add_row(*next++);
        const std::string_view text(block->text.data() + begin, block->ends[i] - begin);
        add_row(skill, text);
        begin = block->ends[i];
      }
    }
    while (next != out_.unserved_.end()) add_row(*next++);
  }

  void add_row(const content::Skill& skill, std::string_view text) {
    out_.rows_.push_back({.skill = &skill,
                          .text = text,
                          .id_size = static_cast<uint32_t>(shown_part(skill.id).size()),
                          .type = types_.of(skill.type ? std::string_view(*skill.type) : kNoType),
                          .space = spaces_.of(first_part(skill.id)),
                          .root = skill.file.root});
  }
  void add_row(const UnservedDocument& row) {
    std::string& text = out_.unserved_texts_.emplace_back();
    append_folded(text, row.wanted);
    append_folded(text, row.reason().file.path);
    const bool shadowed = says_shadowed(row.reason().code);
    out_.rows_.push_back({.unserved = &row,
                          .text = text,
                          .id_size = static_cast<uint32_t>(row.wanted.size()),
                          .type = types_.of(kNoType),
                          .space = spaces_.of(first_part(row.wanted)),
                          .root = row.reason().file.root,
                          .state = shadowed ? DocumentState::kShadowed : DocumentState::kMissing});
  }

  void mark_findings() {
    for (const FindingsPtr& list : generation_.findings) {
      const Finding& first = list->front();
      if (!first.served_as || content::is_prompt_path(first.file.path)) continue;
      const auto row = out_.find_served(*first.served_as);
      if (!row) continue;
      const bool lost = std::ranges::any_of(
          *list, [](const Finding& each) { return each.severity == content::Severity::kError; });
      out_.rows_[*row].state = lost ? DocumentState::kMissing : DocumentState::kFinding;
    }
  }

  DocumentTable& out_;
  const Generation& generation_;
  Numbers types_;
  Numbers spaces_;
};

DocumentTablePtr DocumentTable::make(content::GenerationPtr generation,
                                     const DocumentTable* before) {
  auto out = std::make_shared<DocumentTable>();
  out->generation_ = std::move(generation);
  Maker(*out).run(before);
  return out;
}

std::pair<size_t, size_t> DocumentTable::prefix_range(std::string_view prefix) const {
  const auto first = std::ranges::lower_bound(rows_, prefix, {}, &DocumentRow::key);
  const auto last = std::partition_point(first, rows_.end(), [prefix](const DocumentRow& row) {
    return row.key().starts_with(prefix);
  });
  return {static_cast<size_t>(first - rows_.begin()), static_cast<size_t>(last - rows_.begin())};
}

std::optional<size_t> DocumentTable::find_served(std::string_view on_disk_id) const {
  const auto same = std::ranges::equal_range(rows_, on_disk_id, {}, &DocumentRow::key);
  if (same.empty() || same.back().skill == nullptr) return std::nullopt;
  return static_cast<size_t>(same.end() - rows_.begin()) - 1;
}

std::optional<size_t> DocumentTable::find(std::string_view id) const {
  if (const auto row = find_served(id)) return row;
  if (const auto row = find_served(std::string(id) + std::string(kOverviewSuffix))) return row;
  const auto at = std::ranges::find_if(rows_, [id](const DocumentRow& row) {
    return row.unserved != nullptr && row.unserved->id == id;
  });
  if (at == rows_.end()) return std::nullopt;
  return static_cast<size_t>(at - rows_.begin());
}

std::optional<size_t> DocumentTable::find_unserved(std::string_view wanted) const {
  const auto at = std::ranges::lower_bound(rows_, wanted, {}, &DocumentRow::key);
  if (at == rows_.end() || at->unserved == nullptr || at->key() != wanted) return std::nullopt;
  return static_cast<size_t>(at - rows_.begin());
}

std::optional<size_t> DocumentTable::find_file(uint16_t root, std::string_view path) const {
  const auto at = std::ranges::find_if(rows_, [root, path](const DocumentRow& row) {
    return row.root == root && row.file().path == path;
  });
  if (at == rows_.end()) return std::nullopt;
  return static_cast<size_t>(at - rows_.begin());
}

DocumentTable::Match DocumentTable::find_path(std::string_view path,
                                              std::optional<uint16_t> root) const {
  Match best;
  if (path.empty()) return best;
  for (const DocumentRow& row : rows_) {
    if (row.skill == nullptr || (root && row.root != *root)) continue;
    const Fit fit = fit_of(path, row.skill->file.path);
    const bool better = fit < best.fit || (fit == best.fit && best.skill != nullptr &&
                                           row.root < best.skill->file.root);
    if (!better || content::is_registered(*generation_, row.skill->file)) continue;
    best = {row.skill, fit};
  }
  return best;
}

DocumentTablePtr DocumentTables::of(const content::GenerationPtr& generation) {
  const std::lock_guard lock(mutex_);
  if (last_ == nullptr || last_->generation() != generation) {
    last_ = DocumentTable::make(generation, last_.get());
  }
  return last_;
}

}  // namespace iii::directory
