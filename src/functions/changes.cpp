#include "functions/changes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/uuid.h"
#include "functions/descriptions.h"
#include "json/describe.h"
#include "library/registered_view.h"
#include "sources/lock_file.h"

namespace iii::directory {

namespace {

constexpr uint64_t kMaxDigestBytes = 4 * 1024 * 1024;
constexpr uint64_t kDefaultLimit = 1'000;

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
};
struct ChangeRow {
  uint64_t generation = 0;
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
      json::field("limit", &T::limit, "Most changes to return. Default 1000.").null_default());
}
auto describe(json::Type<ChangeRow>) {
  using T = ChangeRow;
  return json::object<T>(
      "ChangeRow", "", json::field("generation", &T::generation, "State in which it appeared."),
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
      json::field("more", &T::more, "There are more changes: call again with `since`."),
      json::field("truncated", &T::truncated,
                  "Changes after `since` are missing here: read the lists again."));
}

std::string_view word(ChangeAct act) {
  return act == ChangeAct::kAdded ? "added" : act == ChangeAct::kRemoved ? "removed" : "changed";
}

ChangeRow row_of(const Change& change) {
  return {.generation = change.generation,
          .kind = change.kind == ChangeKind::kSkill ? "skill" : "prompt",
          .change = std::string(word(change.act)),
          .id = change.id,
          .name_space = change.name_space,
          .op = change.op,
          .source = change.source};
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

using Answer = std::function<ChangesOutput(const ChangesInput&)>;
sdk::Task<ChangesOutput> answer_later(RegisteredView* registered, Answer answer, ChangesInput in) {
  co_await catch_up(registered);
  co_return answer(in);
}

}  // namespace

Changes::Changes(sdk::Worker& worker, Joined& content, ChangesOptions options)
    : worker_(worker),
      content_(content),
      options_(options),
      skills_(declare(worker, "directory::skills::on-change", about::kSkillsOnChange)),
      prompts_(declare(worker, "directory::prompts::on-change", about::kPromptsOnChange)),
      log_(options.log_capacity),
      epoch_(new_epoch()) {
  content_.observe([this](const auto& before, const auto& after) { observe(before, after); });
  content_.fresh();
  wait_for_kernel();
  plan_poll(options_.poll);
  const auto answer_now = [this](const ChangesInput& in) {
    const content::GenerationPtr now = content_.fresh();
    const bool other_epoch = in.epoch && *in.epoch != epoch_;
    const uint64_t limit = std::max<uint64_t>(1, in.limit.value_or(kDefaultLimit));
    ChangeLog::Answer found =
        log_.since(other_epoch ? 0 : in.since.value_or(0), now->number, limit);
    ChangesOutput out{.epoch = epoch_,
                      .generation = found.up_to,
                      .changes = {},
                      .more = found.more,
                      .truncated = found.truncated || other_epoch};
    for (const Change& change : found.changes) out.changes.push_back(row_of(change));
    return out;
  };
  const auto answer = [this, answer_now](ChangesInput in) {
    return answer_later(registered_, answer_now, std::move(in));
  };
  static_cast<void>(worker_.function("directory::changes", about::kChanges, answer));
}

Changes::~Changes() {
  content_.observe({});
  net::Loop& loop = worker_.core().loop;
  loop.cancel(look_timer_);
  loop.cancel(tell_timer_);
  loop.cancel(poll_timer_);
}

void Changes::start_again() {
  epoch_ = new_epoch();
  log_ = ChangeLog(options_.log_capacity);
  content_.fresh();
  kernel_.reset();
  wait_for_kernel();
}

void Changes::begin(const std::string& name_space, std::string_view source) {
  // What happened before is not ours.
  content_.fresh();
  Own& own = own_[name_space];
  own.source = source;
  ++own.jobs;
}

void Changes::end(const std::string& name_space, bool skills_changed, bool prompts_changed) {
  content_.fresh();
  const auto found = own_.find(name_space);
  if (found == own_.end()) return;
  Own& own = found->second;
  const std::vector<Change> changes = std::exchange(own.changes, {});
  const std::string source = own.source;
  if (--own.jobs == 0) own_.erase(found);
  std::vector<Change> skills;
  std::vector<Change> prompts;
  for (const Change& change : changes) {
    (change.kind == ChangeKind::kSkill ? skills : prompts).push_back(change);
  }
  if (skills_changed || !skills.empty()) {
    tell(skills_, "download", name_space, source, skills);
    if (on_download_) on_download_(ChangeKind::kSkill, name_space, source);
  }
  if (prompts_changed || !prompts.empty()) {
    tell(prompts_, "download", name_space, source, prompts);
    if (on_download_) on_download_(ChangeKind::kPrompt, name_space, source);
  }
}

