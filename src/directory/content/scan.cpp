#include "directory/content/scan.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "directory/content/findings.h"
#include "directory/content/ids.h"
#include "directory/content/progress.h"
#include "directory/content/scan_tasks.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

// A folder with more entries than this is shared out among the threads.
constexpr size_t kBatch = 64;
constexpr size_t kMaxThreads = 64;

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

bool is_own_ancestor(const Folder& folder) {
  for (const Folder* above = folder.parent; above != nullptr; above = above->parent) {
    if (is_same_folder(above->stamp, folder.stamp)) return true;
  }
  return false;
}

// Where downloads prepare what they are about to swap in. No content, and neither walked nor
// watched: else every download would wake us for files that nobody is to see yet.
bool is_staging_folder(const Folder& folder, std::string_view name) {
  return folder.parent == nullptr && name == ".iii-directory";
}

Refusal refusal_of(const Error& error) {
  if (error.code == "outside") return Refusal::kOutside;
  if (error.code == "missing") return Refusal::kDangling;
  return Refusal::kUnreadable;
}

// A file that is not a document, but may have been meant to be one.
bool is_misnamed(EntryKind kind, std::string_view name) {
  return kind == EntryKind::kFile && !is_document_name(name) &&
         overview_name(name) == OverviewName::kNear;
}

}  // namespace

void retire(std::unique_ptr<Node> node, Changes& changes, std::atomic<size_t>& nodes) {
  size_t count = 0;
  each_node(*node, [&count](Node& each) {
    each.gone = true;
    ++count;
  });
  nodes.fetch_sub(count, std::memory_order_relaxed);
  if (node->kind == NodeKind::kFolder && node->parent != nullptr &&
      node->parent->parent == nullptr) {
    changes.top_names.push_back(node->name);
  }
  changes.retired.push_back(std::move(node));
}

void Changes::absorb(Changes&& other) {
  append(added, other.added);
  append(retired, other.retired);
  append(folders, other.folders);
  append(top_names, other.top_names);
  append(links, other.links);
  append(watched, other.watched);
  append(unwatched, other.unwatched);
  supporting += other.supporting;
  full = full || other.full;
}

void Scanner::visit(Folder& folder, ScanOptions options, Changes& changes, ScanTasks* tasks) {
  const std::string path = folder.path();
  if (!inspect(folder, path, options, changes)) return;
  if (tasks == nullptr || folder.entries.size() <= kBatch) {
    scan_entries(folder, path, 0, folder.entries.size(), options, changes, tasks);
    return;
  }
  for (size_t first = 0; first < folder.entries.size(); first += kBatch) {
    const size_t last = std::min(first + kBatch, folder.entries.size());
    tasks->push({.folder = &folder, .options = options, .first = first, .last = last});
  }
}

// True when a watch was set.
bool Scanner::watch(Folder& folder, const std::string& path, ScanOptions options,
                    Changes& changes) {
  if (folder.watch >= 0 && !options.rewatch) return false;
  const std::string whole = path.empty() ? path_ : path_ + "/" + path;
  // Where nothing can be watched, nothing below is tried again and again.
  const Folder* known = folder.stamp.inode != 0 ? &folder : folder.parent;
  const bool hopeless = known != nullptr && known->stamp.inode != 0 &&
                        !watcher_.can_watch(known->stamp.device, whole);
  if (!hopeless && watcher_.add(folder, whole)) {
    changes.watched.push_back(&folder);
    return true;
  }
  if (hopeless) watcher_.remove(folder);
  // Also when it is merely missing or not ours to read: the folder above may have no watch either.
  changes.unwatched.push_back(&folder);
  return false;
}

Result<FileStatus> Scanner::status_of(const Folder& folder, const std::string& path) const {
  Result<FileStatus> status =
      folder.below_link || path.empty() ? folder_.status(path) : folder_.peek(path);
  if (status && status->kind != EntryKind::kDirectory) {
    return fail("missing", "the folder no longer exists");
  }
  return status;
}

