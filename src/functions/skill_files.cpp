#include "functions/skill_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "functions/paths.h"
#include "sources/lock_file.h"

namespace iii::directory {

namespace {

constexpr std::array kPrivateFolders = {std::string_view(".git"), std::string_view(".hg"),
                                        std::string_view(".svn"),
                                        std::string_view(".iii-directory")};
constexpr std::array kScriptSuffixes = {
    ".py", ".sh", ".bash", ".zsh", ".fish", ".js",   ".mjs", ".cjs",   ".ts",  ".mts",
    ".rb", ".pl", ".php",  ".lua", ".ps1",  ".psm1", ".bat", ".cmd",   ".vbs", ".awk",
    ".r",  ".jl", ".tcl",  ".go",  ".rs",   ".java", ".kts", ".swift", ".scpt"};

std::string joined(std::string_view folder, std::string_view name) {
  std::string out(folder);
  if (!out.empty()) out += '/';
  return out.append(name);
}

// Paths of all files of a skill, relative to its folder, in order.
class Walk {
 public:
  Walk(const RootFolder& root, std::string folder, std::string_view main)
      : root_(root), folder_(std::move(folder)), main_(main) {}

  std::vector<std::string> run() {
    std::vector<std::string> folders = {""};
    while (!folders.empty() && seen_ < kMaxFolderEntries) {
      const std::string below = std::move(folders.back());
      folders.pop_back();
      look_at(below, folders);
    }
    std::ranges::sort(files_);
    return std::move(files_);
  }

 private:
  void look_at(const std::string& below, std::vector<std::string>& folders) {
    Result<std::vector<DirectoryEntry>> entries =
        root_.list(below.empty() ? folder_ : joined(folder_, below));
    if (!entries) return;
    const auto is_main = [](const DirectoryEntry& entry) {
      return entry.kind == EntryKind::kFile && is_skill_file(entry.name);
    };
    if (!below.empty() && std::ranges::any_of(*entries, is_main)) return;  // a skill of its own
    for (const DirectoryEntry& entry : *entries) {
      if (++seen_ > kMaxFolderEntries) return;
      if (!is_utf8(entry.name)) continue;
      std::string path = joined(below, entry.name);
      if (entry.kind == EntryKind::kDirectory) {
        // A linked folder may be anywhere in the root, also above this one.
        if (!entry.is_link && !is_private_path(entry.name)) folders.push_back(std::move(path));
      } else if (entry.kind == EntryKind::kFile && path != main_) {
        files_.push_back(std::move(path));
      }
    }
  }

  const RootFolder& root_;
  const std::string folder_;
  const std::string_view main_;
  std::vector<std::string> files_;
  size_t seen_ = 0;
};

// Size and digest of one file. `budget` is how many bytes may still be hashed.
SkillFileEntry entry_of(const RootFolder& root, const std::string& path, FileDigests& digests,
                        uint64_t& budget) {
  SkillFileEntry out;
  const Result<FileStamp> stamp = root.stat(path);
  if (!stamp) return out;
  out.size = stamp->size;
  std::optional<FileDigests::Known> known = digests.find(*stamp);
  const int64_t now = file_clock_ns();
  if (!known && stamp->size <= std::min<uint64_t>(kMaxHashedFile, budget)) {
    if (const Result<FileBytes> file = root.read(path, kMaxHashedFile)) {
      budget -= std::min<uint64_t>(budget, file->bytes.size());
      known = {sources::sha256_hex(file->bytes), file->bytes.starts_with("#!")};
      out.size = file->stamp.size;
      if (file->stamp.settled(now)) digests.remember(file->stamp, *known);
    }
  }
  out.kind = file_kind(path, known && known->is_program);
  if (known) out.sha256 = std::move(known->sha256);
  return out;
}

// The length of the longest text of at most `limit` bytes that ends between two characters.
size_t text_length(std::string_view bytes, size_t limit) {
  if (bytes.size() <= limit) return bytes.size();
  size_t end = limit;
  while (end > 0 && limit - end < 3 && (static_cast<unsigned char>(bytes[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return end;
}

}  // namespace

size_t FileDigests::Hash::operator()(const FileStamp& stamp) const {
  return keyed_hash(process_hash_key(), stamp.inode, static_cast<uint64_t>(stamp.ctime_ns));
}

std::optional<FileDigests::Known> FileDigests::find(const FileStamp& stamp) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(stamp);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

void FileDigests::remember(const FileStamp& stamp, const Known& known) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_.insert_or_assign(stamp, known);
}

std::vector<std::string> skill_file_paths(const RootFolder& root, const std::string& folder,
                                          std::string_view main) {
  return Walk(root, folder, main).run();
}

SkillFiles list_skill_files(const RootFolder& root, const std::string& folder,
                            std::string_view main, FileDigests& digests) {
  std::vector<std::string> paths = skill_file_paths(root, folder, main);
  SkillFiles out{.files = {}, .total = paths.size()};
  if (paths.size() > kMaxSkillFiles) paths.resize(kMaxSkillFiles);
  uint64_t budget = kMaxHashedBytes;
  for (std::string& path : paths) {
    SkillFileEntry entry = entry_of(root, joined(folder, path), digests, budget);
    if (entry.kind.empty()) entry.kind = file_kind(path);
    entry.path = std::move(path);
    out.files.push_back(std::move(entry));
  }
  return out;
}

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

Result<SkillFileOutput> read_skill_file(const RootFolder& root, const std::string& path,
                                        uint64_t offset, uint64_t limit) {
  constexpr uint64_t kCharacter = 4;  // longest, in bytes
  limit = std::max(limit, kCharacter);
  Result<FileBytes> file = root.read_part(path, offset, limit + kCharacter - 1);
  if (!file) return std::unexpected(std::move(file.error()));
  std::string_view bytes = file->bytes;
  SkillFileOutput out;
  out.bytes_total = file->stamp.size;
  out.offset = std::min(offset, out.bytes_total);
  const std::string_view text = bytes.substr(0, text_length(bytes, static_cast<size_t>(limit)));
  bytes = bytes.substr(0, static_cast<size_t>(limit));
  const bool is_text = is_utf8(text);
  out.encoding = is_text ? "utf-8" : "base64";
  out.content = is_text ? std::string(text) : base64_encode(bytes);
  const uint64_t next = out.offset + (is_text ? text.size() : bytes.size());
  if (next < out.bytes_total) out.next_offset = next;
  const bool whole = out.offset == 0 && !out.next_offset;
  if (whole) out.sha256 = sources::sha256_hex(bytes);
  out.kind = file_kind(path, offset == 0 && bytes.starts_with("#!"));
  return out;
}

}  // namespace iii::directory
