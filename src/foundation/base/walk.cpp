#include "foundation/base/walk.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "foundation/base/files_writer.h"
#include "foundation/base/text.h"

namespace iii {

namespace {

template <typename List>
Result<void> walk_with(List list, std::string_view folder, const WalkOptions& options,
                       const VisitFolder& visit) {
  struct Coming {
    std::string path;  // below the first folder
    size_t depth = 0;
  };
  std::vector<Coming> coming{{}};  // the next one last
  size_t seen = 0;
  bool too_deep = false;
  while (!coming.empty()) {
    const Coming here = std::move(coming.back());
    coming.pop_back();
    Result<std::vector<DirectoryEntry>> entries =
        list(here.path.empty() ? std::string(folder) : join_path(folder, here.path));
    const bool is_gone = !entries && entries.error().code == "missing" && !here.path.empty();
    if (!entries && (options.skip_unreadable || is_gone)) continue;
    if (!entries) return std::unexpected(std::move(entries.error()));
    std::ranges::sort(*entries, {}, &DirectoryEntry::name);
    const bool too_many = entries->size() > options.max_entries - seen;
    if (too_many) entries->resize(options.max_entries - seen);
    seen += entries->size();
    if (Result<void> visited = visit(here.path, *entries); !visited) return visited;
    if (too_many) return fail("too_many", "it has too many files and folders");
    for (const DirectoryEntry& entry : std::views::reverse(*entries)) {
      if (entry.is_link || entry.kind != EntryKind::kDirectory) continue;
      too_deep = too_deep || here.depth >= options.max_depth;
      if (here.depth >= options.max_depth) continue;
      coming.push_back({join_path(here.path, entry.name), here.depth + 1});
    }
  }
  if (too_deep) return fail("too_deep", "its folders are nested too deep");
  return {};
}

}  // namespace

Result<void> walk(const RootFolder& root, std::string_view folder, const WalkOptions& options,
                  const VisitFolder& visit) {
  const auto list = [&](const std::string& path) {
    return options.resolve_links ? root.list(path) : root.list_unresolved(path);
  };
  return walk_with(list, folder, options, visit);
}

Result<void> walk(const FolderWriter& root, std::string_view folder, const WalkOptions& options,
                  const VisitFolder& visit) {
  return walk_with([&root](const std::string& path) { return root.list(path); }, folder, options,
                   visit);
}

}  // namespace iii