// Watches, stats and (if need be) lists a folder. False: there is nothing in it to look at.
bool Scanner::inspect(Folder& folder, const std::string& path, ScanOptions& options,
                      Changes& changes) {
  bool set = watch(folder, path, options, changes);
  int64_t now = options_.clock();
  Result<FileStatus> status = status_of(folder, path);
  const FileStamp before = folder.stamp;
  const bool another = status && before.inode != 0 && !is_same_folder(status->stamp, before);
  if (another && !options.rewatch) {
    // Another directory stands here now: the old watch is useless, and nothing below can be the
    // same.
    options.deep = options.rewatch = true;
    set = watch(folder, path, options, changes);
    now = options_.clock();
    status = status_of(folder, path);
  }
  if (!status) {
    // Anything but a refusal means that it just went away: the folder above will be told.
    close(folder, changes);
    const bool denied = status.error().code == "denied";
    set_state(folder, path, denied ? FolderState::kUnreadable : FolderState::kOpen, changes);
    return false;
  }
  folder.stamp = status->stamp;
  if (set && !watcher_.can_watch(folder.stamp.device, path.empty() ? path_ : path_ + "/" + path)) {
    watcher_.remove(folder);
    changes.unwatched.push_back(&folder);
  }
  if (folder.depth > options_.max_depth || (folder.below_link && is_own_ancestor(folder))) {
    close(folder, changes);
    set_state(folder, path,
              folder.depth > options_.max_depth ? FolderState::kTooDeep : FolderState::kCycle,
              changes);
    return false;
  }
  if (folder.trusted && folder.stamp == before && folder.state == FolderState::kOpen) {
    settle_links(folder, path, changes);
    return true;
  }
  folder.trusted = folder.stamp.settled(now);
  return list(folder, path, options, changes);
}

bool Scanner::list(Folder& folder, const std::string& path, ScanOptions options, Changes& changes) {
  Result<std::vector<DirectoryEntry>> listed = folder_.list_unresolved(path);
  if (!listed) {
    close(folder, changes);
    set_state(folder, path,
              listed.error().code == "missing" ? FolderState::kOpen : FolderState::kUnreadable,
              changes);
    return false;
  }
  set_state(folder, path, FolderState::kOpen, changes);
  std::ranges::sort(*listed, {}, &DirectoryEntry::name);
  std::vector<std::unique_ptr<Node>> entries;
  entries.reserve(listed->size());
  auto old = folder.entries.begin();
  for (const DirectoryEntry& entry : *listed) {
    if (is_staging_folder(folder, entry.name)) continue;
    for (; old != folder.entries.end() && (*old)->name < entry.name; ++old) {
      drop(std::move(*old), changes);
    }
    std::unique_ptr<Node> same;
    if (old != folder.entries.end() && (*old)->name == entry.name) same = std::move(*old++);
    const std::string entry_path = join_path(path, entry.name);
    const bool kept = same != nullptr;
    std::unique_ptr<Node> node = match_entry(folder, entry_path, std::move(same), entry, changes);
    if (node == nullptr) {
      folder.trusted = false;  // not all entries are here
      continue;
    }
    if (kept && !options.deep) forget_if_replaced(*node, entry_path);
    entries.push_back(std::move(node));
  }
  for (; old != folder.entries.end(); ++old) drop(std::move(*old), changes);
  folder.entries = std::move(entries);
  return true;
}

// The names are known to be the same; where links lead is not.
void Scanner::settle_links(Folder& folder, const std::string& path, Changes& changes) {
  for (auto& slot : folder.entries) {
    if (!slot->is_link) continue;
    const DirectoryEntry entry{.name = slot->name, .kind = EntryKind::kDangling, .is_link = true};
    slot = match_entry(folder, join_path(path, entry.name), std::move(slot), entry, changes);
    if (slot == nullptr) folder.trusted = false;
  }
  std::erase(folder.entries, nullptr);
}

std::atomic<uint64_t>& entries_looked_at() {
  static std::atomic<uint64_t> count = 0;
  return count;
}

void Scanner::scan_entries(Folder& folder, const std::string& path, size_t first, size_t last,
                           ScanOptions options, Changes& changes, ScanTasks* tasks) {
  entries_looked_at().fetch_add(last - first, std::memory_order_relaxed);
  for (size_t i = first; i < last; ++i) {
    std::unique_ptr<Node>& slot = folder.entries[i];
    if (slot->kind == NodeKind::kSupporting) continue;
    scan_entry(slot, join_path(path, slot->name), options, changes, tasks);
  }
}

void Scanner::scan_entry(std::unique_ptr<Node>& slot, const std::string& path, ScanOptions options,
                         Changes& changes, ScanTasks* tasks) {
  if (slot->kind == NodeKind::kDocument) {
    return scan_document(slot, path, options.force, changes);
  }
  auto& child = static_cast<Folder&>(*slot);
  // A folder that has never been looked at, or may be another one than before, has no inode.
  const bool anew = child.stamp.inode == 0;
  if (!options.deep && !anew) return;
  const ScanOptions below{.deep = true, .rewatch = options.rewatch || anew};
  if (tasks != nullptr) {
    tasks->push({.folder = &child, .options = below});
  } else {
    visit(child, below, changes, nullptr);
  }
}

