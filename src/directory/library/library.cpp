#include "directory/library/library.h"

#include <algorithm>
#include <exception>
#include <string_view>

#include "directory/content/parse.h"
#include "foundation/base/counted.h"
#include "foundation/base/log.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

using content::RootKind;

template <typename Row>
bool is_version(const Row& row, const FileStamp& stamp) {
  return row.version.inode == stamp.inode && row.version.ctime_ns == stamp.ctime_ns &&
         row.mtime_ns == stamp.mtime_ns && row.bytes == stamp.size;
}

bool was_readable(const content::Skill& skill) { return skill.readable; }
bool was_readable(const content::Prompt&) { return false; }  // its body has not been read

// From a worker's registration: the view holds the text that belongs to it.
Result<FileBytes> registered_text(const Snapshot& snapshot, const content::FileRef& file) {
  const RegisteredDocument* found = find_registered(*snapshot.registrations, file);
  if (found == nullptr) return fail("missing", "it is not registered");
  FileBytes out;
  out.bytes = found->text;
  out.stamp.size = out.bytes.size();
  out.stamp.mtime_ns = found->time_ns;
  return out;
}

template <typename Row>
Result<FileBytes> read_row(const View& view, const Row& row) {
  const RootKind kind = view.generation().roots[row.file.root].kind;
  if (kind == RootKind::kRegistered) return registered_text(view.snapshot(), row.file);
  content::Content& content = *view.snapshot().folders->content;
  Result<FileBytes> file = content.read(view.generation(), row.file);
  if (kind == RootKind::kBuiltin || view.accepts_any_version()) return file;
  const bool as_shown =
      file ? is_version(row, file->stamp) : file.error().code != "missing" && !was_readable(row);
  if (as_shown) return file;
  content.recheck(row.file);
  return fail(kStale, row.file.path + " is being replaced");
}

template <typename Row>
Result<Body> body_of(const View& view, const Row& row, uint64_t known_offset) {
  Result<FileBytes> file = read_row(view, row);
  if (!file) return std::unexpected(std::move(file.error()));
  std::string text = std::move(file->bytes);
  const bool known = known_offset <= text.size() && is_version(row, file->stamp);
  const bool lenient = view.snapshot().folders->content->lenient();
  text.erase(0, known ? static_cast<size_t>(known_offset)
                      : content::body_offset(text, {.lenient = lenient}));
  // R28: only line feeds, or nothing at all. Leniently an empty body is a body.
  if (!lenient && text.find_first_not_of('\n') == std::string::npos) {
    return fail("empty", row.file.path + " has an empty body");
  }
  return Body{std::move(text), file->stamp.mtime_ns};
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Moves `at` to where a character begins, by at most three bytes.
size_t character_start(std::string_view text, size_t at) {
  const size_t first = at > 3 ? at - 3 : 0;
  size_t start = at;
  while (start > first && start < text.size() && continues_character(text[start])) --start;
  return start;
}

// The part of `body` that `range` names.
BodyPart part_of(std::string_view body, PartRange range, int64_t mtime_ns) {
  const size_t begin =
      character_start(body, static_cast<size_t>(std::min<uint64_t>(range.offset, body.size())));
  const uint64_t length = std::min<uint64_t>(range.limit, body.size() - begin);
  size_t end = character_start(body, begin + static_cast<size_t>(length));
  if (end <= begin) end = body.size();  // less than one character was asked for: cannot be cut
  return {.text = std::string(body.substr(begin, end - begin)),
          .mtime_ns = mtime_ns,
          .offset = begin,
          .total = body.size()};
}

// Most that is read to find where the body begins.
constexpr uint64_t kHeadBytes = 1024 * 1024;
constexpr uint64_t kCharacter = 4;  // longest, in bytes

// From a file of any size. The stamp of the file comes with the part.
struct FilePart {
  BodyPart part;
  FileStamp stamp;
};
Result<FilePart> file_part(const RootFolder& folder, const std::string& path, bool lenient,
                           PartRange range) {
  Result<FileBytes> head = folder.read_head(path, kHeadBytes);
  if (!head) return std::unexpected(std::move(head.error()));
  const uint64_t body = content::body_offset(head->bytes, {.lenient = lenient});
  const uint64_t total = head->stamp.size - std::min<uint64_t>(body, head->stamp.size);
  const uint64_t before = std::min<uint64_t>(std::min(range.offset, total), kCharacter - 1);
  const uint64_t begin = std::min(range.offset, total) - before;
  Result<FileBytes> piece =
      folder.read_part(path, body + begin, before + range.limit + kCharacter - 1);
  if (!piece) return std::unexpected(std::move(piece.error()));
  if (piece->stamp != head->stamp) return fail(kStale, path + " is being replaced");
  PartRange within{.offset = before, .limit = range.limit};
  BodyPart part = part_of(piece->bytes, within, piece->stamp.mtime_ns);
  part.offset += begin;
  part.total = total;
  if (!is_utf8(part.text)) return fail("not_utf8", "it is not UTF-8 text");
  return FilePart{std::move(part), piece->stamp};
}

}  // namespace

