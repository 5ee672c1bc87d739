#include "directory/sources/local_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "foundation/base/files_writer.h"

namespace iii::sources {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScheme = "file://";
constexpr size_t kMaxEntries = 500'000;

std::unexpected<Error> unreadable(std::string_view what) {
  return fail("D310", "D310 not_found: the local folder cannot be read: " + std::string(what) +
                          ". Next: check the path");
}

// The ids of its files are their paths.
class FolderTree : public TreeSource {
 public:
  FolderTree(const RepoSource& source, const Job& job)
      : source_(source), job_(job), folder_(folder_path(source)) {}

  Result<Opened> open() override {
    job_.tell({.step = "checking"});
    std::vector<TreeEntry> entries;
    std::error_code bad;
    fs::recursive_directory_iterator at(folder_, bad);
    if (bad) return unreadable(bad.message());
    for (const fs::recursive_directory_iterator end; at != end; at.increment(bad)) {
      if (bad) return unreadable(bad.message());
      if (at->path().filename() == ".git") {
        at.disable_recursion_pending();
        continue;
      }
      if (entries.size() >= kMaxEntries || job_.should_stop()) {
        return fail("D312", "D312 invalid_bundle: the local folder has more than " +
                                std::to_string(kMaxEntries) +
                                " files, or the time is up. Next: name a smaller folder");
      }
      entries.push_back(entry_of(at->path()));
    }
    return Opened{.tree = RepoTree(std::move(entries)),
                  .commit = {},
                  .branch = {},
                  .top = {},
                  .path = source_.path.value_or("")};
  }

  Result<void> prepare(const std::vector<WantedFile>&) override { return {}; }

  Result<Blobs> read(const std::vector<WantedFile>& files, const BundleLimits& limits,
                     TooLarge too_large) override {
    auto root = FolderWriter::open(folder_);
    if (!root) return unreadable(root.error().message);
    Blobs blobs;
    uint64_t total = 0;
    for (const WantedFile& file : files) {
      auto bytes = content_of(*root, file.id, limits.max_file_bytes);
      const bool large = !bytes && bytes.error().code == "too_large";
      if (large && too_large == TooLarge::kLeaveOut) continue;
      if (large) {
        std::error_code ignored;
        return std::unexpected(
            too_large_file(file.path, fs::file_size(folder_ / file.id, ignored), limits));
      }
      if (!bytes) return unreadable(bytes.error().message);
      total += bytes->size();
      if (total > limits.max_bundle_bytes) return std::unexpected(too_large_bundle(limits));
      blobs.insert_or_assign(file.id, std::move(*bytes));
    }
    return blobs;
  }

 private:
  TreeEntry entry_of(const fs::path& path) const {
    const std::string inner = path.lexically_relative(folder_).generic_string();
    TreeEntry entry{.kind = TreeKind::kOther, .id = inner, .path = inner};
    struct stat about{};
    if (lstat(path.c_str(), &about) != 0) return entry;
    if (S_ISREG(about.st_mode)) entry.kind = TreeKind::kFile;
    if (S_ISDIR(about.st_mode)) entry.kind = TreeKind::kFolder;
    if (S_ISLNK(about.st_mode)) entry.kind = TreeKind::kLink;
    entry.executable = S_ISREG(about.st_mode) && (about.st_mode & S_IXUSR) != 0;
    return entry;
  }

  // Of a link: what it points at. Nothing is opened through links.
  static Result<std::string> content_of(const FolderWriter& root, const std::string& path,
                                        uint64_t max_bytes) {
    if (auto target = root.read_link(path)) return target;
    return root.read(path, max_bytes);
  }

  const RepoSource& source_;
  const Job& job_;
  const fs::path folder_;
};

// Without links, so that `..` means the folder above. As it is when the system refuses.
fs::path real_path(const fs::path& path) {
  std::error_code bad;
  fs::path real = fs::weakly_canonical(path, bad);
  return bad ? fs::absolute(path, bad) : real;
}

}  // namespace

RepoSource recorded_folder(RepoSource source, const fs::path& skills_folder) {
  if (!source.repo.starts_with(kScheme)) return source;
  const fs::path base = real_path(skills_folder);
  const fs::path inner = fs::path(source.repo.substr(kScheme.size())).lexically_relative(base);
  const auto ups = std::ranges::count(inner, fs::path(".."));
  const auto depth = std::ranges::distance(base.relative_path());
  // Nothing but the top of the file system in common.
  if (inner.empty() || ups >= depth) return source;
  source.repo = "file:" + inner.generic_string();
  return source;
}

Result<RepoSource> locate_folder(RepoSource source, const fs::path& skills_folder) {
  const std::string named = source.repo.substr(std::string_view("file:").size());
  const bool relative = !source.repo.starts_with(kScheme);
  if (relative) {
    source.repo =
        std::string(kScheme) + (real_path(skills_folder) / named).lexically_normal().string();
  }
  std::error_code ignored;
  if (fs::is_directory(source.repo.substr(kScheme.size()), ignored)) return source;
  return fail("D310", "D310 not_found: `" + namespace_of(source) +
                          "` comes from the local folder `" +
                          (relative ? named : source.repo.substr(kScheme.size())) +
                          (relative ? "` (relative to the skills folder)" : "`") +
                          ", which does not exist on this machine. Next: put the folder there, or "
                          "install `" +
                          namespace_of(source) +
                          "` from its repository with --force; what is installed stays as it is");
}

std::unique_ptr<TreeSource> folder_tree(const RepoSource& source, const Job& job) {
  return std::make_unique<FolderTree>(source, job);
}

fs::path folder_path(const RepoSource& source) { return source.repo.substr(kScheme.size()); }

bool is_bare_repository(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "HEAD", ignored) &&
         fs::is_directory(folder / "objects", ignored) &&
         fs::is_directory(folder / "refs", ignored);
}

}  // namespace iii::sources
