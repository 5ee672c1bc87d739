#include "directory/sources/git.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "directory/sources/git_blobs.h"
#include "directory/sources/git_command.h"
#include "directory/sources/git_refs.h"
#include "directory/sources/git_route.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

constexpr uint64_t kMaxListingBytes = 64ULL * 1024 * 1024;
constexpr size_t kMaxRefSegments = 5;  // of a branch in the URL of a page

// The URL of a page does not say where the branch ends and the path begins (`tree/feature/x/…`):
// what is no branch by itself is tried with more segments, which `path` then loses.
Result<Resolved> resolve_source(const RepoSource& source, Git& git, std::string& path) {
  auto resolved = resolve_ref(source.ref, git);
  const bool unknown = !resolved && resolved.error().code == "D310" && source.ref;
  if (!unknown || path.empty()) return resolved;
  std::string ref = *source.ref;
  std::string rest = path;
  for (size_t i = 1; i < kMaxRefSegments && !rest.empty(); ++i) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    ref += "/" + rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (auto longer = resolve_ref(ref, git)) {
      path = rest.empty() ? "." : rest;
      return longer;
    }
  }
  return resolved;
}

// A commit, its tree listed at once, content only when it is asked for.
class GitTree : public TreeSource {
 public:
  GitTree(const RepoSource& source, const GitOptions& options, const Job& job, Scratch scratch,
          Route route)
      : source_(source),
        scratch_(std::move(scratch)),
        git_(source, options, job, scratch_, std::move(route)) {}

  Result<std::string> resolve() {
    std::string path = source_.path.value_or("");
    auto resolved = resolve_source(source_, git_, path);
    if (!resolved) return std::unexpected(resolved.error());
    return resolved->id;
  }

  Result<Opened> open() override {
    Opened opened;
    opened.path = source_.path.value_or("");
    auto resolved = resolve_source(source_, git_, opened.path);
    if (!resolved) return std::unexpected(resolved.error());
    wanted_ = resolved->id;
    if (auto fetched = fetch_commit(opened); !fetched) return std::unexpected(fetched.error());
    // A commit is reported as git knows it, however it was written.
    opened.branch = is_commit_id(resolved->name) ? opened.commit : resolved->name;
    auto listing = git_.output({"ls-tree", "-z", "--full-tree", "-r", "-t", opened.commit},
                               {.step = "checking", .max_output = kMaxListingBytes});
    if (!listing) return std::unexpected(listing.error());
    opened.tree = RepoTree(parse_tree(*listing));
    top_ = opened.top;
    return opened;
  }

  Result<void> prepare(const std::vector<WantedFile>& files) override {
    auto fetched = fetch_blobs(git_, {top_, wanted_}, files);
    if (!fetched) return fetched;
    for (const WantedFile& file : files) here_.insert(file.id);
    return {};
  }

  Result<Blobs> read(const std::vector<WantedFile>& files, const BundleLimits& limits,
                     TooLarge too_large) override {
    bool all_here = true;
    for (const WantedFile& file : files) all_here = all_here && here_.contains(file.id);
    return read_blobs(git_, {all_here ? std::string() : top_, wanted_}, files, limits, too_large);
  }

 private:
  // Commit and folders; the files' content only from servers that cannot leave it out.
  Result<void> fetch_commit(Opened& opened) {
    if (auto made = make_store(git_, "store", wanted_); !made) return made;
    auto fetched = git_.output({"fetch", "--quiet", "--depth=1", "--filter=blob:none", "--no-tags",
                                "--no-write-fetch-head", "origin", wanted_},
                               {.step = "fetching"});
    if (!fetched) return std::unexpected(fetched.error());
    const Ran ran = git_.run({"rev-parse", "--quiet", wanted_ + "^{commit}", wanted_ + "^{tree}"},
                             {.step = "checking"});
    const std::vector<std::string_view> ids = split(trim(ran.output), '\n');
    if (ran.ok() && ids.size() == 2) {
      opened.commit = ids[0];
      opened.top = ids[1];
      return {};
    }
    if (ran.ending != Ending::kExited) return std::unexpected(git_.explain(ran));
    return fail("D310",
                "D310 not_found: what was asked for is no commit of the repository. Next: ask for "
                "a branch, a tag or a commit");
  }

  const RepoSource& source_;
  const Scratch scratch_;
  Git git_;
  std::string wanted_;
  std::string top_;
  std::set<std::string> here_;
};

Result<std::unique_ptr<GitTree>> make_tree(const RepoSource& source, const GitOptions& options,
                                           const Job& job) {
  auto route = find_route(source, options, job);
  if (!route) return std::unexpected(route.error());
  auto scratch = Scratch::make(options.scratch);
  if (!scratch) return std::unexpected(scratch.error());
  return std::make_unique<GitTree>(source, options, job, std::move(*scratch), std::move(*route));
}

}  // namespace

Result<std::unique_ptr<TreeSource>> git_tree(const RepoSource& source, const GitOptions& options,
                                             const Job& job) {
  return make_tree(source, options, job);
}

Result<std::string> resolve_repo(const RepoSource& source, const GitOptions& options,
                                 const Job& job) {
  auto tree = make_tree(source, options, job);
  return tree ? (*tree)->resolve() : std::unexpected(tree.error());
}

}  // namespace iii::sources
