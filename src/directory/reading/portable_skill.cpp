#include "directory/reading/portable_skill.h"

#include <algorithm>
#include <array>
#include <utility>

#include "directory/reading/paths.h"
#include "directory/reading/skill_frontmatter.h"
#include "directory/sources/lock_file.h"

namespace iii::directory {

namespace {

Result<std::string> bytes_of(const SkillRow& row, content::Content& content,
                             const content::Generation& generation, const RootFolder* root) {
  if (root != nullptr) return read_portable_file(*root, row.skill->file.path);
  Result<FileBytes> compiled_in = content.read(generation, row.skill->file);
  if (!compiled_in) return std::unexpected(std::move(compiled_in.error()));
  return std::move(compiled_in->bytes);
}

Result<void> check_folder_name(std::string_view name) {
  if (is_skill_name(name)) return {};
  return fail("invalid_name", "the folder's name may have a-z, 0-9 and single hyphens only");
}

Result<PortableManifest> manifest_of(const SkillRow& row, const std::string& bytes,
                                     const std::string& digest, const RootFolder* root,
                                     FileDigests& digests) {
  if (root != nullptr) return portable_manifest(*root, row.folder, digests);
  return PortableManifest{.files = {{std::string(kPortableSkillFile), bytes.size(), digest}}};
}

}  // namespace

Result<PortableSkill> read_portable_skill(const SkillRow& row, content::Content& content,
                                          const content::Generation& generation,
                                          FileDigests& digests) {
  const std::string_view name = file_name(row.folder);
  if (auto legal = check_folder_name(name); !legal) return std::unexpected(legal.error());
  // Null for a skill that is compiled in.
  const auto root = content.folder_of(row.skill->file);
  constexpr int kAttempts = 3;  // for a file that changes while it is looked at
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<std::string> bytes = bytes_of(row, content, generation, root.get());
    if (!bytes) return std::unexpected(bytes.error());
    Result<SkillFrontmatter> frontmatter = read_skill_frontmatter(*bytes, name);
    if (!frontmatter) return std::unexpected(std::move(frontmatter.error()));
    const std::string digest = sources::sha256_hex(*bytes);
    Result<PortableManifest> manifest = manifest_of(row, *bytes, digest, root.get(), digests);
    if (!manifest) return std::unexpected(std::move(manifest.error()));
    const auto is_same = [&digest](const PortableFile& file) {
      return file.path == kPortableSkillFile && file.sha256 == digest;
    };
    if (!std::ranges::any_of(manifest->files, is_same)) continue;
    return PortableSkill{.frontmatter = std::move(frontmatter->fields),
                         .files = std::move(manifest->files),
                         .has_further_names = manifest->has_further_names};
  }
  return fail("changing", "its SKILL.md changes all the time");
}

Result<void> check_portable_skill(const SkillRow& row, content::Content& content,
                                  const content::Generation& generation) {
  const std::string_view name = file_name(row.folder);
  if (auto legal = check_folder_name(name); !legal) return legal;
  const auto root = content.folder_of(row.skill->file);
  const Result<std::string> bytes = bytes_of(row, content, generation, root.get());
  if (!bytes) return std::unexpected(bytes.error());
  const Result<SkillFrontmatter> frontmatter = read_skill_frontmatter(*bytes, name);
  if (!frontmatter) return std::unexpected(frontmatter.error());
  return root != nullptr ? check_portable_files(*root, row.folder) : Result<void>();
}

bool is_lasting_refusal(const Error& error) {
  constexpr std::array kLasting = {"invalid_name",  "no_frontmatter", "not_portable",
                                   "invalid_field", "link",           "not_utf8",
                                   "too_many",      "too_large"};
  return std::ranges::find(kLasting, error.code) != kLasting.end();
}

}  // namespace iii::directory
