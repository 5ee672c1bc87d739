// What an installation will do: the folder compared with `directory.lock` and with the bundle.
// Nothing is written here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "directory/sources/installer.h"
#include "foundation/base/files_writer.h"

namespace iii::sources {

// One file that comes or goes.
struct Change {
  std::string path;                    // below the skills folder
  std::string was;                     // see state_of
  const std::string* bytes = nullptr;  // null: the file goes
  mode_t mode = FolderWriter::kUsualMode;
};

struct Plan {
  std::string name_space;
  std::optional<LockedNamespace> before;
  LockedNamespace entry;
  std::string marker;           // its content; empty: none is written
  std::vector<Change> changes;  // what goes before what comes
  std::vector<std::string> made;
  std::vector<std::string> emptied;
  InstallReport report;

  bool nothing_to_do() const { return changes.empty() && made.empty() && before == entry; }
};

// Pure: that nothing in the bundle could lead outside its namespace, and that it is what the lock
// says (`exactly`). Codes D311, D312, D332.
Result<void> check_bundle(const Bundle& bundle, const InstallOptions& options);

// A namespace belongs to the source that filled it: another one is refused (D335) unless forced.
Result<void> check_owner(const Bundle& bundle, const InstallOptions& options, const Lock& lock);

// How the lock will describe a bundle.
LockedNamespace locked_as(const Bundle& bundle, const InstallOptions& options);

// The plan points into the bundle, and into itself for the marker. Code D330 when something stands
// in the way that is never replaced: links among the folders, a file where the namespace should be.
Result<std::unique_ptr<Plan>> make_plan(const FolderWriter& root, const Bundle& bundle,
                                        const InstallOptions& options, const Lock& lock);

// Moves a file of the report to its conflicts, also in the entry of the lock: the user changed it
// while we were at work.
void report_as_kept(Plan& plan, const Bundle& bundle, const std::string& path);

// D330, with advice that fits the error of the file layer.
Error write_failed(const Error& error, std::string_view name_space, bool undone = true);

}  // namespace iii::sources
