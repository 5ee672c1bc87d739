#include "directory/sources/git_refs.h"

#include <algorithm>

#include "directory/sources/git_errors.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

constexpr std::string_view kBranches = "refs/heads/";
constexpr std::string_view kTags = "refs/tags/";
constexpr std::string_view kPeeled = "^{}";

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && is_lower_hex(text);
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

}  // namespace

const RemoteRef* RemoteRefs::find(std::string_view name) const {
  const auto found = std::ranges::find(refs, name, &RemoteRef::name);
  return found == refs.end() ? nullptr : &*found;
}

std::vector<std::string> RemoteRefs::branches() const {
  std::vector<std::string> names;
  for (const RemoteRef& ref : refs) {
    if (ref.name.starts_with(kBranches)) names.push_back(ref.name.substr(kBranches.size()));
  }
  return names;
}

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

bool is_commit_id(std::string_view ref) { return is_id(ascii_lower(ref)); }

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

}  // namespace iii::sources
