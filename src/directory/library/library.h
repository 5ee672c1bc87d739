// The documents that functions read: files and what workers registered, always up to date, never
// half of a download.
//
//   View view = co_await library.current();        // everything that finished before the call
//   Result<Body> body = library.read(view, skill);  // of exactly the version that the view shows
//
// Everything that takes time (walking folders, comparing, merging, opening other folders) happens
// on a thread of the library's own. When nothing is pending, current() answers at once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/sdk/worker.h"
#include "directory/content/content.h"
#include "directory/library/change_hub.h"
#include "directory/library/download_marks.h"
#include "directory/library/installed_workers.h"
#include "directory/library/latch.h"
#include "directory/library/publisher.h"
#include "directory/library/registration_feed.h"
#include "directory/library/view.h"
#include "foundation/task/pool.h"

namespace iii::directory {

struct LibraryOptions {
  InstalledWorkersOptions installed;
  // Nothing: workers cannot register documents.
  std::optional<RegistrationOptions> registrations;
  // How long notifications of the kernel are gathered before the folders are looked at.
  std::chrono::milliseconds gather{25};
  // How often folders are compared where the kernel does not report changes: while somebody
  // listens, and always when they are too many for every call to compare them.
  std::chrono::milliseconds poll{1'000};
  std::function<std::chrono::steady_clock::time_point()> clock = [] {
    return std::chrono::steady_clock::now();
  };
};

// What a caller wants to see.
struct ViewOptions {
  bool filtered = true;          // hide documents of workers that are not installed (if configured)
  bool registered = true;        // also what workers registered
  bool ask_for_workers = false;  // do not use a remembered answer about installed workers
};

// A document's text without its frontmatter.
struct Body {
  std::string text;
  int64_t mtime_ns = 0;
};

// Which part of a body is wanted.
struct PartRange {
  uint64_t offset = 0;
  uint64_t limit = 0;
};
// Begins and ends between characters, so it may begin a little before the place that was asked for
// and have a little less than the limit.
struct BodyPart {
  std::string text;
  int64_t mtime_ns = 0;
  uint64_t offset = 0;  // where it begins
  uint64_t total = 0;   // bytes of the whole body
};

// Code of the error when a document is not what the view shows any more: take a newer view.
inline constexpr const char* kStale = "stale";

// On the loop thread of its worker, which outlives it.
class Library {
 public:
  Library(sdk::Worker& worker, Folders folders, LibraryOptions options);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  task::Task<View> current(ViewOptions options = {});

  // Codes: kStale, else why it cannot be read (`missing`, `denied`, `too_large`, `empty` …). From
  // any thread, as read_file().
  Result<Body> read(const View& view, const content::Skill& skill);
  Result<Body> read(const View& view, const content::Prompt& prompt);
  // The same; a document of more than kSmallBytes is read on another thread. `skill` belongs to
  // `view`.
  task::Task<Result<Body>> read_later(View view, const content::Skill& skill);
  static constexpr uint64_t kSmallBytes = 64 * 1024;
  // A part of a body, also of a document that is too large to be read at once. The disk is read on
  // another thread. `skill` belongs to `view`, which the caller keeps.
  task::Task<Result<BodyPart>> read_part(const View& view, const content::Skill& skill,
                                         PartRange range);
  // The whole file.
  Result<FileBytes> read_file(const View& view, const content::Skill& skill);
  Result<FileBytes> read_file(const View& view, const content::Prompt& prompt);

  // Gives what `answer` makes of one view. When it meets a document that has been replaced (error
  // kStale) it is asked again with a newer view, so that an answer never mixes versions.
  // `answer` is `task::Task<Result<T>>(const View&)`.
  template <typename F>
  auto answer_from(ViewOptions options, F answer) -> std::invoke_result_t<F&, const View&> {
    for (Retry retry(*this);;) {
      View view = co_await current(options);
      if (retry.is_last()) view.accept_any_version();
      auto out = co_await answer(std::as_const(view));
      if (out || out.error().code != kStale) co_return out;
      co_await retry.wait(view);
    }
  }