Library::Library(sdk::Worker& worker, Folders folders, LibraryOptions options)
    : worker_(worker),
      options_(std::move(options)),
      publisher_(std::move(folders), marks_),
      now_(publisher_.current()),
      installed_(worker, options_.installed, options_.clock),
      answers_(worker.core().loop, 2),
      thread_(worker.core().loop, 1) {
  if (options_.registrations) {
    const auto sink = [this](RegistrationsPtr registrations, bool first) {
      take_registrations(std::move(registrations), first);
    };
    feed_.emplace(worker, thread_, *options_.registrations, sink, options_.clock);
  }
  wait_for_kernel();
  plan_poll(options_.poll);
}

Library::~Library() {
  thread_.stop();
  answers_.stop();
  worker_.core().loop.cancel(gather_timer_);
  worker_.core().loop.cancel(poll_timer_);
}

task::Task<View> Library::current(ViewOptions options) {
  if (options.registered && feed_ && feed_->needs_refresh()) co_await feed_->refresh();
  NamesPtr names;
  // The list of installed workers is not needed when there is nothing to filter.
  const bool nothing = now_->generation->skills.empty();
  if (options.filtered && !nothing) names = co_await installed_.for_filter(options.ask_for_workers);
  if (!is_current()) co_await catch_up();
  if (options.filtered && nothing && !now_->generation->skills.empty()) {
    names = co_await installed_.for_filter(options.ask_for_workers);
  }
  co_return View(now_, std::move(names),
                 options.registered ? View::Show::kEverything : View::Show::kFilesOnly);
}

bool Library::is_current() const {
  return !flight_.is_under_way() && !work_.replacement && work_.registrations.empty() &&
         now_->folders->content->unchanged() == now_->files;
}

task::Task<void> Library::catch_up() {
  // The round that is under way may have looked too early; the next one will not.
  const uint64_t too_early = rounds_;
  for (uint64_t ended = 0; ended <= too_early;) {
    if (!flight_.is_under_way()) worker_.spawn(round());
    if (!flight_.is_under_way()) co_return;  // it could not begin
    ended = rounds_;
    const Latch end = flight_.end();
    co_await end;
  }
}

task::Task<bool> Library::look_for(std::string id) {
  if (!status().in_background) co_return false;
  const content::GenerationPtr before = now_->files;
  for (uint16_t root = 0; root < before->roots.size(); ++root) {
    now_->folders->content->recheck({root, id});
  }
  co_await catch_up();
  co_return now_->files != before;
}

task::Task<void> Library::catch_up_after_swap() {
  if (status().in_background) {
    for (uint16_t root = 0; root < now_->files->roots.size(); ++root) {
      now_->folders->content->recheck({root, ""});
    }
  }
  constexpr std::chrono::milliseconds kPause{2};
  for (auto waited = kPause; waited < kPatience; waited += kPause) {
    const uint64_t before = refreshes_.count;
    co_await catch_up();
    if (refreshes_.count != before) co_return;
    co_await worker_.sleep(kPause);
  }
}

task::Task<void> Library::round() {
  using Clock = std::chrono::steady_clock;
  const SingleFlight::Flight flight = flight_.begin();
  ++rounds_;
  auto work = [this, work = std::exchange(work_, {})]() mutable {
    const Clock::time_point begin = Clock::now();
    Publisher::Outcome outcome;
    try {
      outcome = publisher_.run(std::move(work));
    } catch (const std::exception& e) {
      log_error("the folders could not be read: {}", e.what());
    }
    return std::pair(std::move(outcome), Clock::now() - begin);
  };
  auto [outcome, took] = co_await thread_.run(std::move(work));
  count_refresh(outcome, took);
  take(std::move(outcome));
  wait_for_kernel();
}

void Library::count_refresh(const Publisher::Outcome& outcome,
                            std::chrono::steady_clock::duration took) {
  if (!outcome.folders_read) return;
  ++refreshes_.count;
  refreshes_.last = std::chrono::duration_cast<std::chrono::microseconds>(took);
  refreshes_.total += refreshes_.last;
  if (outcome.publications.empty()) return;
  log_debug("the index was brought to generation {} in {:.1f} ms: {}",
            outcome.publications.back().snapshot->generation->number,
            std::chrono::duration<double, std::milli>(took).count(),
            counted(outcome.publications.back().changes.changes->size(), "change"));
}

void Library::take(Publisher::Outcome outcome) {
  for (Publication& each : outcome.publications) {
    SnapshotPtr before = std::exchange(now_, std::move(each.snapshot));
    if (!each.silent) hub_.publish(each.changes);
    if (before->folders != now_->folders) kernel_.reset();
    // Tens of thousands of rows are let go of on the other thread.
    static_cast<void>(thread_.run([old = std::move(before), more = std::move(each)] {}));
  }
}

