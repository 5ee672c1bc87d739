#include "directory/reading/browse_columns.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "directory/content/findings.h"
#include "directory/content/ids.h"
#include "directory/content/tree.h"
#include "directory/reading/paths.h"
#include "directory/reading/skill_list.h"
#include "foundation/base/hash.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

namespace codes = content::findings;
using content::Finding;
using content::FindingsPtr;
using content::Generation;
using content::Severity;

// Longer texts are searched as far as this.
constexpr size_t kSearchedBytes = 2'048;
constexpr std::string_view kOverviewSuffix = "/index";
constexpr size_t kFewRows = 100;
constexpr size_t kOwnMapping = 1024UL * 1024 + 4096;

using Places = std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>;

// An overview is found by the name of its folder.
std::string_view shown_part(std::string_view id) {
  return id.ends_with(kOverviewSuffix) ? id.substr(0, id.size() - kOverviewSuffix.size()) : id;
}

std::string_view first_part(std::string_view id) { return id.substr(0, id.find('/')); }

uint32_t place_in(std::vector<std::string>& names, Places& places, std::string_view name) {
  const auto known = places.find(name);
  if (known != places.end()) return known->second;
  const auto place = static_cast<uint32_t>(names.size());
  names.emplace_back(name);
  places.emplace(name, place);
  return place;
}

std::string_view kind_of(const Finding& finding) {
  const std::string& path = finding.file.path;
  if (content::is_prompt_path(path)) return "prompt";
  const bool folder = finding.code == codes::kLinkCycle || finding.code == codes::kTooDeep ||
                      finding.code == codes::kTooManyFiles ||
                      (finding.code == codes::kUnreadable && !is_document_path(path));
  return folder ? "folder" : kind_word(content::SkillKind::kSkill);
}

// Registrations stand below `skills/` and `prompts/`.
std::string_view registered_key(std::string_view path) { return path.substr(path.find('/') + 1); }

// The id under which it would be served: known for skills alone.
std::string wanted_id(const Generation& generation, const Finding& finding, std::string_view kind) {
  const std::string& path = finding.file.path;
  if (content::is_registered(generation, finding.file)) return std::string(registered_key(path));
  if (kind != kind_word(content::SkillKind::kSkill)) return path;
  return std::string(shown_part(content::normalise_id(content::path_id(path))));
}

}  // namespace

bool says_shadowed(std::string_view code) {
  return code == codes::kShadowed || code == codes::kDuplicateId || code == codes::kDuplicateName ||
         code == codes::kRegisteredHidden || code == codes::kOtherRoot;
}

FindingsPtr findings_of(const Generation& generation, const content::FileRef& file) {
  const std::string path = printable(file.path);
  const auto& lists = generation.findings;
  const auto before = [](const content::FileRef& a, uint16_t root, std::string_view other) {
    return a.root != root ? a.root < root : content::walk_before(a.path, other);
  };
  // Registrations come last and are in another order; odd names are sorted as they really are.
  const bool sorted = path == file.path && !content::is_registered(generation, file);
  auto at = lists.begin();
  if (sorted) {
    at = std::lower_bound(lists.begin(), lists.end(), 0, [&](const FindingsPtr& list, int) {
      return before(list->front().file, file.root, path);
    });
  }
  const auto is_it = [&](const FindingsPtr& list) {
    return list->front().file.root == file.root && list->front().file.path == path;
  };
  if (!sorted) at = std::find_if(lists.begin(), lists.end(), is_it);
  return at != lists.end() && is_it(*at) ? *at : nullptr;
}

void BrowseTexts::add(std::string_view id, std::initializer_list<std::string_view> others) {
  id_sizes.push_back(static_cast<uint16_t>(std::min<size_t>(id.size(), UINT16_MAX)));
  text += fold_case(id);
  text += '\n';
  for (const std::string_view each : others) {
    if (each.empty()) continue;
    text += fold_case(each.substr(0, kSearchedBytes));
    text += '\n';
  }
  starts.push_back(static_cast<uint32_t>(text.size()));
}

