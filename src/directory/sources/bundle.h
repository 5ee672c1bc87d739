// What a source delivered, in memory and checked: the input of an installation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/source.h"

namespace iii::sources {

// D312: the bundle cannot be installed.
std::unexpected<Error> invalid_bundle(std::string reason);

enum class FileRole { kSkill, kPrompt, kAsset };

struct BundleFile {
  std::string path;  // below the namespace, `/` between segments, checked (paths.h)
  std::string bytes;
  FileRole role = FileRole::kAsset;
  bool executable = false;
  std::string sha256 = {};  // of `bytes`, in hex; set by hash_files
};

struct SkippedFile {
  std::string path;
  std::string reason;
};

struct Bundle {
  Source source;
  // The registry's version, or the git commit; empty when the source did not say.
  std::string resolved;
  std::string branch;             // repo: what was really used (`main`, the default branch, a tag)
  std::string folder;             // repo: where in the repository the files were found
  std::vector<BundleFile> files;  // in the order to report: the registry's own, or sorted
  std::vector<SkippedFile> skipped;
  // repo: id of the folder's tree object, where it covers all files; empty: not known.
  std::string tree = {};
  // repo: where the skill was before, when it was found elsewhere by its name.
  std::string moved_from = {};
  // Files that the source has as executable and that are not, by configuration.
  std::vector<std::string> executable_dropped = {};
};

// Everything that bounds a download; docs/configuration.md has the keys.
struct BundleLimits {
  uint64_t max_files = 1'000;
  uint64_t max_file_bytes = 4ULL * 1024 * 1024;
  uint64_t max_bundle_bytes = 64ULL * 1024 * 1024;
  uint64_t max_depth = 16;
  uint64_t max_path_bytes = 512;
  uint64_t max_clone_bytes = 256ULL * 1024 * 1024;  // what git may put on the disk meanwhile

  bool operator==(const BundleLimits&) const = default;
};

// How a path is reported: prompts by bare name, everything else by path.
std::string reported_name(const BundleFile& file);

// Names a file's role by its place: `prompts/…/*.md` is a prompt, other `*.md` a skill.
FileRole role_of(std::string_view path);

// Whether a segment of a path is hidden (starts with a dot): sources leave such files out and say
// so.
bool is_hidden_path(std::string_view path);

// Checks one path of a bundle and gives its clean form (`.` segments dropped). Refuses absolute
// paths, `..`, NUL and control bytes, backslashes, hidden names, text that is not UTF-8, and what
// goes beyond the limits. Code D312; the message quotes the path.
Result<std::string> clean_path(std::string_view path, const BundleLimits& limits);

// D312, each with the key of the configuration that raises the limit.
Error too_many_files(uint64_t files, const BundleLimits& limits);
Error too_large_file(std::string_view path, uint64_t bytes, const BundleLimits& limits);
Error too_large_bundle(const BundleLimits& limits);

// That all paths are clean and that one folder can hold them together: none occurs twice (also by
// case and Unicode normalisation) or is a file where another needs a folder.
Result<void> check_paths(const Bundle& bundle, const BundleLimits& limits);

// Sets the hashes that are not set yet.
void hash_files(Bundle& bundle);

// Checks a bundle as a whole: counts, sizes, paths. Its files are hashed.
Result<Bundle> checked(Bundle bundle, const BundleLimits& limits);

}  // namespace iii::sources
