// One state of the library: files and registrations, and where their text is read from.
#pragma once

#include <memory>
#include <utility>

#include "directory/content/content.h"
#include "directory/library/counts.h"
#include "directory/library/document_table.h"
#include "directory/library/registrations.h"

namespace iii::directory {

// Keeps readers out of a folder while files in it are being swapped; see sources::ReadGate.
class Gate {
 public:
  virtual ~Gate() = default;
  virtual bool enter() = 0;  // false: a swap is under way, try again later
  virtual bool leave() = 0;  // false: what was read since enter() may be a mixture
};

// The folders that are read. Looked at by the content thread; bodies are read by any thread.
struct Folders {
  std::unique_ptr<content::Content> content;
  std::unique_ptr<Gate> gate;  // may be null
};

// Never changes.
struct Snapshot {
  content::GenerationPtr generation;  // files and registrations
  content::GenerationPtr files;       // files alone; the same object when nothing was registered
  RegistrationsPtr registrations;
  std::shared_ptr<const Folders> folders;  // null in tests that read no bodies
  // Of these folders; null in such tests.
  content::TouchedPtr touched = {};
  // Shared with the snapshots before and after.
  std::shared_ptr<DocumentTables> tables = std::make_shared<DocumentTables>();
  std::shared_ptr<CountsCache> counts = std::make_shared<CountsCache>();
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace iii::directory
