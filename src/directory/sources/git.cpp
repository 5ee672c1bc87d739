#include "directory/sources/git.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "directory/sources/git_blobs.h"
#include "directory/sources/git_command.h"
#include "directory/sources/git_errors.h"
#include "directory/sources/git_route.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

constexpr uint64_t kMaxListingBytes = 64ULL * 1024 * 1024;
constexpr size_t kMaxRefSegments = 5;  // of a branch in the URL of a page

constexpr std::string_view kBranches = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";
constexpr std::string_view kPeeled = "^{}";

struct RemoteRef {
  std::string name;  // `refs/heads/main`, `refs/tags/v1`, `HEAD`
  std::string id;    // of a tag that has an object of its own: what it points at in the end
};

struct RemoteRefs {
  std::vector<RemoteRef> refs;
  std::string head;  // the branch that HEAD names, with `refs/heads/`; empty when not told

  const RemoteRef* find(std::string_view name) const {
    const auto found = std::ranges::find(refs, name, &RemoteRef::name);
    return found == refs.end() ? nullptr : &*found;
  }
  std::vector<std::string> branches() const {  // without `refs/heads/`
    std::vector<std::string> names;
    for (const RemoteRef& ref : refs) {
      if (ref.name.starts_with(kBranches)) names.push_back(ref.name.substr(kBranches.size()));
    }
    return names;
  }
};

struct Resolved {
  std::string id;
  std::string name;  // how callers know it: `main`, `v1`, a commit
};

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && is_lower_hex(text);
}

// The answer of `ls-remote --symref`.
RemoteRefs parse_refs(std::string_view listing) {
  RemoteRefs found;
  for (const std::string_view line : split(listing, '\n')) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::string_view left = line.substr(0, tab);
    const std::string_view name = line.substr(tab + 1);
    if (left.starts_with("ref: ")) {
      if (name == "HEAD") found.head = left.substr(5);
    } else if (is_id(left)) {
      // `refs/tags/v1^{}` follows `refs/tags/v1` and says what the tag's own object points at.
      const bool peeled = name.ends_with(kPeeled);
      const std::string_view plain = peeled ? name.substr(0, name.size() - kPeeled.size()) : name;
      if (peeled && !found.refs.empty() && found.refs.back().name == plain) {
        found.refs.back().id = left;
      } else {
        found.refs.push_back({std::string(plain), std::string(left)});
      }
    }
  }
  return found;
}

Result<RemoteRefs> ask(const std::vector<std::string>& args, Git& git) {
  Ran ran = git.run(args, {.step = "asking"});
  const bool elsewhere = !ran.ok() && is_redirect(ran.errors) && !git.url().ends_with(".git");
  if (elsewhere) {
    const std::string before = git.url();
    std::string longer = before;
    while (longer.ends_with('/')) longer.pop_back();
    git.set_url(longer + ".git");
    Ran again = git.run(args, {.step = "asking"});
    if (again.ok()) {
      ran = std::move(again);
    } else {
      git.set_url(before);
    }
  }
  if (!ran.ok()) return std::unexpected(git.explain(ran));
  return parse_refs(ran.output);
}

std::unexpected<Error> no_such_ref(const std::string& ref, const RemoteRefs& refs) {
  const std::vector<std::string> branches = refs.branches();
  std::string text = "D310 not_found: the repository has no branch or tag \"" + ref + "\".";
  if (const std::string_view near = nearest(ref, branches); !near.empty()) {
    text += " Did you mean \"" + std::string(near) + "\"?";
  }
  const std::string lower = ascii_lower(ref);
  if (ref.size() >= 7 && is_lower_hex(lower)) {
    return fail("D310", text + " Next: give a commit with all of its 40 digits");
  }
  constexpr size_t kShown = 5;
  std::vector<std::string> shown = branches;
  if (shown.size() > kShown) shown.resize(kShown);
  if (shown.empty()) return fail("D310", text + " Next: leave the branch out");
  text += " Next: leave the branch out, or ask for one of: " + join(shown, ", ");
  if (branches.size() > kShown) text += ", …";
  return fail("D310", text);
}

Result<Resolved> resolve_default(Git& git) {
  auto heads = ask({"ls-remote", "--heads", "origin"}, git);
  if (!heads) return std::unexpected(heads.error());
  if (const RemoteRef* main = heads->find("refs/heads/main")) return Resolved{main->id, "main"};
  // Asked only now: this makes servers list everything they have.
  auto head = ask({"ls-remote", "--symref", "origin", "HEAD"}, git);
  if (!head) return std::unexpected(head.error());
  if (const RemoteRef* found = head->find("HEAD")) {
    const bool named = head->head.starts_with(kBranches);
    return Resolved{found->id, named ? head->head.substr(kBranches.size()) : "HEAD"};
  }
  return fail("D310",
              heads->refs.empty()
                  ? "D310 not_found: the repository has no branches yet. Next: push something to it"
                  : "D310 not_found: the repository has no branch `main` and names no default "
                    "branch. Next: give a branch, for example " +
                        heads->branches().front());
}

// All digits of a commit's id. Such a name is always a commit, never a branch: a pin must not
// come to mean something else because somebody pushed a branch of that name.
bool is_commit_id(std::string_view ref) { return is_id(ascii_lower(ref)); }

// Asks the remote. Nothing asked for: `main`, and the default branch when there is no `main`.
// A branch comes before a tag of the same name. Sets git's URL to the one that answered: some
// servers know a repository only with `.git` at the end.
Result<Resolved> resolve_ref(const std::optional<std::string>& ref, Git& git) {
  if (!ref) return resolve_default(git);
  if (is_commit_id(*ref)) return Resolved{ascii_lower(*ref), ascii_lower(*ref)};
  auto refs = ask({"ls-remote", "--heads", "--tags", "origin"}, git);
  if (!refs) return std::unexpected(refs.error());
  for (const std::string_view kind : {kBranches, kTags}) {
    if (const RemoteRef* found = refs->find(std::string(kind) + *ref)) {
      return Resolved{found->id, *ref};
    }
  }
  if (ref->starts_with("refs/")) {
    if (const RemoteRef* found = refs->find(*ref)) return Resolved{found->id, *ref};
  }
  return no_such_ref(*ref, *refs);
}

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
