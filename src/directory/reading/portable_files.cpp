#include "directory/reading/portable_files.h"

#include <algorithm>
#include <utility>

#include "directory/reading/paths.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

constexpr SkillFileRules kPortable{.complete = true,
                                   .nested_skills = true,
                                   .hidden = false,
                                   .max_files = kMaxPortableFiles,
                                   .max_bytes = kMaxPortableBytes};

// Every component must be an entry of its own, not a link, and not hidden.
Result<FileStatus> plain_status(const RootFolder& root, std::string_view path) {
  FileStatus status;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = path.find('/', end + 1);
    const std::string_view part = path.substr(0, end);
    if (is_hidden_name(file_name(part))) return fail("missing", "there is no such file");
    Result<FileStatus> found = root.peek(part);
    if (!found) return found;
    if (found->is_link) return fail("link", std::string(part) + " is a link");
    status = *found;
  }
  return status;
}

Result<FileStatus> file_status(const RootFolder& root, std::string_view path) {
  Result<FileStatus> status = plain_status(root, path);
  if (status && status->kind == EntryKind::kDirectory) return fail("a_folder", "it is a folder");
  return status;
}

Result<std::vector<FoundFile>> portable_walk(const RootFolder& root, std::string_view folder) {
  const Result<FileStatus> status = plain_status(root, folder);
  if (!status) return std::unexpected(status.error());
  return walk_skill_files(root, std::string(folder), kPortable);
}

}  // namespace

Result<void> check_portable_files(const RootFolder& root, std::string_view folder) {
  const Result<std::vector<FoundFile>> found = portable_walk(root, folder);
  if (!found) return std::unexpected(found.error());
  return {};
}

Result<PortableManifest> portable_manifest(const RootFolder& root, std::string_view folder,
                                           FileDigests& digests) {
  Result<std::vector<FoundFile>> found = portable_walk(root, folder);
  if (!found) return std::unexpected(std::move(found.error()));
  PortableManifest out;
  out.files.reserve(found->size());
  for (FoundFile& file : *found) {
    Result<FileDigests::Known> known = file_digest(root, join_path(folder, file.path),
                                                   file.status.stamp, digests, kMaxPortableBytes);
    if (!known) return std::unexpected(std::move(known.error()));
    out.has_further_names |= file.status.names > 1;
    out.files.push_back({std::move(file.path), known->size, std::move(known->sha256)});
  }
  return out;
}

Result<std::vector<PortableEntry>> portable_entries(const RootFolder& root,
                                                    std::string_view folder) {
  const Result<FileStatus> status = plain_status(root, folder);
  if (!status) return std::unexpected(status.error());
  if (status->kind != EntryKind::kDirectory) return fail("not_a_folder", "it is not a folder");
  const Result<std::vector<DirectoryEntry>> entries = root.list_unresolved(folder);
  if (!entries) return std::unexpected(entries.error());
  std::vector<PortableEntry> out;
  for (const DirectoryEntry& entry : *entries) {
    if (is_hidden_name(entry.name) || !is_utf8(entry.name)) continue;
    const Result<FileStatus> each = root.peek(join_path(folder, entry.name));
    if (!each || each->is_link) continue;
    if (each->kind != EntryKind::kDirectory && each->kind != EntryKind::kFile) continue;
    out.push_back({entry.name, each->kind == EntryKind::kDirectory, each->stamp.size});
  }
  std::ranges::sort(out, {}, &PortableEntry::name);
  return out;
}

Result<std::string> read_portable_file(const RootFolder& root, std::string_view path) {
  if (auto status = file_status(root, path); !status) return std::unexpected(status.error());
  Result<FileBytes> bytes = root.read(path, kMaxPortableBytes);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return std::move(bytes->bytes);
}

Result<SkillFilePart> read_portable_part(const RootFolder& root, std::string_view path,
                                         uint64_t offset, uint64_t limit, bool whole) {
  const Result<FileStatus> status = file_status(root, path);
  if (!status) return std::unexpected(status.error());
  if (whole && status->stamp.size > limit) {
    return fail("too_large", "it has " + std::to_string(status->stamp.size) + " bytes");
  }
  return read_skill_file_part(root, path, offset, limit);
}

}  // namespace iii::directory
