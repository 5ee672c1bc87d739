#include "directory/sources/git_tree.h"

#include <algorithm>

#include "directory/content/kinds.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxSkipped = 200;  // told one by one; a repository may have any number
constexpr size_t kMaxHops = 32;      // links behind each other on the way to one file
constexpr size_t kMaxNesting = 8;    // folders that are reached by links inside each other
constexpr size_t kMaxVisits = 10'000;

TreeKind tree_kind_of(std::string_view mode) {
  if (mode == "100644" || mode == "100755" || mode == "100664") return TreeKind::kFile;
  if (mode == "040000") return TreeKind::kFolder;
  if (mode == "120000") return TreeKind::kLink;
  if (mode == "160000") return TreeKind::kSubmodule;
  return TreeKind::kOther;
}

std::string_view why_skipped(TreeKind kind) {
  return kind == TreeKind::kSubmodule ? "a submodule; its files are in another repository"
                                      : "not a regular file";
}

// The path up to and with its first hidden name, or nothing. `.` and `..` are not hidden but wrong.
std::optional<std::string_view> hidden_part(std::string_view path) {
  size_t begin = 0;
  for (const std::string_view segment : split(path, '/')) {
    if (segment.starts_with('.') && segment != "." && segment != "..") {
      return path.substr(0, begin + segment.size());
    }
    begin += segment.size() + 1;
  }
  return std::nullopt;
}

bool is_inside(std::string_view path, std::string_view folder) {
  return folder.empty() || path == folder ||
         (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

class Skipper {
 public:
  explicit Skipper(std::vector<SkippedFile>& skipped) : skipped_(skipped) {}

  // The same folder is told once, however many files it has.
  void skip(std::string_view path, std::string_view reason) {
    if (!seen_.emplace(path).second || seen_.size() > kMaxSkipped) return;
    skipped_.push_back({printable(path), std::string(reason)});
  }
  void finish() {
    if (seen_.size() <= kMaxSkipped) return;
    skipped_.push_back({"…", std::to_string(seen_.size() - kMaxSkipped) + " more"});
  }

 private:
  std::vector<SkippedFile>& skipped_;
  std::set<std::string, std::less<>> seen_;
};

class Selector {
 public:
  Selector(const RepoTree& tree, const LinkTargets& targets, std::string_view folder,
           const std::set<std::string>& without, const BundleLimits& limits)
      : tree_(tree),
        targets_(targets),
        folder_(folder),
        without_(without),
        limits_(limits),
        skipper_(out_.skipped) {}

  Result<Selection> run() {
    if (auto done = add_folder(folder_, ""); !done) return std::unexpected(done.error());
    skipper_.finish();
    std::ranges::sort(out_.files, {}, &WantedFile::path);
    if (auto main = check_main_file(); !main) return std::unexpected(main.error());
    return std::move(out_);
  }

 private:
  // All that lies in `real`, as if it lay in `shown`.
  Result<void> add_folder(const std::string& real, const std::string& shown) {
    stack_.push_back(real);
    const size_t prefix = real.empty() ? 0 : real.size() + 1;
    for (const TreeEntry& entry : tree_.below(real)) {
      const std::string_view inner = std::string_view(entry.path).substr(prefix);
      if (auto done = add(entry, inner, join_path(shown, inner)); !done) return done;
    }
    stack_.pop_back();
    return {};
  }

  Result<void> add(const TreeEntry& entry, std::string_view inner, const std::string& shown) {
    if (entry.kind == TreeKind::kFolder) return {};  // what is in it comes by itself
    if (const auto hidden = hidden_part(inner)) {
      const size_t cut = inner.size() - hidden->size();
      skipper_.skip(std::string_view(shown).substr(0, shown.size() - cut),
                    "hidden: its name starts with '.'");
      return {};
    }
    if (const std::string* other = left_out(entry.path)) {
      skipper_.skip(*other, "another skill of the repository; install it by its own name");
      return {};
    }
    if (entry.kind == TreeKind::kLink) return add_link(entry, shown);
    if (entry.kind != TreeKind::kFile) {
      skipper_.skip(shown, why_skipped(entry.kind));
      return {};
    }
    return add_file(entry, shown);
  }

  const std::string* left_out(std::string_view path) const {
    if (without_.empty()) return nullptr;
    for (size_t slash = path.find('/'); slash != std::string_view::npos;
         slash = path.find('/', slash + 1)) {
      const auto found = without_.find(std::string(path.substr(0, slash)));
      if (found != without_.end()) return &*found;
    }
    return nullptr;
  }

  Result<void> add_file(const TreeEntry& file, const std::string& shown) {
    if (!is_utf8(shown)) {
      skipper_.skip(shown, "its name is not UTF-8");
      return {};
    }
    auto path = clean_path(shown, limits_);
    if (!path) return std::unexpected(path.error());
    out_.files.push_back({.path = *std::move(path), .id = file.id, .executable = file.executable});
    return {};
  }

  Result<void> add_link(const TreeEntry& link, const std::string& shown) {
    if (++visits_ > kMaxVisits || out_.files.size() > limits_.max_files) {
      return fail("D312",
                  "D312 invalid_bundle: the symbolic links of the folder lead to more files than "
                  "are allowed. Next: use a smaller skill");
    }
    const Result<std::string> target = follow(tree_, targets_, link.path);
    if (!target) {
      skipper_.skip(shown, "a symbolic link " + target.error().message);
      return {};
    }
    const TreeEntry* entry = target->empty() ? nullptr : tree_.find(*target);
    if (entry != nullptr && entry->kind == TreeKind::kSubmodule) {
      skipper_.skip(shown, "a symbolic link into a submodule");
      return {};
    }
    if (!is_inside(*target, folder_)) out_.reaches_out = true;
    if (entry != nullptr && entry->kind == TreeKind::kFile) return add_file(*entry, shown);
    const bool circle = is_inside(link.path, *target) || stack_.size() > kMaxNesting ||
                        std::ranges::any_of(stack_, [&target](const std::string& folder) {
                          return is_inside(folder, *target);
                        });
    if (circle) {
      skipper_.skip(shown,
                    "a symbolic link to a folder that contains it, or links nested too deeply");
      return {};
    }
    return add_folder(*target, shown);
  }

  // A skill without its main file would be installed and not be there.
  Result<void> check_main_file() const {
    const auto is_main = [](std::string_view path) {
      return !path.contains('/') && content::is_skill_file(path);
    };
    const size_t prefix = folder_.empty() ? 0 : folder_.size() + 1;
    for (const TreeEntry& entry : tree_.below(folder_)) {
      const std::string_view inner = std::string_view(entry.path).substr(prefix);
      if (entry.kind == TreeKind::kFolder || !is_main(inner)) continue;
      const bool taken = std::ranges::any_of(
          out_.files, [&](const WantedFile& file) { return is_main(file.path); });
      if (taken) return {};
      std::string reason = "it cannot be read";
      for (const SkippedFile& file : out_.skipped) {
        if (file.path == inner) reason = "it is " + file.reason;
      }
      return fail("D312", "D312 invalid_bundle: the main file " + printable(inner) +
                              " cannot be taken: " + reason +
                              ". Nothing was written. Next: ask the repository's owner to make it "
                              "a plain file");
    }
    return {};
  }

  const RepoTree& tree_;
  const LinkTargets& targets_;
  const std::string folder_;
  const std::set<std::string>& without_;
  const BundleLimits& limits_;
  Selection out_;
  Skipper skipper_;
  std::vector<std::string> stack_;
  size_t visits_ = 0;
};

Error reason(std::string text) { return {"link", std::move(text)}; }

}  // namespace

std::vector<TreeEntry> parse_tree(std::string_view listing) {
  std::vector<TreeEntry> entries;
  // `<mode> <type> <id>\t<path>\0`
  for (const std::string_view record : split(listing, '\0')) {
    const size_t tab = record.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::vector<std::string_view> words = split(record.substr(0, tab), ' ');
    if (words.size() < 3) continue;
    entries.push_back({.kind = tree_kind_of(words[0]),
                       .id = std::string(words[2]),
                       .path = std::string(record.substr(tab + 1)),
                       .executable = words[0] == "100755"});
  }
  return entries;
}

RepoTree::RepoTree(std::vector<TreeEntry> entries) : entries_(std::move(entries)) {
  std::ranges::sort(entries_, {}, &TreeEntry::path);
}

const TreeEntry* RepoTree::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(entries_, path, {}, &TreeEntry::path);
  return found != entries_.end() && found->path == path ? &*found : nullptr;
}

