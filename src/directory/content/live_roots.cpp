// Live: how roots come and go.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <utility>

#include "directory/content/findings.h"
#include "directory/content/live.h"
#include "foundation/base/utf8.h"

namespace iii::content {

namespace {

std::vector<RootInfo> describe(const ContentOptions& options) {
  std::vector<RootInfo> roots;
  size_t extra = 0;
  for (const RootConfig& config : options.roots) {
    if (config.kind == RootKind::kLocal) {
      roots.push_back({config.kind, "local"});
    } else if (config.kind == RootKind::kGlobal) {
      roots.push_back({config.kind, "global"});
    } else {
      roots.push_back({RootKind::kExtra, fmt::format("extra-{}", ++extra)});
    }
  }
  roots.push_back({RootKind::kBuiltin, "builtin"});
  return roots;
}

// Every entry that decides where a path leads: its folders, and those of the links in it.
std::vector<std::string> entries_on(const std::filesystem::path& path) {
  constexpr int kMaxLinks = 40;
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  std::deque<fs::path> rest(path.begin(), path.end());
  fs::path at;
  int links = 0;
  while (!rest.empty()) {
    const fs::path part = rest.front();
    rest.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    const fs::path next = at / part;
    std::error_code problem;
    const fs::file_status status = fs::symlink_status(next, problem);
    if (!fs::exists(status)) break;
    out.push_back(next.string());
    if (fs::is_symlink(status)) {
      const fs::path target = fs::read_symlink(next, problem);
      if (problem || ++links > kMaxLinks) break;
      rest.insert(rest.begin(), target.begin(), target.end());
      if (target.is_absolute()) at.clear();
    } else {
      at = next;
    }
  }
  return out;
}

// Empty: it does not exist.
std::string without_links(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path real = std::filesystem::canonical(path, problem);
  return problem ? "" : real.string();
}

}  // namespace

std::unique_ptr<Content> Content::open(ContentOptions options) {
  return std::make_unique<Live>(std::move(options));
}

Live::Live(ContentOptions options)
    : options_(std::move(options)),
      watcher_(options_.max_watches),
      catalog_(describe(options_), options_.generations_before) {
  const std::vector<RootInfo> described = describe(options_);
  for (const RootConfig& config : options_.roots) {
    auto root = std::make_unique<LiveRoot>();
    root->index = static_cast<uint16_t>(roots_.size());
    root->label = described[root->index].label;
    root->config = config;
    std::error_code ignored;
    const std::filesystem::path whole = std::filesystem::absolute(config.path, ignored);
    root->path = whole.lexically_normal().string();
    while (root->path.size() > 1 && root->path.ends_with('/')) root->path.pop_back();
    root->real = without_links(root->path);
    roots_.push_back(std::move(root));
  }
  add_builtin();
  update();
  started_ = true;
}

void Live::add_builtin() {
  for (const BuiltinDocument& document : options_.builtin) {
    auto node = std::make_unique<Document>("", nullptr);
    node->root = static_cast<uint16_t>(roots_.size());
    node->unread = false;
    node->stamp.size = document.text.size();
    understand_document(*node, document.path, document.text, options_);
    if (node->skill || node->prompt) catalog_.add(*node);
    builtin_.push_back(std::move(node));
  }
}

// The root's own path is looked at on every call: it may have appeared, vanished, or become another
// folder. The open descriptor keeps the old folder's inode from being given to a new one, so equal
// means the same.
bool Live::is_same(const LiveRoot& root, const Result<FileStatus>& status) {
  const LiveRoot& open = root.twin != nullptr ? *root.twin : root;
  return status && status->kind == EntryKind::kDirectory && open.folder &&
         is_same_folder(open.identity, status->stamp);
}

// Roots of higher precedence are checked first.
const LiveRoot* Live::find_twin(const LiveRoot& root, const FileStamp& identity) const {
  for (const auto& other : roots_) {
    if (other.get() == &root) break;
    if (other->folder && is_same_folder(other->identity, identity)) return other.get();
  }
  return nullptr;
}

void Live::check_root(LiveRoot& root) {
  if (is_same(root, path_status(root.path))) return;
  const auto is_there = [&root] { return root.top != nullptr || root.twin != nullptr; };
  const bool was_there = is_there();
  look_at_root(root);
  if (!started_ || is_there() == was_there) return;
  if (was_there) {
    log_warn("{} folder {} is gone: what it held is not served until it is back", root.label,
             root.path);
  } else {
    log_info("{} folder {} is there now, and served", root.label, root.path);
  }
}

void Live::look_at_root(LiveRoot& root) {
  // First the watches, then another look: what happens after it is reported.
  watch_path(root);
  const Result<FileStatus> status = path_status(root.path);
  const bool is_folder = status && status->kind == EntryKind::kDirectory;
  root.twin = is_folder ? find_twin(root, status->stamp) : nullptr;
  if (root.twin != nullptr) {
    drop_root(root);
    return set_trouble(root, {}, "");
  }
  if (is_folder) {
    open_root(root);
  } else {
    drop_root(root);
    if (status) {
      set_trouble(root, findings::kNotRegular, "The root is not a folder.");
    } else if (status.error().code == "missing") {
      set_trouble(root, {}, "");
    } else {
      set_trouble(root, findings::kUnreadable, "The root cannot be read.");
    }
  }
}

// An empty code: none.
void Live::set_trouble(LiveRoot& root, const findings::Code& code, std::string message) {
  if (code == (root.trouble ? std::string_view(root.trouble->front().code) : "")) return;
  root.trouble = nullptr;
  if (code.text.empty()) return;
  root.trouble = one_finding(root.index, "", code, std::move(message));
}

void Live::open_root(LiveRoot& root) {
  if (root.folder) drop_root(root);
  Result<RootFolder> opened = RootFolder::open(root.path);
  const Result<FileStamp> identity = opened ? opened->stat("") : std::unexpected(opened.error());
  if (!identity) {
    drop_root(root);
    const bool missing = identity.error().code == "missing";
    return set_trouble(root, missing ? findings::Code() : findings::kUnreadable,
                       "The root cannot be read.");
  }
  set_trouble(root, {}, "");
  root.folder = std::make_shared<const RootFolder>(std::move(*opened));
  root.identity = *identity;
  round_.add_root(root.index);
  root.scanner.emplace(
      root.index, *root.folder, root.path,
      [this](const std::string& path) { return find_elsewhere(path); }, options_, watcher_, nodes_);
  if (root.top == nullptr) {
    root.top = std::make_unique<Folder>("", nullptr);
    root.top->root = root.index;
    root.top->used = UINT64_MAX;  // it says which namespaces there are
    nodes_.fetch_add(1, std::memory_order_relaxed);
  }
  catalog_.set_top(root.index, root.top.get());
  root.active = true;
  root.scanner->sync_parallel(*root.top, {.deep = true}, root.changes);
}

void Live::drop_root(LiveRoot& root) {
  if (root.top == nullptr) return;
  round_.add_root(root.index);
  for (const auto& entry : root.top->entries) {
    if (entry->kind == NodeKind::kFolder) root.changes.top_names.push_back(entry->name);
  }
  catalog_.set_top(root.index, nullptr);
  retire(std::move(root.top), root.changes, nodes_);
  root.scanner.reset();
  root.folder.reset();
  root.full = root.changes.full = false;
}

// A root whose path leads elsewhere, or that appears, is noticed by check_root; this only wakes
// whoever waits on notify_fd().
void Live::watch_path(LiveRoot& root) {
  constexpr int kMaxAttempts = 8;
  std::vector<std::string> entries = entries_on(root.path);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    watcher_.set_hints(root.hints, entries);
    // Again, until nothing has appeared before its folder was watched.
    std::vector<std::string> now = entries_on(root.path);
    if (now == entries) break;
    entries = std::move(now);
  }
  std::string real = without_links(root.path);
  root.active = root.active || real != root.real;
  root.real = std::move(real);
}