BrowseBlock::BrowseBlock(std::span<const content::SkillPtr> rows) : filter(rows) {
  Places known;
  // A mapping of its own is given back to the system when the block is dropped, and the pages that
  // are not used cost nothing (see set_up_malloc).
  if (rows.size() > kFewRows) texts.text.reserve(kOwnMapping);
  for (const content::SkillPtr& row : rows) {
    const std::string_view id = shown_part(row->id);
    const std::string_view name = row->name == id ? std::string_view() : row->name;
    texts.add(id, {row->title, row->description, name, unusual_path(*row)});
    id_hashes.push_back(TextHash()(row->id));
    roots.push_back(row->file.root);
    const std::string_view type = row->type ? std::string_view(*row->type) : kNoType;
    types.push_back(static_cast<uint16_t>(place_in(type_names, known, type)));
    const std::string_view space = first_part(row->id);
    const bool bare = space.size() == row->id.size();
    if (spaces.empty() || spaces.back().name != space || spaces.back().bare != bare) {
      spaces.push_back({static_cast<uint32_t>(roots.size() - 1), std::string(space), bare});
    }
  }
}

class BrowseColumns::Maker {
 public:
  explicit Maker(BrowseColumns& out) : out_(out), generation_(out.view_.generation()) {}

  void follow(const BrowseColumns* before) {
    RowBlocks<BrowseBlock>::Update update(
        before != nullptr ? before->blocks_ : RowBlocks<BrowseBlock>(),
        out_.view_.shared_generation());
    while (update.step()) {
    }
    out_.blocks_ = update.take();
  }

  void add_served() {
    const size_t count = generation_.skills.size();
    out_.states_.reserve(count);
    out_.roots_.reserve(count);
    out_.types_.reserve(count);
    out_.spaces_.reserve(count);
    for (const auto& [rows, block] : out_.blocks_.pieces()) add_block(*block);
  }

  // States of what is served, and rows for the rest.
  void add_findings() {
    std::unordered_map<uint64_t, Severity> noted;  // by hash of the id
    for (const FindingsPtr& list : generation_.findings) {
      const Finding& first = list->front();
      if (!first.served_as) {
        if (!first.file.path.empty()) add_unserved(list);
      } else if (!content::is_prompt_path(first.file.path)) {
        Severity worst = Severity::kInfo;
        for (const Finding& finding : *list) worst = std::max(worst, finding.severity);
        noted.emplace(TextHash()(*first.served_as), worst);
      }
    }
    if (noted.empty()) return;
    size_t row = 0;
    for (const auto& [rows, block] : out_.blocks_.pieces()) {
      for (size_t i = 0; i < rows; ++i, ++row) {
        const auto found = noted.find(block->id_hashes[i]);
        if (found == noted.end()) continue;
        const bool lost = found->second == Severity::kError;
        if (lost || out_.states_[row] == uint8_t(BrowseState::kServed)) {
          out_.states_[row] = uint8_t(lost ? BrowseState::kMissing : BrowseState::kFinding);
        }
      }
    }
  }

  void finish() {
    std::ranges::sort(out_.unserved_, {},
                      [](const UnservedRow& row) { return std::tie(row.wanted, row.id); });
    for (UnservedRow& row : out_.unserved_) add_unserved_columns(row);
    std::vector<uint64_t> totals(out_.type_names_.size());
    for (const uint32_t type : out_.types_) ++totals[type];
    for (uint32_t i = 0; i < totals.size(); ++i) out_.type_order_.push_back(i);
    std::ranges::sort(out_.type_order_, [&](uint32_t a, uint32_t b) {
      return std::tie(totals[b], out_.type_names_[a]) < std::tie(totals[a], out_.type_names_[b]);
    });
  }

 private:
  void add_block(const BrowseBlock& block) {
    std::vector<uint32_t> types;
    for (const std::string& name : block.type_names) {
      types.push_back(place_in(out_.type_names_, types_, name));
    }
    for (const uint16_t type : block.types) out_.types_.push_back(types[type]);
    out_.roots_.insert(out_.roots_.end(), block.roots.begin(), block.roots.end());
    for (size_t i = 0; i < block.spaces.size(); ++i) {
      const BrowseBlock::Space& space = block.spaces[i];
      const size_t end =
          i + 1 < block.spaces.size() ? block.spaces[i + 1].first : block.roots.size();
      out_.spaces_.insert(out_.spaces_.end(), end - space.first,
                          place_in(out_.space_names_, spaces_, space.name));
      const bool shown = space.bare || out_.view_.shows(space.name + "/");
      for (size_t row = space.first; row < end; ++row) {
        const bool registered =
            generation_.roots[block.roots[row]].kind == content::RootKind::kRegistered;
        out_.states_.push_back(
            uint8_t(shown || registered ? BrowseState::kServed : BrowseState::kFiltered));
      }
    }
  }