  ChangeHub& changes() { return hub_; }
  // Comes back when everything that happened before the call has been published.
  task::Task<void> catch_up();
  // The same, and waits for the end of a swap that keeps readers out. Folders beyond the limit of
  // watches are compared, too.
  task::Task<void> catch_up_after_swap();
  // For an id that was not found: compares the folder that it leads to, if that is one of too many
  // to be watched. True: the documents are others than before.
  task::Task<bool> look_for(std::string id);
  // The last published state; not necessarily up to date.
  const SnapshotPtr& latest() const { return now_; }
  View latest_view() const { return View(now_, installed_.last_for_filter()); }
  content::ContentStatus status() const { return now_->folders->content->status(); }
  // How often the folders were looked at since the start, and how long that took.
  struct Refreshes {
    uint64_t count = 0;
    std::chrono::microseconds last{0};
    std::chrono::microseconds total{0};
  };
  const Refreshes& refreshes() const { return refreshes_; }

  // Runs `work` on a thread for answers: nobody who wants to know the state of the folders waits
  // for it.
  template <typename F>
  auto on_answer_thread(F work) {
    return answers_.run(std::move(work));
  }
  // Gives what `make` (a function of `const View&`) makes of the view: at once when there are few
  // documents, on a thread for answers otherwise.
  template <typename F>
  auto answer(View view, F make) -> task::Task<std::invoke_result_t<F&, const View&>> {
    const content::Generation& all = view.generation();
    const bool few = all.skills.size() + all.findings.size() + all.prompts.size() <= kFewDocuments;
    if (few) co_return make(std::as_const(view));
    co_return co_await answers_.run(
        [view = std::move(view), make = std::move(make)]() mutable { return make(view); });
  }
  static constexpr size_t kFewDocuments = 1'000;
  // The same for reading and encoding what may be large: one after another, so that a thread for
  // answers stays free for others' searches however much is read.
  template <typename F>
  auto on_reading_thread(F work) {
    return answers_.run(reading_, std::move(work));
  }
  task::Pool& answer_threads() { return answers_; }

  // Other folders from now on. Views taken before stay valid. The differences are published.
  void replace(content::ContentOptions content, std::unique_ptr<Gate> gate);
  void set_options(const LibraryOptions& options);

  InstalledWorkers& installed() { return installed_; }
  // Which changes on disk are downloads; may be used from any thread.
  DownloadMarks& download_marks() { return marks_; }

  // Null: workers cannot register documents.
  RegistrationFeed* registrations() { return feed_ ? &*feed_ : nullptr; }

 private:
  // A swap takes milliseconds; a process that holds the gate for longer than this is stopped or
  // broken.
  static constexpr std::chrono::milliseconds kPatience{6'000};

  // How often answer_from() tries again, and how long it waits before.
  class Retry {
   public:
    explicit Retry(Library& library) : library_(library) {}
    bool is_last() const { return attempts_ >= kMaxAttempts || waited_ >= kPatience; }
    task::Task<void> wait(const View& view);

   private:
    static constexpr int kMaxAttempts = 64;

    Library& library_;
    int attempts_ = 0;
    std::chrono::milliseconds pause_{1};
    std::chrono::milliseconds waited_{0};
  };

  bool is_current() const;
  task::Task<void> round();
  void count_refresh(const Publisher::Outcome& outcome, std::chrono::steady_clock::duration took);
  void take(Publisher::Outcome outcome);
  void take_registrations(RegistrationsPtr registrations, bool first);
  void wait_for_kernel();
  void plan_poll(std::chrono::microseconds delay);
  task::Task<void> poll_now();

  sdk::Worker& worker_;
  const LibraryOptions options_;
  DownloadMarks marks_;
  Publisher publisher_;  // belongs to the content thread
  SnapshotPtr now_;
  ChangeHub hub_;
  InstalledWorkers installed_;
  std::optional<RegistrationFeed> feed_;
  Publisher::Work work_;  // for the next round
  SingleFlight flight_;   // the present round
  uint64_t rounds_ = 0;   // that have begun
  Refreshes refreshes_;   // rounds that looked at the folders
  std::shared_ptr<void> kernel_;
  TimerId gather_timer_ = 0;
  TimerId poll_timer_ = 0;
  task::Pool::Lane reading_;
  task::Pool answers_;
  task::Pool thread_;  // of one thread; ends first
};

}  // namespace iii::directory
