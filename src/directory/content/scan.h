// Brings a root's tree in line with the disk: whole, a folder, or one entry.
//
// Every look follows one order: watch first, then stat, then list, then read. Whatever changes
// after a step was taken is reported by the watch that was there before it, so nothing falls
// between two looks.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "directory/content/content.h"
#include "directory/content/document.h"
#include "directory/content/tree.h"
#include "directory/content/watch.h"
#include "foundation/base/files.h"

namespace iii::content {

// What a scan did. Retired nodes stay alive here until the round is over.
struct Changes {
  std::vector<Document*> added;
  std::vector<std::unique_ptr<Node>> retired;
  std::vector<Folder*> folders;        // whose findings are new
  std::vector<std::string> top_names;  // folders of the root that came or went (R17)
  std::vector<Node*> links;            // new ones
  std::vector<Folder*> watched;        // have got a watch
  std::vector<Folder*> unwatched;
  uint64_t supporting = 0;  // new ones
  bool full = false;        // max_files reached

  void absorb(Changes&& other);
};

// Removes a node from its tree: marks it and everything below as gone, and keeps it until the round
// ends. `nodes` counts those that are left.
void retire(std::unique_ptr<Node> node, Changes& changes, std::atomic<size_t>& nodes);

// How thoroughly to scan.
struct ScanOptions {
  bool deep = false;     // at folders below, even those that have their own watch
  bool rewatch = false;  // what stands here may be another directory than before
  bool force = false;    // read again even when the stamp is equal
};

// Where a path leads that leaves its root: a place in a root, as a finding shows it; empty when
// that is outside all of them. Called from several threads.
using FindElsewhere = std::function<std::string(const std::string& path)>;

class ScanTasks;

class Scanner {
 public:
  // `path` is the root's own; `nodes` counts the entries of all roots.
  Scanner(uint16_t root, const RootFolder& folder, std::string path, FindElsewhere find_elsewhere,
          const ContentOptions& options, Watcher& watcher, std::atomic<size_t>& nodes)
      : root_(root),
        folder_(folder),
        path_(std::move(path)),
        find_elsewhere_(std::move(find_elsewhere)),
        options_(options),
        watcher_(watcher),
        nodes_(nodes) {}

  // The folder and, with `deep`, everything below it, on several threads.
  void sync_parallel(Folder& folder, ScanOptions options, Changes& changes);
  void sync(Folder& folder, ScanOptions options, Changes& changes) {
    visit(folder, options, changes, nullptr);
  }
  // One entry, by name. `options.deep`: also what is below it.
  void refresh(Folder& folder, const std::string& name, ScanOptions options, Changes& changes);

 private:
  void work_off(ScanTasks& tasks, Changes& changes);
  void visit(Folder& folder, ScanOptions options, Changes& changes, ScanTasks* queue);
  bool inspect(Folder& folder, const std::string& path, ScanOptions& options, Changes& changes);
  bool list(Folder& folder, const std::string& path, ScanOptions options, Changes& changes);
  void settle_links(Folder& folder, const std::string& path, Changes& changes);
  void scan_entries(Folder& folder, const std::string& path, size_t first, size_t last,
                    ScanOptions options, Changes& changes, ScanTasks* queue);
  void scan_entry(std::unique_ptr<Node>& slot, const std::string& path, ScanOptions options,
                  Changes& changes, ScanTasks* queue);
  void scan_document(std::unique_ptr<Node>& slot, const std::string& path, bool force,
                     Changes& changes);
  void read(Document& document, const std::string& path, Changes& changes);
  // Null: the limit of files is reached.
  std::unique_ptr<Node> match_entry(Folder& folder, const std::string& path,
                                    std::unique_ptr<Node> old, DirectoryEntry entry,
                                    Changes& changes);
  std::unique_ptr<Node> settle_refusal(Folder& folder, const std::string& path,
                                       std::unique_ptr<Node> old, const DirectoryEntry& entry,
                                       Refusal why, Changes& changes);
  template <typename Kind>
  std::unique_ptr<Node> create(Folder& folder, const DirectoryEntry& entry, Changes& changes);
  void set_state(Folder& folder, const std::string& path, FolderState state, Changes& changes);
  void close(Folder& folder, Changes& changes);
  void drop(std::unique_ptr<Node> node, Changes& changes) {
    retire(std::move(node), changes, nodes_);
  }
  void forget_if_replaced(Node& node, const std::string& path) const;
  bool watch(Folder& folder, const std::string& path, ScanOptions options, Changes& changes);
  Result<FileStatus> status_of(const Folder& folder, const std::string& path) const;

  const uint16_t root_;
  const RootFolder& folder_;
  const std::string path_;
  const FindElsewhere find_elsewhere_;
  const ContentOptions& options_;
  Watcher& watcher_;
  std::atomic<size_t>& nodes_;
};

}  // namespace iii::content
