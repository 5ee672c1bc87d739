#include "directory/reading/paths.h"

#include <algorithm>
#include <utility>

#include "foundation/base/hash.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr std::string_view kSuffixes[] = {".md", ".markdown"};

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && iequals(text.substr(text.size() - end.size()), end);
}

// Documents whose paths differ only in case and suffix have the same.
uint64_t key_of(std::string_view path) { return TextHash()(ascii_lower(without_suffix(path))); }

// An overview stands for its folder.
bool is_overview_file(std::string_view name) {
  const std::string_view stem = without_suffix(name);
  return is_skill_file(name) || iequals(stem, "skills") || iequals(stem, "index");
}

PathIndex::Fit fit_of(std::string_view path, const std::string& file) {
  using enum PathIndex::Fit;
  if (file == path) return kFile;
  if (without_suffix(file) == path) return kWithoutSuffix;
  const bool overview = is_overview_file(file_name(file)) && !folder_of(file).empty();
  if (overview && folder_of(file) == path) return kFolder;
  if (iequals(without_suffix(file), without_suffix(path))) return kOtherCase;
  return overview && iequals(folder_of(file), path) ? kOtherCase : kNone;
}

}  // namespace

std::string_view folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view without_suffix(std::string_view path) {
  for (const std::string_view suffix : kSuffixes) {
    if (ends_with_ignoring_case(path, suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

bool is_document_path(std::string_view path) { return without_suffix(path).size() != path.size(); }

bool is_skill_file(std::string_view name) {
  return is_document_path(name) && iequals(without_suffix(name), "skill");
}

std::string_view unusual_path(const content::Skill& skill) {
  if (skill.version.inode == 0) return {};  // not a file
  const std::string_view path = skill.file.path;
  const std::string_view stem = without_suffix(path);
  if (stem == skill.id || path == skill.id) return {};
  const std::string_view folder = folder_of(path);
  const bool overview = is_overview_file(file_name(path)) && skill.id.ends_with("index");
  if (overview && folder == folder_of(skill.id)) return {};
  return overview ? folder : stem;
}

std::optional<std::string> join_relative(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> parts;
  if (!folder.empty()) parts = split(folder, '/');
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string out;
  for (const std::string_view part : parts) out.append(out.empty() ? "" : "/").append(part);
  return out;
}

std::vector<std::string> link_targets(std::string_view base, std::string_view link) {
  const std::string plain = percent_decode(link.substr(0, link.find('#')));
  std::vector<std::string> out;
  if (plain.empty()) out.emplace_back(base);
  const bool dotted = link.starts_with("./") || link.starts_with("../");
  std::string_view folder = link.starts_with('/') ? std::string_view() : folder_of(base);
  for (;;) {
    for (const std::string_view each : {link, std::string_view(plain)}) {
      std::optional<std::string> target = join_relative(folder, each);
      const bool known = !target || target->empty() || std::ranges::find(out, *target) != out.end();
      if (!known) out.push_back(std::move(*target));
    }
    if (dotted || folder.empty()) return out;
    folder = folder_of(folder);
  }
}

PathBlock::PathBlock(std::span<const content::SkillPtr> rows) {
  entries.reserve(rows.size());
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const std::string& path = rows[i]->file.path;
    entries.push_back({key_of(path), i});
    if (is_overview_file(file_name(path)) && !folder_of(path).empty()) {
      entries.push_back({TextHash()(ascii_lower(folder_of(path))), i});
    }
  }
  // Rows of one folder stay in the order of their ids: the first is taken, in every process.
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.hash, e.row); });
}

PathIndex::Match PathIndex::find(std::string_view path, std::optional<uint16_t> root) const {
  Match best;
  if (blocks_.generation() == nullptr || path.empty()) return best;
  const content::Generation& generation = *blocks_.generation();
  const uint64_t keys[] = {key_of(path), TextHash()(ascii_lower(path))};
  const size_t count = keys[0] == keys[1] ? 1 : 2;  // a folder may be called `x.md`
  size_t begin = 0;
  for (const auto& [rows, block] : blocks_.pieces()) {
    for (size_t k = 0; k < count; ++k) {
      const auto same =
          std::ranges::equal_range(block->entries, keys[k], {}, &PathBlock::Entry::hash);
      for (const PathBlock::Entry& entry : same) {
        const content::Skill& skill = *generation.skills[begin + entry.row];
        if (root && skill.file.root != *root) continue;
        if (content::is_registered(generation, skill.file)) continue;
        const Fit fit = fit_of(path, skill.file.path);
        const bool better = fit < best.fit || (fit == best.fit && best.skill != nullptr &&
                                               skill.file.root < best.skill->file.root);
        if (better && fit != Fit::kNone) best = {&skill, fit};
      }
    }
    begin += rows;
  }
  return best;
}

}  // namespace iii::directory