std::span<const TreeEntry> RepoTree::below(std::string_view folder) const {
  if (folder.empty()) return entries_;
  // `/` and the character after it enclose what begins with `folder/`.
  const std::string from = std::string(folder) + '/';
  const std::string to = std::string(folder) + static_cast<char>('/' + 1);
  const auto begin = std::ranges::lower_bound(entries_, from, {}, &TreeEntry::path);
  const auto end = std::ranges::lower_bound(begin, entries_.end(), to, {}, &TreeEntry::path);
  return {begin, end};
}

std::vector<const TreeEntry*> RepoTree::links() const {
  std::vector<const TreeEntry*> all;
  for (const TreeEntry& entry : entries_) {
    if (entry.kind == TreeKind::kLink) all.push_back(&entry);
  }
  return all;
}

Result<std::string> follow(const RepoTree& tree, const LinkTargets& targets,
                           std::string_view path) {
  std::vector<std::string> left;  // segments still to go, the next one last
  const auto push = [&left](std::string_view text) {
    const std::vector<std::string_view> parts = split(text, '/');
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) left.emplace_back(*part);
  };
  push(path);
  std::string at;
  for (size_t hops = 0; !left.empty();) {
    const std::string part = std::move(left.back());
    left.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (at.empty()) return std::unexpected(reason("that leaves the repository"));
      const size_t slash = at.rfind('/');
      at.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    const std::string next = join_path(at, part);
    const TreeEntry* entry = tree.find(next);
    if (entry == nullptr) return std::unexpected(reason("to nothing in the repository"));
    if (entry->kind != TreeKind::kLink) {
      at = next;
      continue;
    }
    const auto target = targets.find(next);
    if (target == targets.end() || ++hops > kMaxHops) {
      return std::unexpected(reason("that leads in a circle or cannot be read"));
    }
    if (target->second.starts_with('/')) {
      return std::unexpected(reason("that leaves the repository"));
    }
    push(target->second);
  }
  return at;
}

Result<Selection> select_files(const RepoTree& tree, const LinkTargets& targets,
                               std::string_view folder, const std::set<std::string>& without,
                               const BundleLimits& limits) {
  auto selection = Selector(tree, targets, folder, without, limits).run();
  if (selection && selection->files.size() > limits.max_files) {
    return std::unexpected(too_many_files(selection->files.size(), limits));
  }
  return selection;
}

}  // namespace iii::sources
