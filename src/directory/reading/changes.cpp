#include "directory/reading/changes.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"
#include "foundation/base/saturate.h"
#include "foundation/base/sha256.h"
#include "foundation/base/uuid.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

constexpr uint64_t kMaxDigestBytes = 4 * 1024 * 1024;
constexpr uint64_t kDefaultLimit = 1'000;
constexpr size_t kMaxIds = 100;  // named in one event
// How long edits on disk are gathered before they are reported.
constexpr std::chrono::milliseconds kGather{50};
constexpr std::chrono::milliseconds kSlice{1};  // of sending events, then others are served

struct ChangeEvent {
  std::string op;
  std::string name_space;
  std::string source;
  uint64_t generation = 0;
  std::vector<std::string> ids;
  uint64_t count = 0;
  std::map<std::string, std::string> digests;
};

auto describe(json::Type<ChangeEvent>) {
  using T = ChangeEvent;
  return json::object<T>(
      "ChangeEvent", "What changed in one namespace.",
      json::field("op", &T::op,
                  "`download`; `external` for edits of files on disk; `register` or `unregister` "
                  "for what a worker does at run time."),
      json::field("namespace", &T::name_space,
                  "Folder in skills_folder; for a registration, the id or name."),
      json::field("source", &T::source, "`registry`, `repo`, `disk` or `registered`."),
      json::field("generation", &T::generation,
                  "Number of the state that contains the change; `since` of directory::changes."),
      json::field(
          "ids", &T::ids,
          "Ids or names of the documents that changed; the first ones when there are many."),
      json::field("count", &T::count, "Number of documents that changed."),
      json::field("digests", &T::digests,
                  "SHA-256 of each file in `ids` that still exists, by id."));
}

struct ChangesInput {
  std::optional<uint64_t> since;
  std::optional<std::string> epoch;
  std::optional<uint64_t> limit;
  std::optional<bool> newest;
};
struct ChangeRow {
  uint64_t generation = 0;
  std::string at;
  std::string kind;
  std::string change;
  std::string id;
  std::string name_space;
  std::string op;
  std::string source;
};
struct ChangesOutput {
  std::string epoch;
  uint64_t generation = 0;
  std::vector<ChangeRow> changes;
  bool more = false;
  bool truncated = false;
};

auto describe(json::Type<ChangesInput>) {
  using T = ChangesInput;
  return json::object<T>(
      "ChangesInput", "",
      json::field("since", &T::since,
                  "Changes after this generation. 0 or absent: all that are known.")
          .null_default(),
      json::field(
          "epoch", &T::epoch,
          "`epoch` that `since` belongs to. If it is another than the present one, `truncated` is "
          "true.")
          .null_default(),
      json::field("limit", &T::limit,
                  "Most changes to return, 1000 unless given. Generations are not divided.")
          .null_default(),
      json::field("newest", &T::newest,
                  "true: the last ones after `since` when there are more than `limit`. Default "
                  "false.")
          .null_default());
}
auto describe(json::Type<ChangeRow>) {
  using T = ChangeRow;
  return json::object<T>(
      "ChangeRow", "", json::field("generation", &T::generation, "State in which it appeared."),
      json::field("at", &T::at, "When that was, RFC 3339 in UTC."),
      json::field("kind", &T::kind, "`skill` or `prompt`."),
      json::field("change", &T::change, "`added`, `changed` or `removed`."),
      json::field("id", &T::id, "Id or name as the lists show it."),
      json::field("namespace", &T::name_space, "Folder, or registered id."),
      json::field("op", &T::op, "`download`, `external`, `register` or `unregister`."),
      json::field("source", &T::source, "`registry`, `repo`, `disk` or `registered`."));
}
auto describe(json::Type<ChangesOutput>) {
  using T = ChangesOutput;
  return json::object<T>(
      "ChangesOutput", "",
      json::field("epoch", &T::epoch,
                  "Changes when generations are counted anew, for example after a restart."),
      json::field("generation", &T::generation, "Pass it as `since` in the next call."),
      json::field("changes", &T::changes, "Oldest first."),
      json::field("more", &T::more,
                  "There are more changes: call again with `since`. With `newest`: older ones are "
                  "left out."),
      json::field("truncated", &T::truncated,
                  "Changes after `since` are missing here: read the lists again."));
}

ChangeRow row_of(const Change& change, const std::string& at) {
  return {.generation = change.generation,
          .at = at,
          .kind = change.kind == ChangeKind::kSkill ? "skill" : "prompt",
          .change = std::string(word(change.act)),
          .id = change.id,
          .name_space = change.name_space,
          .op = std::string(word(change.op)),
          .source = change.source};
}

int64_t now_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

std::string new_epoch() {
  RandomIds ids;
  return ids.next().to_string();
}

sdk::TriggerType<json::Raw> declare(sdk::Worker& worker, std::string id, std::string description) {
  return worker
      .trigger_type<json::Raw, ChangeEvent>(
          std::move(id), std::move(description), [](const sdk::Binding<json::Raw>&) {},
          [](const sdk::Binding<json::Raw>&) {})
      .value();
}

