#include "sources/git.h"

#include <optional>

#include "base/text.h"
#include "base/utf8.h"
#include "content/parse.h"
#include "sources/git_blobs.h"
#include "sources/git_command.h"
#include "sources/git_refs.h"
#include "sources/git_route.h"
#include "sources/git_scratch.h"
#include "sources/git_tree.h"

namespace iii::sources {

namespace {

constexpr uint64_t kMaxListingBytes = 64ULL * 1024 * 1024;
constexpr std::string_view kSkillFile = "SKILL.md";

// `https://host/group/name.git/` → `name`.
std::string_view repository_name(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  const size_t slash = url.find_last_of("/:");
  return slash == std::string_view::npos ? url : url.substr(slash + 1);
}

// Where in the repository the skill lies.
struct Place {
  std::string folder;  // empty: the repository itself
  std::string tree;
};

class Fetch {
 public:
  Fetch(const RepoSource& source, const GitOptions& options, const Job& job, const Scratch& scratch,
        Route route)
      : source_(source),
        limits_(options.limits),
        git_(source, options, job, scratch, std::move(route)) {}

  Result<Bundle> run() {
    auto resolved = resolve_ref(source_.ref, git_);
    if (!resolved) return std::unexpected(resolved.error());
    wanted_ = resolved->id;
    auto commit = fetch_commit();
    if (!commit) return std::unexpected(commit.error());
    auto place = find_place(*commit);
    if (!place) return std::unexpected(place.error());
    auto selection = list_files(*place);
    if (!selection) return std::unexpected(selection.error());

    Bundle bundle{.source = source_,
                  .resolved = *commit,
                  // A commit is reported as git knows it, however it was written.
                  .branch = is_commit_id(resolved->name) ? *commit : resolved->name,
                  .folder = place->folder,
                  .skipped = std::move(selection->skipped)};
    auto blobs = read_blobs(git_, {place->tree, wanted_}, selection->files, limits_);
    if (!blobs) return std::unexpected(blobs.error());
    for (WantedFile& file : selection->files) {
      const FileRole role = role_of(file.path);
      bundle.files.push_back(
          {.path = std::move(file.path), .bytes = blobs->at(file.id), .role = role});
    }
    return checked(std::move(bundle), limits_);
  }

 private:
  // Commit and folders; the files' content only from servers that cannot leave it out.
  Result<std::string> fetch_commit() {
    if (auto made = make_store(git_, "store", wanted_); !made) return std::unexpected(made.error());
    auto fetched = git_.output({"fetch", "--quiet", "--depth=1", "--filter=blob:none", "--no-tags",
                                "--no-write-fetch-head", "origin", wanted_},
                               {.step = "fetching"});
    if (!fetched) return std::unexpected(fetched.error());
    return commit_of_wanted();
  }

  Result<std::string> commit_of_wanted() {
    const Ran ran =
        git_.run({"rev-parse", "--verify", "--quiet", wanted_ + "^{commit}"}, {.step = "checking"});
    if (ran.ok()) return std::string(trim(ran.output));
    if (ran.ending != Ending::kExited) return std::unexpected(git_.explain(ran));
    return fail("D310",
                "D310 not_found: what was asked for is no commit of the repository. Next: ask for "
                "a branch, a tag or a commit");
  }

  Result<std::vector<TreeEntry>> list(const std::string& tree, bool deep) {
    std::vector<std::string> args = {"ls-tree", "-z", "--full-tree"};
    if (deep) args.emplace_back("-r");
    args.push_back(tree);
    auto listing = git_.output(args, {.step = "checking", .max_output = kMaxListingBytes});
    if (!listing) return std::unexpected(listing.error());
    return parse_tree(*listing);
  }

  // `skills/<skill>`, then a folder `<skill>` with a SKILL.md in it, then a repository that is one
  // skill. The first that is there counts, also when it is there as something that is refused.
  Result<Place> find_place(const std::string& commit) {
    auto root = list(commit, false);
    if (!root) return std::unexpected(root.error());
    std::vector<std::string> names;
    if (const TreeEntry* skills = find_entry(*root, "skills")) {
      auto found = look_in_skills(*skills, names);
      if (!found) return std::unexpected(found.error());
      if (const std::optional<Place>& place = *found) return *place;
    }
    if (const TreeEntry* entry = find_entry(*root, source_.skill)) {
      auto found = look_in_folder(*entry);
      if (!found) return std::unexpected(found.error());
      if (*found) return Place{.folder = source_.skill, .tree = entry->id};
    }
    auto whole = is_the_skill(commit, *root);
    if (!whole) return std::unexpected(whole.error());
    if (*whole) return Place{.folder = "", .tree = commit + "^{tree}"};
    if (names.empty()) add_folders(*root, names);
    return no_such_skill(names);
  }

