// Content over real folders: roots, their trees, the watches, and one generation after the other.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "directory/content/catalog.h"
#include "directory/content/content.h"
#include "directory/content/scan.h"
#include "directory/content/tree.h"
#include "directory/content/watch.h"
#include "foundation/base/log.h"

namespace iii::content {

// A root and what is known about it. All of `links`, `unwatched` and `troubled` point into the
// tree.
struct LiveRoot {
  uint16_t index = 0;
  RootConfig config;
  std::string path;  // absolute
  std::string real;  // the same without links; empty: missing
  std::string label;
  std::shared_ptr<const RootFolder> folder;
  FileStamp identity;  // of the open folder
  std::optional<Scanner> scanner;
  std::unique_ptr<Folder> top;  // null: missing
  std::unordered_set<Node*> links;
  std::unordered_set<Folder*> unwatched;  // compared on every call, or in the background
  std::unordered_set<Folder*> troubled;   // with findings: something below is out of sight
  bool full = false;                      // the limit of files was reached
  FindingsPtr trouble;                    // with the root as a whole
  bool active = false;                    // something has happened in this round
  Changes changes;                        // of this round
  // Wake us when a part of the path is moved or replaced, or when the missing root may have
  // appeared.
  std::vector<int> hints;
  const LiveRoot* twin = nullptr;  // an earlier root that is the same folder: this one stays empty
};

class Live final : public Content {
 public:
  explicit Live(ContentOptions options);

  GenerationPtr fresh() override;
  GenerationPtr unchanged() override;
  void recheck(const FileRef& file) override;
  void compare_more() override;
  void note_use(const FileRef& file) override;
  Result<FileBytes> read(const Generation& generation, const FileRef& file) override;
  Result<void> write(const Generation& generation, const FileRef& file,
                     std::string_view bytes) override;
  std::shared_ptr<const RootFolder> folder_of(const FileRef& file) const override;
  ContentStatus status() const override;
  TouchedPtr touched() const override;
  bool lenient() const override { return options_.lenient; }
  int notify_fd() const override { return watcher_.descriptor(); }

 private:
  // What notifications say about one folder.
  struct Pending {
    bool whole = false;
    bool rewatch = false;
    std::map<std::string, ScanOptions, std::less<>> names;
  };

  GenerationPtr update();

  void add_builtin();

  static bool is_same(const LiveRoot& root, const Result<FileStatus>& status);
  static bool is_watched(const LiveRoot& root);
  bool is_in_background() const;
  void check_root(LiveRoot& root);
  void look_at_root(LiveRoot& root);
  void open_root(LiveRoot& root);
  static void set_trouble(LiveRoot& root, const findings::Code& code, std::string message);
  void drop_root(LiveRoot& root);
  void watch_path(LiveRoot& root);
  const LiveRoot* find_twin(const LiveRoot& root, const FileStamp& identity) const;

  void take_event(const Watcher::Event& event);
  void take_rechecks();
  void apply_pending();
  void rescan_all();
  void poll(LiveRoot& root);
  void compare_some();
  void watch_used();
  Folder* deepest_folder(const FileRef& file, std::string_view& rest) const;
  void follow_links(LiveRoot& root, bool anywhere);
  std::string find_elsewhere(const std::string& path) const;
  std::vector<std::unique_ptr<Node>> finish_round(LiveRoot& root);
  void forget(LiveRoot& root, Node& node);
  std::string_view why_not_watching() const;
  void say_fallback();
  void show();

  const ContentOptions options_;
  std::mutex mutex_;  // over everything below
  Watcher watcher_;
  std::atomic<size_t> nodes_ = 0;
  std::vector<std::unique_ptr<LiveRoot>> roots_;
  std::vector<std::unique_ptr<Document>> builtin_;
  Catalog catalog_;
  std::unordered_map<Folder*, Pending> pending_;
  TouchedRound round_;
  uint64_t rescans_ = 0;
  uint64_t uses_ = 0;
  // Folders that the present pass in the background has still to compare. They may be gone.
  std::vector<std::pair<LiveRoot*, Folder*>> coming_;
  LogOnce fallback_said_;
  bool started_ = false;  // before that, whoever opens this says which folders there are

  // What others may ask for while the disk is looked at. Held for moments only.
  mutable std::mutex shown_mutex_;
  std::vector<std::shared_ptr<const RootFolder>> folders_;  // by root; null: missing
  ContentStatus status_;
  TouchedPtr touched_ = nothing_touched();
  std::vector<FileRef> rechecks_;
  std::vector<FileRef> used_;  // since the last fresh(); at most kMaxUsed
  bool compare_more_ = false;
};

}  // namespace iii::content