void Scanner::scan_document(std::unique_ptr<Node>& slot, const std::string& path, bool force,
                            Changes& changes) {
  auto& document = static_cast<Document&>(*slot);
  if (document.refusal != Refusal::kNone) return;
  if (document.unread) return read(document, path, changes);
  if (!force && document.trusted) {
    const Result<FileStatus> status =
        document.is_link || document.parent->below_link ? folder_.status(path) : folder_.peek(path);
    if (status && status->stamp == document.stamp && !status->is_link) return;
  }
  auto fresh = std::make_unique<Document>(document.name, document.parent);
  fresh->is_link = document.is_link;
  Changes mine;
  read(*fresh, path, mine);
  if (same_outcome(document, *fresh)) {
    document.stamp = fresh->stamp;
    document.trusted = fresh->trusted;
    return;
  }
  if (fresh->is_link) changes.links.push_back(fresh.get());
  changes.absorb(std::move(mine));
  std::unique_ptr<Node> old = std::exchange(slot, std::move(fresh));
  nodes_.fetch_add(1, std::memory_order_relaxed);
  drop(std::move(old), changes);
}

void Scanner::read(Document& document, const std::string& path, Changes& changes) {
  document.root = root_;
  document.unread = false;
  const int64_t now = options_.clock();
  read_document(document, folder_, path, options_, now);
  changes.added.push_back(&document);
}

template <typename Kind>
std::unique_ptr<Node> Scanner::create(Folder& folder, const DirectoryEntry& entry,
                                      Changes& changes) {
  if (nodes_.fetch_add(1, std::memory_order_relaxed) >= options_.max_files) {
    nodes_.fetch_sub(1, std::memory_order_relaxed);
    changes.full = true;
    return nullptr;
  }
  std::unique_ptr<Node> node;
  if constexpr (std::is_same_v<Kind, Node>) {
    node = std::make_unique<Node>(NodeKind::kSupporting, entry.name, &folder);
    ++changes.supporting;
  } else {
    node = std::make_unique<Kind>(entry.name, &folder);
    static_cast<Kind&>(*node).root = root_;
  }
  if constexpr (std::is_same_v<Kind, Folder>) {
    auto& child = static_cast<Folder&>(*node);
    child.depth = static_cast<uint16_t>(folder.depth + 1);
    child.below_link = folder.below_link || entry.is_link;
    if (folder.parent == nullptr) changes.top_names.push_back(entry.name);
  }
  node->is_link = entry.is_link;
  if (entry.is_link) changes.links.push_back(node.get());
  return node;
}

// Keeps the old node when it still fits what is there, else retires it and makes a new one. What a
// link leads to is looked up.
std::unique_ptr<Node> Scanner::match_entry(Folder& folder, const std::string& path,
                                           std::unique_ptr<Node> old, DirectoryEntry entry,
                                           Changes& changes) {
  std::optional<FileStamp> target;  // of a link
  if (entry.is_link) {
    const Result<FileStatus> status = folder_.status(path);
    if (!status) {
      entry.kind = EntryKind::kDangling;
      return settle_refusal(folder, path, std::move(old), entry, refusal_of(status.error()),
                            changes);
    }
    entry.kind = status->kind;
    target = status->stamp;
  }
  if (entry.kind != EntryKind::kDirectory && entry.kind != EntryKind::kFile) {
    return settle_refusal(folder, path, std::move(old), entry, Refusal::kNotRegular, changes);
  }
  if (is_misnamed(entry.kind, entry.name)) {
    return settle_refusal(folder, path, std::move(old), entry, Refusal::kMisnamed, changes);
  }
  const NodeKind kind = entry.kind == EntryKind::kDirectory ? NodeKind::kFolder
                        : is_document_name(entry.name)      ? NodeKind::kDocument
                                                            : NodeKind::kSupporting;
  if (old != nullptr) {
    const bool refused =
        old->kind == NodeKind::kDocument && static_cast<Document&>(*old).refusal != Refusal::kNone;
    if (old->kind == kind && old->is_link == entry.is_link && !refused) {
      if (kind == NodeKind::kFolder) {
        auto& child = static_cast<Folder&>(*old);
        const bool replaced = target && !is_same_folder(*target, child.stamp);
        if (child.state != FolderState::kOpen || replaced) child.stamp = {};
      }
      return old;
    }
    drop(std::move(old), changes);
  }
  if (kind == NodeKind::kFolder) return create<Folder>(folder, entry, changes);
  if (kind == NodeKind::kDocument) return create<Document>(folder, entry, changes);
  return create<Node>(folder, entry, changes);
}

