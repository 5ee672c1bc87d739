#include "directory/reading/skill_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "directory/content/kinds.h"
#include "directory/library/document_paths.h"
#include "foundation/base/file_digests.h"
#include "foundation/base/sha256.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/base/walk.h"

namespace iii::directory {

namespace {

constexpr std::array kPrivateFolders = {std::string_view(".git"), std::string_view(".hg"),
                                        std::string_view(".svn"),
                                        std::string_view(".iii-directory")};
constexpr std::array kScriptSuffixes = {
    ".py", ".sh", ".bash", ".zsh", ".fish", ".js",   ".mjs", ".cjs",   ".ts",  ".mts",
    ".rb", ".pl", ".php",  ".lua", ".ps1",  ".psm1", ".bat", ".cmd",   ".vbs", ".awk",
    ".r",  ".jl", ".tcl",  ".go",  ".rs",   ".java", ".kts", ".swift", ".scpt"};

// Size and digest of one file. `budget` is how many bytes may still be hashed.
SkillFileEntry entry_of(const RootFolder& root, const std::string& path, uint64_t& budget) {
  SkillFileEntry out;
  const Result<FileStamp> stamp = root.stat(path);
  if (!stamp) return out;
  out.size = stamp->size;
  std::optional<FileDigest> known = known_digest(*stamp);
  if (!known && stamp->size <= std::min<uint64_t>(kMaxHashedFile, budget)) {
    budget -= stamp->size;
    if (auto made = file_digest(root, path, *stamp, kMaxHashedFile)) known = *made;
  }
  out.kind = file_kind(path, known && known->is_program);
  if (known) {
    out.size = known->size;
    out.sha256 = std::move(known->sha256);
  }
  return out;
}

constexpr uint64_t kCharacter = 4;  // longest, in bytes

// Where the character at `at` begins, if that is at most three bytes before.
size_t character_begin(std::string_view bytes, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin < kCharacter - 1 && begin < bytes.size() &&
         (static_cast<unsigned char>(bytes[begin]) & 0xC0U) == 0x80U) {
    --begin;
  }
  return begin;
}

// `window` is what stands around the part: from `before` bytes in front of it to the bytes behind
// it that the last character may need.
SkillFilePart part_in(std::string_view window, size_t before, size_t limit, uint64_t offset,
                      uint64_t total) {
  const size_t begin = character_begin(window, std::min(before, window.size()));
  const size_t end =
      window.size() - begin <= limit ? window.size() : character_begin(window, begin + limit);
  const std::string_view text = window.substr(begin, end - begin);
  if (is_utf8(text)) return {std::string(text), true, offset - (before - begin), total};
  return {std::string(window.substr(std::min(before, window.size()), limit)), false, offset, total};
}

}  // namespace

std::vector<std::string> skill_file_paths(const RootFolder& root, const std::string& folder) {
  std::vector<std::string> out;
  const auto visit = [&out](const std::string& path, std::vector<DirectoryEntry>& entries) {
    const auto is_main = [](const DirectoryEntry& entry) {
      return entry.kind == EntryKind::kFile && content::is_skill_file(entry.name);
    };
    const bool is_nested = !path.empty() && std::ranges::any_of(entries, is_main);
    std::erase_if(entries, [is_nested](const DirectoryEntry& entry) {
      return is_nested || !is_utf8(entry.name) || is_private_path(entry.name);
    });
    for (const DirectoryEntry& entry : entries) {
      if (entry.kind == EntryKind::kFile) out.push_back(join_path(path, entry.name));
    }
    return Result<void>();
  };
  const WalkOptions options{
      .max_entries = kMaxFolderEntries, .skip_unreadable = true, .resolve_links = true};
  // At a limit the list ends.
  (void)walk(root, folder, options, visit);
  std::ranges::sort(out);
  return out;
}

SkillFiles list_skill_files(const RootFolder& root, const std::string& folder,
                            std::string_view main) {
  std::vector<std::string> paths = skill_file_paths(root, folder);
  std::erase(paths, main);
  SkillFiles out{.files = {}, .total = paths.size()};
  if (paths.size() > kMaxSkillFiles) paths.resize(kMaxSkillFiles);
  uint64_t budget = kMaxHashedBytes;
  for (std::string& path : paths) {
    SkillFileEntry entry = entry_of(root, join_path(folder, path), budget);
    if (entry.kind.empty()) entry.kind = file_kind(path);
    entry.path = std::move(path);
    out.files.push_back(std::move(entry));
  }
  return out;
}

bool is_hidden_name(std::string_view name) { return name.starts_with('.'); }

bool is_private_path(std::string_view path) {
  for (const std::string_view part : split(path, '/')) {
    if (std::ranges::find(kPrivateFolders, part) != kPrivateFolders.end()) return true;
  }
  return false;
}

std::string_view file_kind(std::string_view path, bool is_program) {
  if (is_document_path(path)) return "document";
  const std::string name = ascii_lower(file_name(path));
  const bool script = std::ranges::any_of(
      kScriptSuffixes, [&name](std::string_view suffix) { return name.ends_with(suffix); });
  return script || is_program ? "script" : "asset";
}

Result<SkillFilePart> read_skill_file_part(const RootFolder& root, std::string_view path,
                                           uint64_t offset, uint64_t limit) {
  limit = std::max(limit, kCharacter);
  const uint64_t before = std::min<uint64_t>(offset, kCharacter - 1);
  Result<FileBytes> file = root.read_part(path, offset - before, before + limit + kCharacter - 1);
  if (!file) return std::unexpected(std::move(file.error()));
  const uint64_t total = file->stamp.size;
  if (offset >= total)
    return SkillFilePart{.bytes = {}, .is_text = true, .offset = total, .total = total};
  return part_in(file->bytes, static_cast<size_t>(before), static_cast<size_t>(limit), offset,
                 total);
}

SkillFilePart part_of_bytes(std::string_view all, uint64_t offset, uint64_t limit) {
  limit = std::max(limit, kCharacter);
  offset = std::min<uint64_t>(offset, all.size());
  const uint64_t before = std::min<uint64_t>(offset, kCharacter - 1);
  const std::string_view window = all.substr(static_cast<size_t>(offset - before),
                                             static_cast<size_t>(before + limit + kCharacter - 1));
  return part_in(window, static_cast<size_t>(before), static_cast<size_t>(limit), offset,
                 all.size());
}

Result<SkillFileOutput> read_skill_file(const RootFolder& root, const std::string& path,
                                        uint64_t offset, uint64_t limit) {
  Result<SkillFilePart> part = read_skill_file_part(root, path, offset, limit);
  if (!part) return std::unexpected(std::move(part.error()));
  SkillFileOutput out;
  out.bytes_total = part->total;
  out.offset = part->offset;
  if (part->end() < part->total) out.next_offset = part->end();
  const bool whole = out.offset == 0 && !out.next_offset;
  if (whole) out.sha256 = sha256_hex(part->bytes);
  out.kind = file_kind(path, out.offset == 0 && part->bytes.starts_with("#!"));
  out.encoding = part->is_text ? "utf-8" : "base64";
  out.content = part->is_text ? std::move(part->bytes) : base64_encode(part->bytes);
  return out;
}

}  // namespace iii::directory