  void add_unserved(const FindingsPtr& list) {
    UnservedRow row;
    row.findings = list;
    const Finding& reason = row.reason();
    row.kind = kind_of(reason);
    row.state = says_shadowed(reason.code) ? BrowseState::kShadowed : BrowseState::kMissing;
    row.wanted = row.id = wanted_id(generation_, reason, row.kind);
    row.space = first_part(row.id);
    const bool skill = row.kind == kind_word(content::SkillKind::kSkill);
    const bool taken =
        skill && (generation_.skill(row.id) != nullptr ||
                  generation_.skill(row.id + std::string(kOverviewSuffix)) != nullptr);
    if (taken || !ids_.emplace(row.id, 0).second) {
      row.id = generation_.roots[reason.file.root].label + ":" + reason.file.path;
    }
    out_.unserved_.push_back(std::move(row));
  }

  void add_unserved_columns(UnservedRow& row) {
    const Finding& reason = row.reason();
    const auto& skills = generation_.skills;
    const auto id = [](const content::SkillPtr& each) -> const std::string& { return each->id; };
    row.before = static_cast<uint32_t>(std::ranges::lower_bound(skills, row.wanted, {}, id) -
                                       skills.begin());
    out_.unserved_texts_.add(row.wanted, {reason.file.path});
    out_.states_.push_back(uint8_t(row.state));
    out_.roots_.push_back(reason.file.root);
    out_.types_.push_back(place_in(out_.type_names_, types_, kNoType));
    out_.spaces_.push_back(place_in(out_.space_names_, spaces_, row.space));
  }

  BrowseColumns& out_;
  const Generation& generation_;
  Places types_;
  Places spaces_;
  Places ids_;  // of unserved rows
};

BrowseColumnsPtr BrowseColumns::make(View view, const BrowseColumns* before) {
  std::shared_ptr<BrowseColumns> out(new BrowseColumns(std::move(view)));
  Maker maker(*out);
  maker.follow(before);
  maker.add_served();
  maker.add_findings();
  maker.finish();
  return out;
}

bool BrowseColumns::fits(const View& view) const {
  const NamesPtr& mine = view_.installed();
  const NamesPtr& other = view.installed();
  return view_.shared_generation() == view.shared_generation() &&
         (mine == other || (mine && other && *mine == *other));
}

std::optional<size_t> BrowseColumns::find(std::string_view id) const {
  const auto& skills = view_.generation().skills;
  const auto key = [](const content::SkillPtr& each) -> const std::string& { return each->id; };
  for (const std::string& wanted :
       {std::string(id), std::string(id) + std::string(kOverviewSuffix)}) {
    const auto at = std::ranges::lower_bound(skills, wanted, {}, key);
    if (at != skills.end() && (*at)->id == wanted) return static_cast<size_t>(at - skills.begin());
  }
  const auto at = std::ranges::find(unserved_, id, &UnservedRow::id);
  if (at == unserved_.end()) return std::nullopt;
  return skills.size() + static_cast<size_t>(at - unserved_.begin());
}

std::optional<size_t> BrowseColumns::find(uint16_t root, std::string_view path) const {
  for (size_t i = 0; i < unserved_.size(); ++i) {
    const content::FileRef& file = unserved_[i].reason().file;
    if (file.root == root && file.path == path) return skills() + i;
  }
  const auto& skills = view_.generation().skills;
  size_t row = 0;
  for (auto at = skills.begin(); at != skills.end(); ++at, ++row) {
    if ((*at)->file.root == root && (*at)->file.path == path) return row;
  }
  return std::nullopt;
}

size_t BrowseColumns::bytes() const {
  const auto texts = [](const BrowseTexts& all) {
    return all.text.size() + all.starts.capacity() * 4 + all.id_sizes.capacity() * 2;
  };
  size_t out = texts(unserved_texts_) + unserved_.capacity() * sizeof(UnservedRow) +
               states_.capacity() + roots_.capacity() * 2 + types_.capacity() * 4 +
               spaces_.capacity() * 4;
  for (const auto& [rows, block] : blocks_.pieces()) {
    out += sizeof(BrowseBlock) + texts(block->texts) + block->filter.words.capacity() * 8 +
           (block->filter.ends.capacity() + block->filter.types.capacity()) * 4 +
           block->id_hashes.capacity() * 8 +
           (block->roots.capacity() + block->types.capacity()) * 2 +
           block->spaces.capacity() * sizeof(BrowseBlock::Space);
  }
  return out;
}

}  // namespace iii::directory