constexpr std::string_view kOnChanged = "directory::on-changed";

// The same events for observers (observers §6.1): a function that only we call and that returns its
// input, so that each call of it is an event.
void offer_events(sdk::Worker& worker) {
  static_cast<void>(
      worker.function(sdk::FunctionOptions{.id = std::string(kOnChanged),
                                           .description = std::string(about::kOnChanged),
                                           .metadata = json::Raw{R"({"internal":true})"}},
                      [&worker](const sdk::Call& call, json::Value event) -> Result<json::Value> {
                        if (call.caller_worker_id() != worker.core().session.worker_id()) {
                          return fail("FORBIDDEN",
                                      "Only the directory itself reports changes. Next: observe "
                                      "directory::on-changed, or call directory::changes.");
                        }
                        if (json::Object* object = event.as_object())
                          object->erase(std::string(protocol::kCallerKey));
                        return event;
                      }));
}

task::Task<ChangesOutput> list_changes(Library& library, const ChangeLog& log,
                                       const std::string& epoch, ChangesInput in) {
  const View view = co_await library.current({.filtered = false});
  const bool other_epoch = in.epoch && *in.epoch != epoch;
  const uint64_t limit = std::max<uint64_t>(1, in.limit.value_or(kDefaultLimit));
  const auto from = in.newest.value_or(false) ? ChangeLog::From::kNewest : ChangeLog::From::kOldest;
  const ChangeLog::Answer found = log.since(other_epoch ? 0 : in.since.value_or(0),
                                            view.generation().number, saturated_size(limit), from);
  ChangesOutput out{.epoch = epoch,
                    .generation = found.up_to,
                    .more = found.more,
                    .truncated = found.truncated || other_epoch};
  for (const ChangeLog::Entry& entry : found.entries) {
    const std::string at = content::format_time(entry.at_ns);
    for (const Change& change : *entry.changes) out.changes.push_back(row_of(change, at));
  }
  co_return out;
}

// What a document holds in a state of the library, if it can be read.
std::optional<std::string> digest_of(const Snapshot& snapshot, const Change& change) {
  if (content::is_registered(*snapshot.generation, change.file)) {
    const RegisteredDocument* found = find_registered(*snapshot.registrations, change.file);
    if (found == nullptr) return std::nullopt;
    return sha256_hex(found->text);
  }
  const Result<FileBytes> file = snapshot.folders->content->read(*snapshot.generation, change.file);
  if (!file || file->bytes.size() > kMaxDigestBytes) return std::nullopt;
  return sha256_hex(file->bytes);
}

// Changes that are reported in one event.
struct EventKey {
  ChangeKind kind;
  std::string name_space;
  ChangeOp op;
  std::string source;

  auto operator<=>(const EventKey&) const = default;
};

std::map<EventKey, std::vector<const Change*>> grouped(const std::vector<ChangeList>& lists) {
  std::map<EventKey, std::vector<const Change*>> out;
  for (const ChangeList& list : lists) {
    for (const Change& change : *list) {
      out[{change.kind, change.name_space, change.op, change.source}].push_back(&change);
    }
  }
  return out;
}

ChangeEvent event_of(const EventKey& key, uint64_t generation) {
  return {.op = std::string(word(key.op)),
          .name_space = key.name_space,
          .source = key.source,
          .generation = generation,
          .count = 0};
}

void name_documents(ChangeEvent& event, const std::vector<const Change*>& changes,
                    const Snapshot& snapshot) {
  std::map<std::string_view, const Change*> last;  // of several changes to one document
  for (const Change* change : changes) last[change->id] = change;
  event.count = last.size();
  for (const auto& [id, change] : last) {
    if (event.ids.size() == kMaxIds) break;
    event.ids.emplace_back(id);
    if (change->act == ChangeAct::kRemoved) continue;
    if (auto digest = digest_of(snapshot, *change)) {
      event.digests.emplace(id, std::move(*digest));
    }
  }
}

}  // namespace

struct Changes::Event {
  ChangeKind kind;
  ChangeEvent payload;
};

Changes::Changes(sdk::Worker& worker, Library& library)
    : worker_(worker),
      library_(library),
      skills_(declare(worker, "directory::skills::on-change", about::kSkillsOnChange)),
      prompts_(declare(worker, "directory::prompts::on-change", about::kPromptsOnChange)),
      epoch_(new_epoch()) {
  offer_events(worker);
  subscription_ = library_.changes().subscribe(
      [this](const ChangeSet& changes) { observe(changes); }, [this] { return anybody_listens(); });
}

void Changes::add_to(FunctionTable& table) {
  table.add<ChangesInput, ChangesOutput>(
      {.id = "directory::changes",
       .title = "Changes",
       .description = about::kChanges,
       .hints = kReadOnly},
      [this](ChangesInput in) { return list_changes(library_, log_, epoch_, std::move(in)); });
}

Changes::~Changes() { worker_.core().loop.cancel(publish_timer_); }

