// What an installation will do: the folder compared with `directory.lock` and with the bundle.
// Nothing is written here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/installer.h"
#include "directory/sources/journal.h"
#include "foundation/base/files_writer.h"

namespace iii::sources {

// One file that comes or goes.
struct Change {
  std::string path;  // below the skills folder
  std::string was;   // see state_of
  std::string now = std::string(kAbsent);
  const std::string* bytes = nullptr;  // null: the file goes
  mode_t mode = FolderWriter::kUsualMode;
};

struct Plan {
  std::string name_space;
  std::optional<LockedNamespace> before;
  std::optional<LockedNamespace> after;  // nothing: the namespace is removed
  std::string marker;                    // its content; empty: none is written
  std::vector<Change> changes;           // what goes before what comes
  std::vector<std::string> made;
  std::vector<std::string> emptied;
  InstallReport report;

  bool nothing_to_do() const { return changes.empty() && made.empty() && before == after; }
  void change(Lock& lock) const;
  // A path below the skills folder as one below the namespace, when it is in it.
  std::optional<std::string> inside(std::string_view path) const;
};

// That nothing in the bundle could lead outside its namespace, and that it is what the lock says
// (`exactly`). Codes D311, D312, D332.
Result<void> check_bundle(const Package& package);

// How the lock will describe a bundle.
LockedNamespace locked_as(const Bundle& bundle, const InstallOptions& options);

// The plan points into the bundle, and into itself for the marker. Codes: D310 a namespace to
// remove is not in the lock; D330 something stands in the way that is never replaced: links among
// the folders, a file where the namespace should be; D332 a file that `exactly` names was edited;
// D335 the namespace belongs to another source.
Result<std::unique_ptr<Plan>> make_plan(const FolderWriter& root, const Package& package,
                                        const Lock& lock);

// Moves a file of the report to its conflicts, also in the entry of the lock: the user changed it
// during the swap.
void report_as_kept(Plan& plan, const Bundle& bundle, const std::string& path);

// D330, with advice that fits the error of the file layer.
Error write_failed(const Error& error, std::string_view name_space, bool undone = true);

}  // namespace iii::sources
