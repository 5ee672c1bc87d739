// Makes one snapshot after the other: looks at the folders, merges what workers registered, and
// finds the differences. Everything that takes time is here, on the content thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "directory/library/change_hub.h"
#include "directory/library/download_marks.h"
#include "directory/library/merger.h"
#include "directory/library/snapshot.h"
#include "foundation/base/log.h"

namespace iii::directory {

// Other folders than before.
struct Replacement {
  content::ContentOptions content;
  std::unique_ptr<Gate> gate;
};

struct NewRegistrations {
  RegistrationsPtr registrations;
  bool first = false;  // it was so before this process started: not a change
};

struct Publication {
  SnapshotPtr snapshot;
  ChangeSet changes;
  bool silent = false;  // observers are not called
};

// Used by one thread at a time.
class Publisher {
 public:
  Publisher(Folders folders, DownloadMarks& marks);

  struct Work {
    std::optional<Replacement> replacement;
    std::vector<NewRegistrations> registrations;
  };
  struct Outcome {
    std::vector<Publication> publications;  // oldest first
    bool folders_read =
        false;  // false: files are being swapped, so that the folders were not looked at
  };
  Outcome run(Work work);

  const SnapshotPtr& current() const { return current_; }

 private:
  void replace(Replacement with);
  content::GenerationPtr read_folders();
  bool enter_gate();
  void publish(const content::GenerationPtr& files, RegistrationsPtr registrations, bool silent,
               std::vector<Publication>& out);

  DownloadMarks& marks_;
  std::shared_ptr<const Folders> folders_;
  SnapshotPtr current_;
  uint64_t registration_versions_ = 0;  // added to the numbers of the files' generations
  GenerationMerger merger_;
  std::optional<std::chrono::steady_clock::time_point> refused_since_;
  LogOnce gate_log_;
};

}  // namespace iii::directory