void Changes::observe(const content::GenerationPtr& before, const content::GenerationPtr& after) {
  std::vector<Change> changes = differences(*before, *after);
  for (Change& change : changes) {
    const auto own = own_.find(change.name_space);
    if (own != own_.end() && change.source == "disk") {
      change.op = "download";
      change.source = own->second.source;
      own->second.changes.push_back(change);
    } else {
      Gathered& gathered = gathered_[std::tuple(change.name_space, change.op, change.source)];
      (change.kind == ChangeKind::kSkill ? gathered.skills : gathered.prompts).push_back(change);
    }
  }
  log_.add(changes);
  if (!gathered_.empty() && tell_timer_ == 0) {
    tell_timer_ = worker_.core().loop.after(options_.gather, [this] {
      tell_timer_ = 0;
      tell_gathered();
    });
  }
}

// The kernel says that something may have changed; a moment later everything that belongs together
// has probably happened.
void Changes::wait_for_kernel() {
  const int fd = content_.notify_fd();
  if (fd < 0) return;
  kernel_ = worker_.core().loop.once_readable(fd, [this] { plan_look(options_.gather / 2); });
}

void Changes::plan_look(std::chrono::milliseconds delay) {
  if (look_timer_ != 0) return;
  look_timer_ = worker_.core().loop.after(delay, [this] {
    look_timer_ = 0;
    look();
  });
}

void Changes::look() {
  content_.fresh();
  wait_for_kernel();
}

// Where not everything is watched, the folders are looked at now and then: as long as somebody
// listens, and never for more than a twentieth of the time.
void Changes::plan_poll(std::chrono::microseconds delay) {
  net::Loop& loop = worker_.core().loop;
  poll_timer_ = loop.after(delay, [this, &loop] {
    const content::ContentStatus status = content_.status();
    const bool watched = status.watching && status.fallback_reason.empty();
    const auto begin = loop.now();
    if (!watched && anybody_listens()) content_.fresh();
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(loop.now() - begin);
    plan_poll(std::max<std::chrono::microseconds>(options_.poll, 20 * took));
  });
}

bool Changes::anybody_listens() const {
  return !skills_.bindings().empty() || !prompts_.bindings().empty();
}

void Changes::tell_gathered() {
  for (const auto& [key, gathered] : std::exchange(gathered_, {})) {
    const auto& [name_space, op, source] = key;
    if (!gathered.skills.empty()) tell(skills_, op, name_space, source, gathered.skills);
    if (!gathered.prompts.empty()) tell(prompts_, op, name_space, source, gathered.prompts);
  }
}

void Changes::tell(const Type& type, std::string_view op, const std::string& name_space,
                   std::string_view source, const std::vector<Change>& changes) {
  if (type.bindings().empty()) return;
  ChangeEvent event{.op = std::string(op),
                    .name_space = name_space,
                    .source = std::string(source),
                    .generation = content_.last().number,
                    .ids = {},
                    .count = 0,
                    .digests = {}};
  std::map<std::string, const Change*> last;  // of several changes to one document
  for (const Change& change : changes) last[change.id] = &change;
  event.count = last.size();
  for (const auto& [id, change] : last) {
    if (event.ids.size() == options_.max_ids) break;
    event.ids.push_back(id);
    if (change->act == ChangeAct::kRemoved) continue;
    if (const auto bytes = content_.read(content_.last(), change->file);
        bytes && bytes->bytes.size() <= kMaxDigestBytes) {
      event.digests[id] = sources::sha256_hex(bytes->bytes);
    }
  }
  // A copy: firing must not be disturbed by whoever unsubscribes meanwhile.
  const Type::Bindings bindings = type.bindings();
  for (const auto& [id, binding] : bindings) {
    if (const auto sent = worker_.fire_void(binding, event); !sent) {
      log_warn("on-change: {} could not be called: {}", binding.function_id, sent.error().message);
    }
  }
}

}  // namespace iii::directory
