#include "content/live.h"

#include <sys/inotify.h>

#include <algorithm>

#include "content/findings.h"

namespace iii::content {

namespace {

// From this many unwatched folders on, walking the whole tree on several threads is quicker.
constexpr size_t kFewUnwatched = 64;
// Links may lead to links; each pass follows one step more. Chains longer than this end with the
// next call.
constexpr int kMaxLinkPasses = 16;

constexpr uint32_t kStructural = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

bool has_effect(const Changes& changes) {
  return !changes.added.empty() || !changes.retired.empty() || !changes.folders.empty() ||
         changes.supporting > 0;
}

std::vector<Folder*> by_depth(std::vector<Folder*> folders) {
  std::ranges::sort(folders, {}, &Folder::depth);
  return folders;
}

}  // namespace

GenerationPtr Live::fresh() {
  for (auto& root : roots_) check_root(*root);
  const bool complete = watcher_.drain([this](const Watcher::Event& event) { take_event(event); });
  if (complete) {
    apply_pending();
  } else {
    pending_.clear();
    rescan_all();
  }
  for (auto& root : roots_) {
    if (root->top == nullptr) continue;
    poll(*root);
    follow_links(*root);
  }
  for (auto& root : roots_) finish_round(*root);
  say_fallback();
  return catalog_.publish();
}

void Live::take_event(const Watcher::Event& event) {
  Folder& folder = *event.folder;
  roots_[folder.root]->active = true;
  if (folder.gone) return;
  if ((event.mask & IN_IGNORED) != 0) {
    Pending& pending = pending_[&folder];
    pending.whole = pending.rewatch = true;
  } else if (event.name.empty()) {
    // Of the folder itself only its permissions matter: they decide about everything below.
    if ((event.mask & IN_ATTRIB) != 0) pending_[&folder].whole = true;
  } else {
    const bool structural = (event.mask & kStructural) != 0;
    const bool is_folder = (event.mask & IN_ISDIR) != 0;
    // What is inside a file that is no document is nobody's concern.
    if (!structural && !is_folder && !is_document_name(event.name)) return;
    Look& look = pending_[&folder].names[std::string(event.name)];
    look.force = true;
    look.deep = look.deep || structural || is_folder;
    look.rewatch = look.rewatch || structural;
  }
}

void Live::apply_pending() {
  std::vector<Folder*> folders;
  folders.reserve(pending_.size());
  for (const auto& [folder, what] : pending_) folders.push_back(folder);
  // From the top down: whatever is replaced as a whole needs no look at its parts.
  for (Folder* folder : by_depth(std::move(folders))) {
    LiveRoot& root = *roots_[folder->root];
    const Pending& what = pending_[folder];
    if (folder->gone) continue;
    if (what.whole) {
      folder->trusted = false;
      root.scanner->sync(*folder, {.deep = true, .rewatch = what.rewatch}, root.changes);
    }
    for (const auto& [name, look] : what.names) {
      root.scanner->refresh(*folder, name, look, root.changes);
    }
  }
  pending_.clear();
}

// Notifications were lost: every folder and file is compared with its stamp, and watched anew.
void Live::rescan_all() {
  ++rescans_;
  watcher_.begin_renewal();
  for (auto& root : roots_) {
    if (root->top == nullptr) continue;
    root->active = true;
    root->scanner->sync_parallel(*root->top, {.deep = true, .rewatch = true}, root->changes);
  }
  watcher_.end_renewal();
}

// What no notification will tell about.
void Live::poll(LiveRoot& root) {
  if (root.full && (root.active || !root.unwatched.empty())) {
    // There may be room now for what was left out.
    root.full = false;
    root.scanner->sync_parallel(*root.top, {.deep = true}, root.changes);
  } else if (root.unwatched.size() > kFewUnwatched) {
    ++rescans_;
    root.scanner->sync_parallel(*root.top, {.deep = true}, root.changes);
  } else if (!root.unwatched.empty()) {
    ++rescans_;
    for (Folder* folder : by_depth({root.unwatched.begin(), root.unwatched.end()})) {
      if (!folder->gone) root.scanner->sync(*folder, {}, root.changes);
    }
  }
  for (Document* document : root.shared) root.scanner->refresh_stamp(*document, root.changes);
}

// A link changes its meaning when anything on the way to its target does. All targets are inside
// the root: so it is enough to look when something has happened there, or when some of it is out of
// sight.
void Live::follow_links(LiveRoot& root) {
  const bool blind = !root.unwatched.empty() || !root.troubled.empty();
  if (!root.active && !blind && !has_effect(root.changes)) return;
  std::unordered_set<Node*> links = root.links;
  for (int pass = 0; pass < kMaxLinkPasses; ++pass) {
    links.insert(root.changes.links.begin(), root.changes.links.end());
    const size_t known = root.changes.links.size();
    const size_t retired = root.changes.retired.size();
    const size_t added = root.changes.added.size();
    for (const Node* link : std::vector<Node*>(links.begin(), links.end())) {
      if (!link->gone) root.scanner->refresh(*link->parent, link->name, {}, root.changes);
    }
    if (root.changes.links.size() == known && root.changes.retired.size() == retired &&
        root.changes.added.size() == added) {
      break;
    }
  }
}

// Hands a round's changes to the catalog and lets go of what has left the tree.
void Live::finish_round(LiveRoot& root) {
  Changes changes = std::exchange(root.changes, Changes{});
  root.active = false;
  root.full = root.full || changes.full;
  index_behind_ = index_behind_ || changes.read > 0 || !changes.retired.empty();
  for (const auto& node : changes.retired) {
    each_node(*node, [&](Node& each) { forget(root, each); });
  }
  for (Document* document : changes.added) {
    if (!document->gone) catalog_.add(*document);
  }
  catalog_.count_supporting(static_cast<int64_t>(changes.supporting));
  for (Folder* folder : changes.folders) {
    if (folder->gone) continue;
    catalog_.set_findings(root.index, folder->path(), folder->findings);
    if (folder->findings) {
      root.troubled.insert(folder);
    } else {
      root.troubled.erase(folder);
    }
  }
  std::erase_if(root.unwatched, [](const Folder* folder) { return folder->watch >= 0; });
  for (Folder* folder : changes.unwatched) {
    if (!folder->gone && folder->watch < 0) root.unwatched.insert(folder);
  }
  for (Node* link : changes.links) {
    if (!link->gone) root.links.insert(link);
  }
  if (!changes.shared.empty()) share_names(root, changes.shared);
  for (const std::string& name : changes.top_names) catalog_.top_name_changed(name);
  if (root.full) {
    set_trouble(root, findings::kTooManyFiles,
                "The limit of files is reached; what comes after it is not served.");
  } else if (root.trouble == findings::kTooManyFiles) {
    set_trouble(root, "", "");
  }
}

// A file with several names can be changed through any of them, and only that one's folder is told.
void Live::share_names(LiveRoot& root, const std::vector<Document*>& found) {
  std::unordered_set<uint64_t> inodes;
  for (Document* document : found) {
    if (document->gone) continue;
    root.shared.insert(document);
    inodes.insert(document->stamp.inode);
  }
  if (inodes.empty() || root.top == nullptr) return;
  each_node(*root.top, [&](Node& node) {
    if (node.kind != NodeKind::kDocument) return;
    auto& document = static_cast<Document&>(node);
    if (document.shared || !inodes.contains(document.stamp.inode)) return;
    document.shared = true;
    root.shared.insert(&document);
  });
}

void Live::forget(LiveRoot& root, Node& node) {
  if (node.is_link) root.links.erase(&node);
  if (node.kind == NodeKind::kSupporting) return catalog_.count_supporting(-1);
  if (node.kind == NodeKind::kDocument) {
    auto& document = static_cast<Document&>(node);
    if (document.shared) root.shared.erase(&document);
    return catalog_.remove(document);
  }
  auto& folder = static_cast<Folder&>(node);
  watcher_.remove(folder);
  root.unwatched.erase(&folder);
  root.troubled.erase(&folder);
  if (folder.findings) catalog_.set_findings(root.index, folder.path(), nullptr);
}

bool Live::everything_watched() const {
  return std::ranges::all_of(roots_, [](const auto& root) { return root->unwatched.empty(); });
}

void Live::say_fallback() {
  if (everything_watched()) return;
  fallback_said_.warn("some folders are not watched and are looked at on every call instead: {}",
                      watcher_.trouble().empty() ? "not readable" : watcher_.trouble());
}

ContentStatus Live::status() const {
  ContentStatus status;
  status.watching = everything_watched() && watcher_.descriptor() >= 0;
  if (!status.watching) {
    status.fallback_reason =
        watcher_.trouble().empty() ? "a root may not be read" : watcher_.trouble();
  }
  status.generation = catalog_.current()->number;
  status.watches = watcher_.count();
  status.files = catalog_.current()->accounting.files;
  status.parsed_at_start = parsed_at_start_;
  status.rescans = rescans_;
  return status;
}

}  // namespace iii::content
