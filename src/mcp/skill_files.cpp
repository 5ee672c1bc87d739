#include "mcp/skill_files.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "sources/lock_file.h"

namespace iii::mcp {

namespace {

constexpr size_t kMaxFolderDepth = 32;

bool is_hidden(std::string_view name) { return name.starts_with('.'); }

std::string joined(std::string_view folder, std::string_view name) {
  std::string out(folder);
  if (!out.empty()) out += '/';
  out += name;
  return out;
}

// Every component must be an entry of its own, not a link, and not hidden.
Result<FileStatus> plain_status(const RootFolder& root, std::string_view path) {
  FileStatus status;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = path.find('/', end + 1);
    const std::string_view part = path.substr(0, end);
    const size_t slash = part.rfind('/');
    if (is_hidden(slash == std::string_view::npos ? part : part.substr(slash + 1))) {
      return fail("missing", "there is no such file");
    }
    Result<FileStatus> found = root.peek(part);
    if (!found) return found;
    if (found->is_link) return fail("link", std::string(part) + " is a link");
    status = *found;
  }
  return status;
}

struct Walk {
  std::vector<std::pair<std::string, FileStamp>> files;  // paths from the root
  uint64_t bytes = 0;
};

Result<void> walk(const RootFolder& root, const std::string& folder, size_t depth, Walk& out) {
  if (depth > kMaxFolderDepth) return fail("too_many", "its folders are nested too deeply");
  Result<std::vector<DirectoryEntry>> entries = root.list_unresolved(folder);
  if (!entries) return std::unexpected(std::move(entries.error()));
  for (const DirectoryEntry& entry : *entries) {
    if (is_hidden(entry.name)) continue;
    const std::string path = joined(folder, entry.name);
    const Result<FileStatus> status = root.peek(path);
    if (!status) return std::unexpected(status.error());
    if (status->is_link) return fail("link", path + " is a link, and links are not served");
    if (status->kind == EntryKind::kDirectory) {
      if (auto ok = walk(root, path, depth + 1, out); !ok) return ok;
      continue;
    }
    if (status->kind != EntryKind::kFile) return fail("link", path + " is not a plain file");
    out.files.emplace_back(path, status->stamp);
    out.bytes += status->stamp.size;
    if (out.files.size() > kMaxSkillFiles) {
      return fail("too_many", "it has more than " + std::to_string(kMaxSkillFiles) + " files");
    }
    if (out.bytes > kMaxSkillBytes) {
      return fail("too_large", "its files have more than 16 MiB together");
    }
  }
  return {};
}

}  // namespace

Result<RootFolder> FolderSkillFiles::open(uint16_t root) const {
  const std::filesystem::path path = root_path_(root);
  if (path.empty()) return fail("missing", "there is no such folder");
  return RootFolder::open(path);
}

Result<SkillFile> FolderSkillFiles::file(const RootFolder& folder, const std::string& path,
                                         const FileStamp& stamp) {
  if (const auto known = digests_.find(stamp)) return SkillFile{path, stamp.size, known->sha256};
  const int64_t now = file_clock_ns();
  Result<FileBytes> bytes = folder.read(path, kMaxSkillBytes);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  SkillFile out{path, bytes->bytes.size(), sources::sha256_hex(bytes->bytes)};
  if (bytes->stamp.settled(now)) digests_.remember(bytes->stamp, {.sha256 = out.sha256});
  return out;
}

Result<std::vector<SkillFile>> FolderSkillFiles::manifest(uint16_t root, std::string_view folder) {
  const Result<RootFolder> opened = open(root);
  if (!opened) return std::unexpected(opened.error());
  const Result<FileStatus> status = plain_status(*opened, folder);
  if (!status) return std::unexpected(status.error());
  Walk found;
  if (auto ok = walk(*opened, std::string(folder), 0, found); !ok) {
    return std::unexpected(ok.error());
  }
  std::sort(found.files.begin(), found.files.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SkillFile> out;
  for (const auto& [path, stamp] : found.files) {
    Result<SkillFile> each = file(*opened, path, stamp);
    if (!each) return std::unexpected(std::move(each.error()));
    each->path.erase(0, folder.size() + 1);
    out.push_back(std::move(*each));
  }
  return out;
}

Result<std::vector<SkillEntryInFolder>> FolderSkillFiles::list(uint16_t root,
                                                               std::string_view folder) {
  const Result<RootFolder> opened = open(root);
  if (!opened) return std::unexpected(opened.error());
  const Result<FileStatus> status = plain_status(*opened, folder);
  if (!status) return std::unexpected(status.error());
  if (status->kind != EntryKind::kDirectory) return fail("not_a_folder", "it is not a folder");
  const Result<std::vector<DirectoryEntry>> entries = opened->list_unresolved(folder);
  if (!entries) return std::unexpected(entries.error());
  std::vector<SkillEntryInFolder> out;
  for (const DirectoryEntry& entry : *entries) {
    if (is_hidden(entry.name)) continue;
    const Result<FileStatus> each = opened->peek(joined(folder, entry.name));
    if (!each || each->is_link) continue;
    if (each->kind != EntryKind::kDirectory && each->kind != EntryKind::kFile) continue;
    out.push_back({entry.name, each->kind == EntryKind::kDirectory, each->stamp.size});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

Result<std::string> FolderSkillFiles::read(uint16_t root, std::string_view path) {
  const Result<RootFolder> opened = open(root);
  if (!opened) return std::unexpected(opened.error());
  const Result<FileStatus> status = plain_status(*opened, path);
  if (!status) return std::unexpected(status.error());
  if (status->kind == EntryKind::kDirectory) return fail("a_folder", "it is a folder");
  Result<FileBytes> bytes = opened->read(path, kMaxSkillBytes);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return std::move(bytes->bytes);
}

}  // namespace iii::mcp