// A root that several configured paths name is the first of them.
std::string Live::find_elsewhere(const std::string& path) const {
  const std::string target = without_links(path);
  if (target.empty()) return "";
  for (const auto& root : roots_) {
    if (root->real.empty() || !target.starts_with(root->real)) continue;
    std::string_view rest = std::string_view(target).substr(root->real.size());
    if (rest.empty()) return fmt::format("the {} root itself", root->label);
    if (root->real != "/" && rest.front() != '/') continue;
    if (rest.front() == '/') rest.remove_prefix(1);
    return fmt::format("`{}` in the {} root", printable(rest), root->label);
  }
  return "";
}

// Null: the root does not exist (any more). Held while a file is read, which needs no lock.
std::shared_ptr<const RootFolder> Live::folder_of(const FileRef& file) const {
  const std::lock_guard lock(shown_mutex_);
  return file.root < folders_.size() ? folders_[file.root] : nullptr;
}

Result<FileBytes> Live::read(const Generation&, const FileRef& file) {
  if (file.root == options_.roots.size()) {
    for (const BuiltinDocument& document : options_.builtin) {
      if (document.path == file.path) return FileBytes{document.text, {}};
    }
  }
  const auto folder = folder_of(file);
  if (folder == nullptr) return fail("missing", fmt::format("`{}` does not exist", file.path));
  return folder->read_text(file.path, read_limit(options_));
}

Result<void> Live::write(const Generation&, const FileRef& file, std::string_view bytes) {
  if (file.root >= options_.roots.size() || options_.roots[file.root].kind == RootKind::kExtra) {
    return fail("read_only", fmt::format("`{}` is in a read-only root", file.path));
  }
  const auto folder = folder_of(file);
  if (folder == nullptr) return fail("missing", fmt::format("`{}` does not exist", file.path));
  Result<void> written = folder->write(file.path, bytes);
  if (written) recheck(file);
  return written;
}

}  // namespace iii::content