task::Task<void> Library::Retry::wait(const View& view) {
  ++attempts_;
  co_await library_.catch_up();
  // The same state: a swap is under way, or the file changes faster than it is looked at.
  if (library_.now_->files != view.snapshot().files) co_return;
  co_await library_.worker_.sleep(pause_);
  waited_ += pause_;
  pause_ = std::min(2 * pause_, std::chrono::milliseconds(32));
}

Result<Body> Library::read(const View& view, const content::Skill& skill) {
  return body_of(view, skill, skill.body_offset);
}
Result<Body> Library::read(const View& view, const content::Prompt& prompt) {
  return body_of(view, prompt, content::kUnknownOffset);
}
task::Task<Result<Body>> Library::read_later(View view, const content::Skill& skill) {
  if (skill.bytes <= kSmallBytes) co_return read(view, skill);
  co_return co_await on_reading_thread(
      [view = std::move(view), &skill] { return body_of(view, skill, skill.body_offset); });
}
task::Task<Result<BodyPart>> Library::read_part(const View& view, const content::Skill& skill,
                                                PartRange range) {
  // A character has to fit, or there would be no end to the parts.
  range.limit = std::max(range.limit, kCharacter);
  content::Content& content = *view.snapshot().folders->content;
  const auto folder = content.folder_of(skill.file);
  const bool is_file = folder != nullptr && !content::is_registered(view.generation(), skill.file);
  if (!is_file) {  // compiled in, or registered: in memory
    Result<Body> body = read(view, skill);
    if (!body) co_return std::unexpected(std::move(body.error()));
    co_return part_of(body->text, range, body->mtime_ns);
  }
  auto work = [folder, path = skill.file.path, lenient = content.lenient(), range] {
    return file_part(*folder, path, lenient, range);
  };
  Result<FilePart> found = co_await on_reading_thread(std::move(work));
  const bool stale = found ? !is_version(skill, found->stamp) : found.error().code == "missing";
  if (stale && !view.accepts_any_version()) {
    content.recheck(skill.file);
    co_return fail(kStale, skill.file.path + " is being replaced");
  }
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return std::move(found->part);
}

Result<FileBytes> Library::read_file(const View& view, const content::Skill& skill) {
  return read_row(view, skill);
}
Result<FileBytes> Library::read_file(const View& view, const content::Prompt& prompt) {
  return read_row(view, prompt);
}

void Library::replace(content::ContentOptions content, std::unique_ptr<Gate> gate) {
  work_.replacement = Replacement{std::move(content), std::move(gate)};
  worker_.spawn(catch_up());
}

void Library::set_options(const LibraryOptions& options) {
  installed_.set_options(options.installed);
  if (feed_ && options.registrations) feed_->set_options(*options.registrations);
}

void Library::take_registrations(RegistrationsPtr registrations, bool first) {
  const RegistrationsPtr& last =
      work_.registrations.empty() ? now_->registrations : work_.registrations.back().registrations;
  if (registrations == last) return;
  if (!flight_.is_under_way() && registrations->empty() && last->empty()) return;
  work_.registrations.push_back({std::move(registrations), first});
  worker_.spawn(catch_up());
}

// The kernel says that something may have changed; a moment later everything that belongs together
// has probably happened.
void Library::wait_for_kernel() {
  const int fd = now_->folders->content->notify_fd();
  if (fd < 0 || gather_timer_ != 0) return;
  net::Loop& loop = worker_.core().loop;
  kernel_ = loop.once_readable(fd, [this, &loop] {
    gather_timer_ = loop.after(options_.gather, [this] {
      gather_timer_ = 0;
      if (is_current()) return wait_for_kernel();
      worker_.spawn(catch_up());
    });
  });
}

// Where not everything is watched, the folders are compared now and then: as long as somebody
// listens, and never for more than a twentieth of the time. Too many to be compared at once are
// compared a few at a time, for little of the time because that never ends.
void Library::plan_poll(std::chrono::microseconds delay) {
  poll_timer_ = worker_.core().loop.after(delay, [this] { worker_.spawn(poll_now()); });
}

task::Task<void> Library::poll_now() {
  const net::Loop& loop = worker_.core().loop;
  const auto begin = loop.now();
  const content::ContentStatus before = status();
  if (before.in_background) now_->folders->content->compare_more();
  if (before.in_background || (!before.watching && hub_.anybody_listens())) co_await catch_up();
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(loop.now() - begin);
  constexpr int kPace = 80;
  if (status().comparing) co_return plan_poll(kPace * refreshes_.last);
  plan_poll(std::max<std::chrono::microseconds>(options_.poll, 20 * took));
}

}  // namespace iii::directory
