#include "directory/library/publisher.h"

#include <thread>
#include <utility>

namespace iii::directory {

namespace {

// A swap takes milliseconds. Whoever holds the gate for longer is stopped or broken, and must not
// keep everybody else from reading.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kPause{1};

void add_touched(const Snapshot& before, const Snapshot& after, ChangeSet& out) {
  const auto files =
      before.folders == after.folders ? after.touched->after(before.touched->count) : std::nullopt;
  out.all_touched = !files;
  if (files) out.touched.assign(files->begin(), files->end());
}

}  // namespace

Publisher::Publisher(Folders folders, DownloadMarks& marks)
    : marks_(marks), folders_(std::make_shared<const Folders>(std::move(folders))) {
  content::GenerationPtr files = read_folders();
  // Only before the first generation: there is nothing else to answer with.
  for (; files == nullptr; files = read_folders()) std::this_thread::sleep_for(kPause);
  current_ = std::make_shared<const Snapshot>(files, files, std::make_shared<const Registrations>(),
                                              folders_, folders_->content->touched());
}

Publisher::Outcome Publisher::run(Work work) {
  Outcome out;
  if (work.replacement) replace(std::move(*work.replacement));
  if (const content::GenerationPtr files = read_folders()) {
    out.folders_read = true;
    publish(files, current_->registrations, false, out.publications);
  }
  for (NewRegistrations& step : work.registrations) {
    // Equal ones are not a change; most of the time both are empty.
    if (*step.registrations == *current_->registrations) continue;
    ++registration_versions_;
    publish(current_->files, std::move(step.registrations), step.first, out.publications);
  }
  return out;
}

void Publisher::replace(Replacement with) {
  with.content.generations_before = current_->files->number;
  Folders next{.content = content::Content::open(std::move(with.content)),
               .gate = std::move(with.gate)};
  folders_ = std::make_shared<const Folders>(std::move(next));
  refused_since_.reset();
}

bool Publisher::enter_gate() {
  if (folders_->gate->enter()) {
    refused_since_.reset();
    return true;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!refused_since_) refused_since_ = now;
  if (now - *refused_since_ < kPatience) return false;
  gate_log_.warn(
      "another process has locked the skills folder for more than {} s; reading it anyway",
      kPatience.count());
  return true;
}

// Null: a swap is under way.
content::GenerationPtr Publisher::read_folders() {
  Gate* const gate = folders_->gate.get();
  if (gate != nullptr && !enter_gate()) return nullptr;
  content::GenerationPtr now = folders_->content->fresh();
  // False: the first download into this folder began meanwhile. The next look waits for its end.
  if (gate != nullptr && !gate->leave()) return nullptr;
  return now;
}

void Publisher::publish(const content::GenerationPtr& files, RegistrationsPtr registrations,
                        bool silent, std::vector<Publication>& out) {
  const bool same_documents = files == current_->files &&
                              registrations == current_->registrations &&
                              folders_ == current_->folders;
  content::TouchedPtr touched = folders_->content->touched();
  if (same_documents && touched == current_->touched) return;
  Snapshot next{.generation = files,
                .files = files,
                .registrations = std::move(registrations),
                .folders = folders_,
                .touched = std::move(touched),
                .tables = current_->tables,
                .counts = current_->counts};
  if (same_documents) {
    next.generation = current_->generation;
  } else if (registration_versions_ > 0) {
    next.generation =
        merger_.merge(*files, *next.registrations, files->number + registration_versions_,
                      folders_->content->lenient());
  }
  Publication made{.snapshot = std::make_shared<const Snapshot>(std::move(next)),
                   .changes = {.before = current_->generation},
                   .silent = silent};
  made.changes.after = made.snapshot->generation;
  add_touched(*current_, *made.snapshot, made.changes);
  std::vector<Change> changes;
  if (!same_documents) changes = differences(*made.changes.before, *made.changes.after);
  marks_.claim(changes);
  made.changes.changes = std::make_shared<const std::vector<Change>>(std::move(changes));
  current_ = made.snapshot;
  out.push_back(std::move(made));
}

}  // namespace iii::directory
