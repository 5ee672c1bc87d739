#include "sources/git_tree.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/utf8.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxSkipped = 200;  // told one by one; a repository may have any number

TreeKind kind_of(std::string_view mode) {
  if (mode == "100644" || mode == "100755" || mode == "100664") return TreeKind::kFile;
  if (mode == "040000") return TreeKind::kFolder;
  if (mode == "120000") return TreeKind::kLink;
  if (mode == "160000") return TreeKind::kSubmodule;
  return TreeKind::kOther;
}

std::string_view why_skipped(TreeKind kind) {
  switch (kind) {
    case TreeKind::kLink:
      return "a symbolic link; links are not followed";
    case TreeKind::kSubmodule:
      return "a submodule; its files are in another repository";
    default:
      return "not a regular file";
  }
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

}  // namespace

std::vector<TreeEntry> parse_tree(std::string_view listing) {
  std::vector<TreeEntry> entries;
  // `<mode> <type> <id>\t<path>\0`
  for (const std::string_view record : split(listing, '\0')) {
    const size_t tab = record.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::vector<std::string_view> words = split(record.substr(0, tab), ' ');
    if (words.size() < 3) continue;
    entries.push_back({.kind = kind_of(words[0]),
                       .id = std::string(words[2]),
                       .path = std::string(record.substr(tab + 1))});
  }
  return entries;
}

const TreeEntry* find_entry(const std::vector<TreeEntry>& entries, std::string_view path) {
  const auto found = std::ranges::find(entries, path, &TreeEntry::path);
  return found == entries.end() ? nullptr : &*found;
}

Result<Selection> select_files(const std::vector<TreeEntry>& entries, const BundleLimits& limits) {
  Selection selection;
  Skipper skipper(selection.skipped);
  for (const TreeEntry& entry : entries) {
    if (const auto hidden = hidden_part(entry.path)) {
      skipper.skip(*hidden, "hidden: its name starts with '.'");
    } else if (entry.kind != TreeKind::kFile) {
      skipper.skip(entry.path, why_skipped(entry.kind));
    } else if (!is_utf8(entry.path)) {
      skipper.skip(entry.path, "its name is not UTF-8");
    } else {
      auto path = clean_path(entry.path, limits);
      if (!path) return std::unexpected(path.error());
      selection.files.push_back({.path = *std::move(path), .id = entry.id});
    }
  }
  skipper.finish();
  if (selection.files.size() > limits.max_files) {
    return fail("D312", "D312 invalid_bundle: the folder has " +
                            std::to_string(selection.files.size()) + " files, at most " +
                            std::to_string(limits.max_files) +
                            " are allowed. Next: raise `max_files`, or use a smaller skill");
  }
  std::ranges::sort(selection.files, {}, &WantedFile::path);
  return selection;
}

std::optional<Error> refuse_place(const TreeEntry& entry, std::string_view place) {
  const std::string quoted = '`' + std::string(place) + '`';
  switch (entry.kind) {
    case TreeKind::kFolder:
      return std::nullopt;
    case TreeKind::kLink:
      return Error{"D312", "D312 invalid_bundle: " + quoted +
                               " in the repository is a symbolic link, and links are never "
                               "followed. Next: ask for the skill under the name of its folder"};
    case TreeKind::kSubmodule:
      return Error{"D312", "D312 invalid_bundle: " + quoted +
                               " in the repository is a submodule. Next: ask for the skill from "
                               "the repository that it points at"};
    default:
      return Error{"D310", "D310 not_found: " + quoted +
                               " in the repository is a file, not a folder. Next: check the "
                               "skill's name"};
  }
}

}  // namespace iii::sources
