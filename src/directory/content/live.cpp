#include "directory/content/live.h"

#include <sys/inotify.h>

#include <algorithm>
#include <chrono>

#include "directory/content/findings.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

// From this many unwatched folders on, walking the whole tree on several threads is quicker.
constexpr size_t kFewUnwatched = 64;
// With more folders than this beyond the limit of watches, they are compared in the background.
constexpr size_t kMostPerCall = 256;
// How long fresh() compares folders in the background.
constexpr std::chrono::milliseconds kSlice{1};
constexpr size_t kMaxUsed = 256;
// How many folders one fresh() gives a watch that another folder had.
constexpr size_t kMaxExchanged = 8;
// Links may lead to links; each pass follows one step more. Chains longer than this end with the
// next call.
constexpr int kMaxLinkPasses = 16;

constexpr uint32_t kStructural = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

bool has_effect(const Changes& changes) {
  return !changes.added.empty() || !changes.retired.empty() || !changes.folders.empty() ||
         changes.supporting > 0;
}

// Whether links in this root have to be followed again.
bool may_differ(const LiveRoot& root, bool in_background) {
  const bool compared = !in_background && !root.unwatched.empty();
  return root.active || compared || !root.troubled.empty() || has_effect(root.changes);
}

bool leaves_root(const Node& link) {
  if (link.kind != NodeKind::kDocument) return false;
  const Refusal why = static_cast<const Document&>(link).refusal;
  return why == Refusal::kOutside || why == Refusal::kOtherRoot;
}

std::vector<Folder*> by_depth(std::vector<Folder*> folders) {
  std::ranges::sort(folders, {}, &Folder::depth);
  return folders;
}

}  // namespace

GenerationPtr Live::fresh() {
  const std::lock_guard lock(mutex_);
  return update();
}

// Whether there are so many folders beyond the limit of watches that no call can compare them all.
bool Live::is_in_background() const {
  size_t unwatched = 0;
  for (const auto& root : roots_) unwatched += root->unwatched.size();
  return watcher_.limit_reached() && unwatched > kMostPerCall;
}

// Whether a notification comes for every file in it.
bool Live::is_watched(const LiveRoot& root) {
  return !root.full && root.unwatched.empty() && root.troubled.empty();
}

GenerationPtr Live::unchanged() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || watcher_.has_pending()) return nullptr;
  {
    const std::lock_guard shown(shown_mutex_);
    if (!rechecks_.empty()) return nullptr;
  }
  const bool in_background = is_in_background();
  for (const auto& root : roots_) {
    const bool must_compare = in_background ? root->full || !root->troubled.empty()  //
                                            : !is_watched(*root);
    if (root->top != nullptr && must_compare) return nullptr;
    const Result<FileStatus> status = path_status(root->path);
    const bool is_missing = !status && status.error().code == "missing";
    if (is_missing ? root->top != nullptr || root->trouble : !is_same(*root, status)) {
      return nullptr;
    }
  }
  return catalog_.current();
}

void Live::recheck(const FileRef& file) {
  const std::lock_guard lock(shown_mutex_);
  if (std::ranges::find(rechecks_, file) == rechecks_.end()) rechecks_.push_back(file);
}

void Live::compare_more() {
  const std::lock_guard lock(shown_mutex_);
  compare_more_ = true;
}

void Live::note_use(const FileRef& file) {
  const std::lock_guard lock(shown_mutex_);
  if (status_.polled_folders > 0 && used_.size() < kMaxUsed) used_.push_back(file);
}

