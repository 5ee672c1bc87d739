#include "faces/mcp/portable_skill.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "faces/mcp/skill_frontmatter.h"
#include "faces/mcp/uri.h"
#include "foundation/base/file_digests.h"
#include "foundation/base/sha256.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/base/walk.h"

namespace iii::mcp {

namespace {

// Every component must be an entry of its own, not a link, and not hidden.
Result<FileStatus> plain_status(const RootFolder& root, std::string_view path) {
  FileStatus status;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = path.find('/', end + 1);
    const std::string_view part = path.substr(0, end);
    if (directory::is_hidden_name(last_segment(part))) {
      return fail("missing", "there is no such file");
    }
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

// `root` is null for a skill that is compiled in.
Result<std::string> skill_bytes(const SkillRow& row, const directory::View& view,
                                const RootFolder* root) {
  if (root == nullptr) return builtin_bytes(view, *row.skill);
  const std::string& path = row.skill->file.path;
  if (auto status = file_status(*root, path); !status) return std::unexpected(status.error());
  Result<FileBytes> file = root->read(path, kMaxPortableBytes);
  if (!file) return std::unexpected(std::move(file.error()));
  return std::move(file->bytes);
}

}  // namespace

Result<PortableFiles> portable_files(const RootFolder& root, std::string_view folder,
                                     bool with_digests) {
  if (auto status = plain_status(root, folder); !status) return std::unexpected(status.error());
  std::map<std::string, FileStatus> found;
  uint64_t bytes = 0;
  const auto add = [&](std::string path, const DirectoryEntry& entry) -> Result<void> {
    if (!is_utf8(entry.name)) return fail("not_utf8", "the name of one of its files is not UTF-8");
    if (entry.is_link) return fail("link", path + " is a link, and links are not served");
    if (entry.kind == EntryKind::kDirectory) return {};
    const Result<FileStatus> status = root.peek(join_path(folder, path));
    if (!status) return std::unexpected(status.error());
    if (status->kind != EntryKind::kFile) return fail("link", path + " is not a plain file");
    bytes += status->stamp.size;
    found.emplace(std::move(path), *status);
    if (found.size() > kMaxPortableFiles) {
      return fail("too_many", "it has more than " + std::to_string(kMaxPortableFiles) + " files");
    }
    if (bytes > kMaxPortableBytes) {
      return fail("too_large", "its files have more than " +
                                   std::to_string(kMaxPortableBytes / (1024 * 1024)) +
                                   " MiB together");
    }
    return {};
  };
  const auto visit = [&](const std::string& below, std::vector<DirectoryEntry>& entries) {
    std::erase_if(entries, [](const auto& each) { return directory::is_hidden_name(each.name); });
    for (const DirectoryEntry& entry : entries) {
      if (auto added = add(join_path(below, entry.name), entry); !added) return added;
    }
    return Result<void>();
  };
  const WalkOptions options{.max_entries = directory::kMaxFolderEntries};
  if (auto walked = walk(root, folder, options, visit); !walked) {
    return std::unexpected(std::move(walked.error()));
  }
  PortableFiles out;
  for (const auto& [path, status] : found) {
    out.has_further_names |= status.names > 1;
    PortableFile& row = out.files.emplace_back(path, status.stamp.size);
    if (!with_digests) continue;
    auto known = file_digest(root, join_path(folder, path), status.stamp, kMaxPortableBytes);
    if (!known) return std::unexpected(std::move(known.error()));
    row.size = known->size;
    row.sha256 = std::move(known->sha256);
  }
  return out;
}

Result<PortableSkill> read_portable_skill(const SkillRow& row, const directory::View& view,
                                          bool with_digests) {
  const std::string_view name = last_segment(row.folder);
  if (!is_skill_name(name)) {
    return fail("invalid_name", "the folder's name may have a-z, 0-9 and single hyphens only");
  }
  const auto root = view.snapshot().folders->content->folder_of(row.skill->file);
  constexpr int kAttempts = 3;  // for a file that changes while it is read
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<std::string> bytes = skill_bytes(row, view, root.get());
    if (!bytes) return std::unexpected(bytes.error());
    Result<json::Value> frontmatter = read_skill_frontmatter(*bytes, name);
    if (!frontmatter) return std::unexpected(std::move(frontmatter.error()));
    const std::string digest = with_digests ? sha256_hex(*bytes) : "";
    Result<PortableFiles> files =
        root != nullptr
            ? portable_files(*root, row.folder, with_digests)
            : PortableFiles{.files = {{std::string(kSkillFile), bytes->size(), digest}}};
    if (!files) return std::unexpected(std::move(files.error()));
    const auto is_same = [&digest](const PortableFile& file) {
      return file.path == kSkillFile && file.sha256 == digest;
    };
    if (std::ranges::none_of(files->files, is_same)) continue;
    return PortableSkill{std::move(*files), std::move(*frontmatter)};
  }
  return fail("changing", "its SKILL.md changes all the time");
}

bool is_lasting_refusal(const Error& error) {
  constexpr std::array kLasting = {"invalid_name",  "no_frontmatter", "not_portable",
                                   "invalid_field", "link",           "not_utf8",
                                   "too_many",      "too_large"};
  return std::ranges::find(kLasting, error.code) != kLasting.end();
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
    if (directory::is_hidden_name(entry.name) || !is_utf8(entry.name)) continue;
    const Result<FileStatus> each = root.peek(join_path(folder, entry.name));
    if (!each || each->is_link) continue;
    if (each->kind != EntryKind::kDirectory && each->kind != EntryKind::kFile) continue;
    out.push_back({entry.name, each->kind == EntryKind::kDirectory, each->stamp.size});
  }
  std::ranges::sort(out, {}, &PortableEntry::name);
  return out;
}

Result<directory::SkillFilePart> read_portable_part(const RootFolder& root, std::string_view path,
                                                    const ReadRange& range) {
  const Result<FileStatus> status = file_status(root, path);
  if (!status) return std::unexpected(status.error());
  if (range.whole && status->stamp.size > range.limit) {
    return fail("too_large", "it has " + std::to_string(status->stamp.size) + " bytes");
  }
  return directory::read_skill_file_part(root, path, range.offset, range.limit);
}

Result<std::string> builtin_bytes(const directory::View& view, const content::Skill& skill) {
  Result<FileBytes> file = view.snapshot().folders->content->read(view.generation(), skill.file);
  if (!file) return std::unexpected(std::move(file.error()));
  return std::move(file->bytes);
}

}  // namespace iii::mcp