std::unique_ptr<Node> Scanner::settle_refusal(Folder& folder, const std::string& path,
                                              std::unique_ptr<Node> old,
                                              const DirectoryEntry& entry, Refusal why,
                                              Changes& changes) {
  std::string elsewhere;
  if (why == Refusal::kOutside) {
    elsewhere = find_elsewhere_(join_path(path_, path));
    if (!elsewhere.empty()) why = Refusal::kOtherRoot;
  }
  if (old != nullptr) {
    if (old->kind == NodeKind::kDocument && old->is_link == entry.is_link) {
      auto& before = static_cast<Document&>(*old);
      Document now(old->name, &folder);
      now.root = root_;
      refuse_document(now, path, why, elsewhere);
      if (before.refusal == why && before.own &&
          before.own->front().message == now.own->front().message) {
        return old;
      }
    }
    drop(std::move(old), changes);
  }
  std::unique_ptr<Node> node = create<Document>(folder, entry, changes);
  if (node == nullptr) return node;
  auto& document = static_cast<Document&>(*node);
  document.unread = false;
  refuse_document(document, path, why, elsewhere);
  changes.added.push_back(&document);
  return node;
}

// A kept folder that is another directory now will be looked at as if it were new.
void Scanner::forget_if_replaced(Node& node, const std::string& path) const {
  if (node.kind != NodeKind::kFolder || node.is_link) return;
  auto& child = static_cast<Folder&>(node);
  const Result<FileStatus> status = status_of(child, path);
  if (!status || !is_same_folder(status->stamp, child.stamp)) child.stamp = {};
}

void Scanner::close(Folder& folder, Changes& changes) {
  folder.trusted = false;
  for (auto& entry : folder.entries) drop(std::move(entry), changes);
  folder.entries.clear();
}

void Scanner::set_state(Folder& folder, const std::string& path, FolderState state,
                        Changes& changes) {
  if (folder.state == state) return;
  folder.state = state;
  folder.findings = nullptr;
  changes.folders.push_back(&folder);
  if (state == FolderState::kOpen) return;
  findings::Code code = findings::kUnreadable;
  std::string_view message = "The folder cannot be read, so nothing in it is served.";
  if (state == FolderState::kCycle) {
    code = findings::kLinkCycle;
    message = "The link leads back into a folder above it; the content is served there, once.";
  } else if (state == FolderState::kTooDeep) {
    code = findings::kTooDeep;
    message = "Folders are nested too deeply here, so nothing below is served.";
  }
  folder.findings = one_finding(root_, path, code, std::string(message));
}

void Scanner::refresh(Folder& folder, const std::string& name, ScanOptions options,
                      Changes& changes) {
  if (folder.gone || folder.state != FolderState::kOpen) return;
  if (is_staging_folder(folder, name)) return;
  const std::string path = join_path(folder.path(), name);
  const Result<FileStatus> status = folder_.peek(path);
  auto at = folder.position(name);
  const bool known = at != folder.entries.end() && (*at)->name == name;
  if (!status) {
    if (status.error().code != "missing") {
      // The folder itself may not be searched any more: a matter for all of its entries.
      folder.trusted = false;
      return sync(folder, {.deep = true}, changes);
    }
    if (!known) return;
    folder.trusted = false;
    drop(std::move(*at), changes);
    folder.entries.erase(at);
    return;
  }
  const DirectoryEntry entry{.name = name, .kind = status->kind, .is_link = status->is_link};
  std::unique_ptr<Node> node =
      match_entry(folder, path, known ? std::move(*at) : nullptr, entry, changes);
  if (node == nullptr) {
    folder.trusted = false;
    if (known) folder.entries.erase(at);
    return;
  }
  if (known) {
    *at = std::move(node);
  } else {
    folder.trusted = false;  // its stamp is older than its entries now
    at = folder.entries.insert(at, std::move(node));
  }
  if ((*at)->kind != NodeKind::kSupporting) scan_entry(*at, path, options, changes, nullptr);
}

void Scanner::work_off(ScanTasks& tasks, Changes& changes) {
  while (const std::optional<ScanTask> task = tasks.take()) {
    if (task->last > 0) {
      scan_entries(*task->folder, task->folder->path(), task->first, task->last, task->options,
                   changes, &tasks);
    } else {
      visit(*task->folder, task->options, changes, &tasks);
    }
    tasks.done();
  }
}

void Scanner::sync_parallel(Folder& folder, ScanOptions options, Changes& changes) {
  ScanTasks tasks;
  tasks.push({.folder = &folder, .options = options});
  std::vector<Changes> theirs(std::clamp<size_t>(options_.scan_threads, 1, kMaxThreads) - 1);
  {
    std::vector<std::jthread> threads;
    threads.reserve(theirs.size());
    for (Changes& mine : theirs) {
      try {
        threads.emplace_back([this, &tasks, &mine] { work_off(tasks, mine); });
      } catch (const std::system_error&) {
        break;  // the system gives no more: those that are there do it
      }
    }
    work_off(tasks, changes);
  }
  for (Changes& mine : theirs) changes.absorb(std::move(mine));
}

}  // namespace iii::content