// The last folder on the way to a file that exists, and the rest of the path. Null: no root.
Folder* Live::deepest_folder(const FileRef& file, std::string_view& rest) const {
  rest = file.path;
  Folder* folder = file.root < roots_.size() ? roots_[file.root]->top.get() : nullptr;
  while (folder != nullptr && !rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    Node* const entry = folder->find(name);
    if (entry == nullptr || entry->kind != NodeKind::kFolder) break;
    folder = static_cast<Folder*>(entry);
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return folder;
}

void Live::take_rechecks() {
  std::vector<FileRef> files;
  {
    const std::lock_guard lock(shown_mutex_);
    files.swap(rechecks_);
  }
  const bool in_background = is_in_background();
  for (const FileRef& file : files) {
    std::string_view rest;
    Folder* const folder = deepest_folder(file, rest);
    if (folder == nullptr) continue;
    LiveRoot& root = *roots_[file.root];
    if (folder->find(rest) != nullptr) {
      root.active = true;
      pending_[folder].names[std::string(rest)].force = true;
    } else if (in_background && file.path.empty()) {
      root.scanner->sync_parallel(*folder, {.deep = true}, root.changes);
    } else if (in_background) {
      root.scanner->sync(*folder, {}, root.changes);
    }
  }
}

// A folder that somebody asked for gets the watch of the one that was used the longest time ago.
void Live::watch_used() {
  std::vector<FileRef> files;
  {
    const std::lock_guard lock(shown_mutex_);
    files.swap(used_);
  }
  size_t exchanged = 0;
  for (const FileRef& file : files) {
    std::string_view rest;
    Folder* const folder = deepest_folder(file, rest);
    if (folder == nullptr || folder->find(rest) == nullptr) continue;
    folder->used = std::max(folder->used, ++uses_);
    LiveRoot& root = *roots_[file.root];
    const bool can_watch = folder->watch < 0 && watcher_.limit_reached() &&
                           watcher_.can_watch(folder->stamp.device, root.path);
    if (!can_watch || exchanged >= kMaxExchanged) continue;
    // Threads that scan at the same time may have set one more than the limit.
    while (watcher_.is_full()) {
      Folder* const least = watcher_.least_used();
      if (least == nullptr || least->used >= folder->used) break;
      watcher_.remove(*least);
      roots_[least->root]->changes.unwatched.push_back(least);
      ++exchanged;
    }
    root.scanner->sync(*folder, {}, root.changes);
  }
}

GenerationPtr Live::update() {
  for (auto& root : roots_) check_root(*root);
  const bool complete = watcher_.drain([this](const Watcher::Event& event) { take_event(event); });
  if (watcher_.take_hint_fired()) {
    for (auto& root : roots_) {
      watch_path(*root);
      check_root(*root);
    }
  }
  take_rechecks();
  watch_used();
  if (complete) {
    apply_pending();
  } else {
    pending_.clear();
    rescan_all();
  }
  for (auto& root : roots_) {
    if (root->top != nullptr) poll(*root);
  }
  compare_some();
  const bool in_background = is_in_background();
  const bool anywhere = std::ranges::any_of(
      roots_, [in_background](const auto& root) { return may_differ(*root, in_background); });
  for (auto& root : roots_) {
    if (root->top != nullptr) follow_links(*root, anywhere);
  }
  // What has left the trees lives until the catalog has let go of it.
  std::vector<std::unique_ptr<Node>> retired;
  for (auto& root : roots_) {
    for (auto& node : finish_round(*root)) retired.push_back(std::move(node));
  }
  say_fallback();
  GenerationPtr now = catalog_.publish();
  show();
  return now;
}

void Live::show() {
  const std::lock_guard lock(shown_mutex_);
  folders_.clear();
  for (const auto& root : roots_) folders_.push_back(root->folder);
  status_.fallback_reason = why_not_watching();
  status_.watching = status_.fallback_reason.empty();
  status_.generation = catalog_.current()->number;
  status_.watches = watcher_.count();
  status_.files = catalog_.current()->accounting.files;
  status_.rescans = rescans_;
  status_.polled_folders = 0;
  status_.in_background = is_in_background();
  status_.comparing = !coming_.empty();
  bool all_watched = watcher_.descriptor() >= 0;
  for (const auto& root : roots_) {
    status_.polled_folders += root->unwatched.size();
    all_watched = all_watched && is_watched(*root);
  }
  if (round_.empty() && touched_->complete == all_watched) return;
  touched_ = round_.append_to(*touched_, all_watched);
}

void Live::take_event(const Watcher::Event& event) {
  Folder& folder = *event.folder;
  roots_[folder.root]->active = true;
  if (folder.gone) return;
  const bool came_or_went = (event.mask & (kStructural | IN_IGNORED)) != 0;
  std::string path = event.name.empty() ? folder.path() : join_path(folder.path(), event.name);
  round_.add(folder.root, std::move(path), came_or_went);
  if ((event.mask & IN_IGNORED) != 0) {
    Pending& pending = pending_[&folder];
    pending.whole = pending.rewatch = true;
  } else if (event.name.empty()) {
    // Of the folder itself only its permissions matter: they decide about everything below.
    if ((event.mask & IN_ATTRIB) != 0) pending_[&folder].whole = true;
  } else {
    const bool structural = (event.mask & kStructural) != 0;
    const bool is_folder = (event.mask & IN_ISDIR) != 0;
    // The content of a file that is not a document does not matter.
    if (!structural && !is_folder && !is_document_name(event.name)) return;
    ScanOptions& options = pending_[&folder].names[std::string(event.name)];
    options.force = true;
    options.deep = options.deep || structural || is_folder;
    options.rewatch = options.rewatch || structural;
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
    for (const auto& [name, options] : what.names) {
      root.scanner->refresh(*folder, name, options, root.changes);
    }
  }
  pending_.clear();
}

// Notifications were lost: every folder and file is compared with its stamp, and watched anew.
void Live::rescan_all() {
  ++rescans_;
  watcher_.begin_renewal();
  for (auto& root : roots_) {
    round_.add_root(root->index);
    if (root->top == nullptr) continue;
    root->active = true;
    root->scanner->sync_parallel(*root->top, {.deep = true, .rewatch = true}, root->changes);
  }
  watcher_.end_renewal();
}

// What no notification will tell about.
void Live::poll(LiveRoot& root) {
  const bool compare = !root.unwatched.empty() && !is_in_background();
  if (root.full && (root.active || compare)) {
    // There may be room now for what was left out.
    root.full = false;
    root.scanner->sync_parallel(*root.top, {.deep = true}, root.changes);
  } else if (compare && root.unwatched.size() > kFewUnwatched && !watcher_.limit_reached()) {
    ++rescans_;
    root.scanner->sync_parallel(*root.top, {.deep = true}, root.changes);
  } else if (compare) {
    ++rescans_;
    for (Folder* folder : by_depth({root.unwatched.begin(), root.unwatched.end()})) {
      if (!folder->gone) root.scanner->sync(*folder, {}, root.changes);
    }
  }
}

// Goes on with the pass over the folders that are compared in the background, or begins the next.
void Live::compare_some() {
  {
    const std::lock_guard lock(shown_mutex_);
    if (!std::exchange(compare_more_, false)) return;
  }
  if (!is_in_background()) return coming_.clear();
  if (coming_.empty()) {
    ++rescans_;
    watcher_.retry_limit();
    for (const auto& root : roots_) {
      for (Folder* folder : root->unwatched) coming_.emplace_back(root.get(), folder);
    }
  }
  const auto end = std::chrono::steady_clock::now() + kSlice;
  do {
    const auto [root, folder] = coming_.back();
    coming_.pop_back();
    const bool is_there = root->unwatched.contains(folder) && !folder->gone;
    if (is_there) root->scanner->sync(*folder, {}, root->changes);
  } while (!coming_.empty() && std::chrono::steady_clock::now() < end);
}

// A link changes its meaning when anything on the way to its target does. Targets are inside the
// root: so it is enough to look when something has happened there, or when some of it is out of
// sight. Links that leave the root may lead into another one: they depend on what happens anywhere.
void Live::follow_links(LiveRoot& root, bool anywhere) {
  if (!anywhere) return;
  std::unordered_set<Node*> links = root.links;
  if (!may_differ(root, is_in_background()))
    std::erase_if(links, [](const Node* link) { return !leaves_root(*link); });
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

// Hands a round's changes to the catalog. Returns what has left the tree.
std::vector<std::unique_ptr<Node>> Live::finish_round(LiveRoot& root) {
  Changes changes = std::exchange(root.changes, Changes{});
  root.active = false;
  root.full = root.full || changes.full;
  for (const auto& node : changes.retired) {
    each_node(*node, [&](Node& each) { forget(root, each); });
  }
  for (Document* document : changes.added) {
    if (!document->gone) catalog_.add(*document);
  }
  catalog_.count_supporting(root.index, static_cast<int64_t>(changes.supporting));
  for (Folder* folder : changes.folders) {
    if (folder->gone) continue;
    if (folder->parent != nullptr) {
      catalog_.set_findings(root.index, folder->path(), folder->findings);
    }
    if (folder->findings) {
      root.troubled.insert(folder);
    } else {
      root.troubled.erase(folder);
    }
  }
  for (Folder* folder : changes.watched) root.unwatched.erase(folder);
  for (Folder* folder : changes.unwatched) {
    if (!folder->gone && folder->watch < 0) root.unwatched.insert(folder);
  }
  for (Node* link : changes.links) {
    if (!link->gone) root.links.insert(link);
  }
  for (const std::string& name : changes.top_names) {
    catalog_.top_name_changed(root.index, name);
  }
  if (root.full) {
    set_trouble(root, findings::kTooManyFiles,
                "The limit of files is reached; further files are not served.");
  } else if (root.trouble && root.trouble->front().code == findings::kTooManyFiles) {
    set_trouble(root, {}, "");
  }
  const FindingsPtr own = root.top == nullptr ? nullptr : root.top->findings;
  catalog_.set_findings(root.index, "", root.trouble ? root.trouble : own);
  return std::move(changes.retired);
}

// Nothing may point at the node from now on. What its flags say now is not what they said when it
// was noted down somewhere, so every place is looked at.
void Live::forget(LiveRoot& root, Node& node) {
  root.links.erase(&node);
  if (node.kind == NodeKind::kSupporting) return catalog_.count_supporting(root.index, -1);
  if (node.kind == NodeKind::kDocument) {
    return catalog_.remove(static_cast<Document&>(node));
  }
  auto& folder = static_cast<Folder&>(node);
  watcher_.remove(folder);
  root.unwatched.erase(&folder);
  if (root.troubled.erase(&folder) > 0) {
    catalog_.set_findings(root.index, folder.path(), nullptr);
  }
}

// Folders that may not be read have no watch either; they are looked at on every call, which is no
// reason to complain: only what the system or a limit refuses is.
std::string_view Live::why_not_watching() const {
  const bool all =
      std::ranges::all_of(roots_, [](const auto& root) { return root->unwatched.empty(); });
  return all && watcher_.descriptor() >= 0 ? std::string_view() : watcher_.trouble();
}

void Live::say_fallback() {
  const std::string_view why = why_not_watching();
  if (why.empty()) return;
  fallback_said_.warn("some folders are not watched and are compared with the disk instead: {}",
                      why);
}

TouchedPtr Live::touched() const {
  const std::lock_guard lock(shown_mutex_);
  return touched_;
}

ContentStatus Live::status() const {
  const std::lock_guard lock(shown_mutex_);
  return status_;
}

}  // namespace iii::content