void Changes::begin(const std::string& name_space, std::string_view source) {
  Download& download = downloads_[name_space];
  download.source = source;
  ++download.jobs;
}

task::Task<void> Changes::end(std::vector<DownloadEnd> ends) {
  co_await library_.catch_up_after_swap();
  std::vector<DownloadEvent> done;
  for (const DownloadEnd& end : ends) end_one(end, done);
  co_await publish_gathered();
  for (const DownloadEvent& event : done) downloads_hub_.publish(event);
}

void Changes::end_one(const DownloadEnd& end, std::vector<DownloadEvent>& done) {
  const auto found = downloads_.find(end.name_space);
  if (found == downloads_.end()) return;
  Download& download = found->second;
  // Files that are not served, or hidden by others, change no document; the download is reported
  // anyway.
  const auto note = [&](ChangeKind kind, bool changed, bool& seen) {
    const DownloadEvent event{kind, end.name_space, download.source};
    if (changed && !seen) unseen_.push_back(event);
    if (std::exchange(seen, false) || changed) done.push_back(event);
  };
  note(ChangeKind::kSkill, end.skills_changed, download.skills);
  note(ChangeKind::kPrompt, end.prompts_changed, download.prompts);
  if (--download.jobs > 0) return;
  downloads_.erase(found);
  library_.download_marks().forget(end.name_space);
}

void Changes::observe(const ChangeSet& changes) {
  if (changes.changes->empty()) return;
  log_.add(changes.changes, now_ns());
  gathered_.push_back(changes.changes);
  for (const Change& change : *changes.changes) {
    if (change.op != ChangeOp::kDownload) continue;
    const std::string_view path = change.file.path;
    if (const auto own = downloads_.find(path.substr(0, path.find('/'))); own != downloads_.end()) {
      (change.kind == ChangeKind::kSkill ? own->second.skills : own->second.prompts) = true;
    }
  }
  if (publish_timer_ != 0) return;
  publish_timer_ = worker_.core().loop.after(kGather, [this] {
    publish_timer_ = 0;
    worker_.spawn(publish_gathered());
  });
}

// Grouping and digests take time, so the content thread does them.
task::Task<void> Changes::publish_gathered() {
  const std::vector<ChangeList> lists = std::exchange(gathered_, {});
  const std::vector<DownloadEvent> unseen = std::exchange(unseen_, {});
  std::vector<Event> events;
  if (has_listeners() && !(lists.empty() && unseen.empty())) {
    events = co_await library_.on_reading_thread([snapshot = library_.latest(), lists, unseen] {
      std::vector<Event> out;
      for (const DownloadEvent& each : unseen) {
        out.push_back(
            {each.kind, event_of({each.kind, each.name_space, ChangeOp::kDownload, each.source},
                                 snapshot->generation->number)});
      }
      for (const auto& [key, changes] : grouped(lists)) {
        Event& event = out.emplace_back(Event{key.kind, event_of(key, changes.back()->generation)});
        name_documents(event.payload, changes, *snapshot);
      }
      std::ranges::sort(out, {}, [](const Event& event) {
        return std::tie(event.payload.generation, event.kind, event.payload.name_space);
      });
      return out;
    });
  }
  co_await send(std::move(events));
}

// In the order in which they come, and not too many at a time.
task::Task<void> Changes::send(std::vector<Event> events) {
  std::ranges::move(events, std::back_inserter(outbox_));
  if (sending_) {
    const Latch done = *sending_;
    co_await done;
    co_return;
  }
  sending_.emplace();
  auto begin = std::chrono::steady_clock::now();
  while (!outbox_.empty()) {
    try {
      fire(outbox_.front());
    } catch (const std::exception& e) {  // those who wait for the end must be resumed
      log_error("on-change: an event was not sent: {}", e.what());
    }
    outbox_.pop_front();
    if (std::chrono::steady_clock::now() - begin < kSlice) continue;
    co_await worker_.sleep(std::chrono::milliseconds(0));
    begin = std::chrono::steady_clock::now();
  }
  Latch done = *std::exchange(sending_, std::nullopt);
  done.open();
}

void Changes::fire(const Event& event) {
  // A copy: firing must not be disturbed by whoever unsubscribes meanwhile.
  const Type::Bindings bindings = type_of(event.kind).bindings();
  for (const auto& [id, binding] : bindings) {
    if (const auto sent = worker_.fire_void(binding, event.payload); !sent) {
      log_warn("on-change: {} could not be called: {}", binding.function_id, sent.error().message);
    }
  }
  if (worker_.engine_observes()) publish(event);
}

void Changes::publish(const Event& event) {
  auto text = json::try_encode(event.payload);
  if (!text) return;
  const std::string_view kind = event.kind == ChangeKind::kSkill ? "skill" : "prompt";
  const json::Raw payload{"{\"kind\":\"" + std::string(kind) + "\"," + text->substr(1)};
  if (const auto sent = worker_.trigger_void(std::string(kOnChanged), payload); !sent) {
    log_warn("on-changed: the event was not sent: {}", sent.error().message);
  }
}

}  // namespace iii::directory
