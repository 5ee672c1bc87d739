// What a caller may see of a generation: everything, or only the documents of installed workers
// (R50–R53).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/snapshot.h"

namespace iii::directory {

using NameSet = std::set<std::string, std::less<>>;
using NamesPtr = std::shared_ptr<const NameSet>;

class View {
 public:
  enum class Show { kEverything, kFilesOnly };
  // `installed` null: no filter.
  View(SnapshotPtr snapshot, NamesPtr installed, Show show = Show::kEverything)
      : snapshot_(std::move(snapshot)),
        generation_(show == Show::kEverything ? snapshot_->generation : snapshot_->files),
        installed_(std::move(installed)),
        has_registered_(!generation_->roots.empty() &&
                        generation_->roots.back().kind == content::RootKind::kRegistered) {}
  // Without bodies to read.
  View(const content::GenerationPtr& generation, NamesPtr installed)
      : View(std::make_shared<const Snapshot>(generation, generation), std::move(installed)) {}

  const content::Generation& generation() const { return *generation_; }
  const content::GenerationPtr& shared_generation() const { return generation_; }
  const Snapshot& snapshot() const { return *snapshot_; }
  const SnapshotPtr& shared_snapshot() const { return snapshot_; }
  const NamesPtr& installed() const { return installed_; }

  // R52: root-level documents, `directory`, `iii`, and namespaces of installed
  // workers (also of one whose name breaks the rule for ids, so that its folder was renamed).
  // What was registered is always shown.
  bool shows(std::string_view id) const;
  // By exact on-disk id; null when absent or hidden.
  const content::Skill* find(std::string_view id) const;
  std::string display(std::string_view id) const { return content::display_id(*generation_, id); }
  // The title to show: the document's own, else its display id (R29).
  std::string title(const content::Skill& skill) const;
  // Whether any visible document is `name` or stands below `name/`; and how many stand there.
  size_t documents_of(std::string_view name) const;

  // Every document, also what is not shown or not served. Making it takes time: see
  // Library::answer.
  DocumentTablePtr table() const { return snapshot_->tables->of(generation_); }
  // The state of a row of the table.
  DocumentState state(const DocumentRow& row) const;
  // How many documents there are: of each root, in the order of the generation's; of all roots; of
  // those that are on disk. Takes some milliseconds for tens of thousands, once per generation.
  std::vector<Counts> counts() const { return snapshot_->counts->of(*this); }
  Counts total() const;
  Counts total_on_disk() const;

  // The same without the filter.
  View unfiltered() const;

  // The registration that a row stands for; null when it is a file.
  const RegisteredDocument* registration(const content::FileRef& file) const;

  // For the last attempt to read a document that changes all the time (see Library::answer_from).
  void accept_any_version() { any_version_ = true; }
  bool accepts_any_version() const { return any_version_; }

 private:
  bool is_installed(std::string_view name) const;
  bool is_registered(std::string_view id) const;

  SnapshotPtr snapshot_;
  content::GenerationPtr generation_;
  NamesPtr installed_;
  bool has_registered_;
  bool any_version_ = false;
  mutable std::optional<NameSet> renamed_;  // normalised forms of names that are not valid ids
};

}  // namespace iii::directory