  // Nothing when the skill is not there; `names` then has those that are.
  Result<std::optional<Place>> look_in_skills(const TreeEntry& skills,
                                              std::vector<std::string>& names) {
    if (auto refused = refuse_place(skills, "skills")) {
      if (refused->code == "D310") return std::nullopt;  // a mere file of that name
      return std::unexpected(*refused);
    }
    auto inside = list(skills.id, false);
    if (!inside) return std::unexpected(inside.error());
    const TreeEntry* entry = find_entry(*inside, source_.skill);
    if (entry == nullptr) {
      add_folders(*inside, names);
      return std::nullopt;
    }
    std::string folder = "skills/" + source_.skill;
    if (auto refused = refuse_place(*entry, folder)) return std::unexpected(*refused);
    return Place{.folder = std::move(folder), .tree = entry->id};
  }

  static void add_folders(const std::vector<TreeEntry>& entries, std::vector<std::string>& names) {
    for (const TreeEntry& entry : entries) {
      const bool offered =
          entry.kind == TreeKind::kFolder && !entry.path.starts_with('.') && is_utf8(entry.path);
      if (offered) names.push_back(entry.path);
    }
  }

  Result<bool> look_in_folder(const TreeEntry& entry) {
    if (auto refused = refuse_place(entry, source_.skill)) {
      if (refused->code == "D310") return false;
      return std::unexpected(*refused);
    }
    auto inside = list(entry.id, false);
    if (!inside) return std::unexpected(inside.error());
    const TreeEntry* document = find_entry(*inside, kSkillFile);
    return document != nullptr && document->kind == TreeKind::kFile;
  }

  // A SKILL.md at the top that says its name is the skill's; when it says no name, the
  // repository's own name has to be it.
  Result<bool> is_the_skill(const std::string& commit, const std::vector<TreeEntry>& root) {
    const TreeEntry* document = find_entry(root, kSkillFile);
    if (document == nullptr || document->kind != TreeKind::kFile) return false;
    const std::vector<WantedFile> one = {{.path = document->path, .id = document->id}};
    auto blobs = read_blobs(git_, {commit + "^{tree}", wanted_}, one, limits_);
    if (!blobs) return std::unexpected(blobs.error());
    const std::string& bytes = blobs->at(document->id);
    if (bytes.size() > limits_.max_document_bytes || !is_utf8(bytes)) return false;
    const auto parsed = content::parse_document(bytes, {});
    if (parsed.name) return *parsed.name == source_.skill;
    return repository_name(source_.repo) == source_.skill;
  }

  std::unexpected<Error> no_such_skill(const std::vector<std::string>& names) const {
    std::string text = "D310 not_found: the repository has no skill `" + source_.skill +
                       "`: there is neither skills/" + source_.skill + " nor " + source_.skill +
                       "/SKILL.md, nor is the repository itself that skill.";
    if (const std::string_view near = nearest(source_.skill, names); !near.empty()) {
      text += " Did you mean \"" + std::string(near) + "\"?";
    }
    return fail("D310", text + " Next: check the skill's name and the branch");
  }

  Result<Selection> list_files(const Place& place) {
    auto entries = list(place.tree, true);
    if (!entries) return std::unexpected(entries.error());
    auto selection = select_files(*entries, limits_);
    if (!selection) return std::unexpected(selection.error());
    if (selection->files.empty()) {
      return fail("D310", "D310 not_found: the folder of the skill `" + source_.skill +
                              "` has no files that can be taken. Next: check the branch");
    }
    return selection;
  }

  const RepoSource& source_;
  const BundleLimits& limits_;
  Git git_;
  std::string wanted_;
};

}  // namespace

Result<Bundle> fetch_repo(const RepoSource& source, const GitOptions& options, const Job& job) {
  auto route = find_route(source, options, job);
  if (!route) return std::unexpected(route.error());
  auto scratch = Scratch::make(options.scratch);
  if (!scratch) return std::unexpected(scratch.error());
  return Fetch(source, options, job, *scratch, std::move(*route)).run();
}

Result<std::string> resolve_repo(const RepoSource& source, const GitOptions& options,
                                 const Job& job) {
  auto route = find_route(source, options, job);
  if (!route) return std::unexpected(route.error());
  auto scratch = Scratch::make(options.scratch);
  if (!scratch) return std::unexpected(scratch.error());
  Git git(source, options, job, *scratch, std::move(*route));
  auto resolved = resolve_ref(source.ref, git);
  if (!resolved) return std::unexpected(resolved.error());
  return resolved->id;
}

}  // namespace iii::sources
