#include "directory/library/registration_feed.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "directory/library/cause.h"
#include "directory/library/nearby.h"
#include "foundation/base/log.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

// What calls of state take: the scope, and the key and the JSON of a record where there are any.
json::Raw place_in(std::string_view scope, std::string_view key = {},
                   std::string_view record = {}) {
  std::string out = "{\"scope\":";
  json::append_string(out, scope);
  if (!key.empty()) {
    out += ",\"key\":";
    json::append_string(out, key);
  }
  if (!record.empty()) out += ",\"value\":" + std::string(record);
  return json::Raw{out + '}'};
}

constexpr ChangeKind kBothKinds[] = {ChangeKind::kSkill, ChangeKind::kPrompt};

// Decoding more than this takes more than a moment.
constexpr size_t kLargeList = 64 * 1024;

template <typename T>
std::vector<std::shared_ptr<T>> remaining(const std::vector<std::weak_ptr<T>>& all) {
  std::vector<std::shared_ptr<T>> out;
  for (const auto& each : all) {
    if (auto one = each.lock()) out.push_back(std::move(one));
  }
  return out;
}

template <typename T>
std::shared_ptr<T> add(std::vector<std::weak_ptr<T>>& all, T one) {
  std::erase_if(all, [](const auto& each) { return each.expired(); });
  auto out = std::make_shared<T>(std::move(one));
  all.push_back(out);
  return out;
}

}  // namespace

RegistrationFeed::RegistrationFeed(sdk::Worker& worker, task::Pool& thread,
                                   RegistrationOptions options, Sink sink, Clock now)
    : worker_(worker),
      thread_(thread),
      options_(std::move(options)),
      sink_(std::move(sink)),
      now_(std::move(now)) {
  if (!options_.in_views) return;
  bind_events();
  worker_.on_ready([this] {
    // Another engine, or the same with what happened meanwhile.
    events_ = false;
    outdated();
    if (!asking_.is_under_way()) worker_.spawn(ask());
  });
}

RegistrationFeed::~RegistrationFeed() { worker_.core().loop.cancel(question_timer_); }

// An engine without `state` keeps the binding until there is one, or refuses it: then the snapshot
// ages.
void RegistrationFeed::bind_events() {
  for (const std::string& id : std::exchange(bindings_, {})) worker_.unbind(id);
  for (const ChangeKind kind : kBothKinds) {
    const json::Value filter = json::Object{{"scope", scope_name(kind)}};
    if (auto bound = worker_.bind("state", kOnStateChange, filter)) {
      bindings_.push_back(std::move(*bound));
    }
  }
}

void RegistrationFeed::set_options(RegistrationOptions options) {
  options.in_views = options_.in_views;
  options_ = std::move(options);
  if (!options_.in_views) return;
  bind_events();
  outdated();
}

const std::string& RegistrationFeed::scope_name(ChangeKind kind) const {
  return kind == ChangeKind::kSkill ? options_.skills_scope : options_.prompts_scope;
}

task::Task<Result<json::Raw>> RegistrationFeed::call(std::string function_id, json::Raw payload) {
  const std::chrono::milliseconds timeout = options_.timeout;
  sdk::Reply<json::Raw> reply =
      co_await ask_nearby(worker_, function_id, std::move(payload), timeout);
  if (!reply) {
    co_return fail(reply.error().code, function_id + ": " + cause_of(reply.error(), timeout));
  }
  co_return std::move(*reply);
}

task::Task<Result<RegistrationsPtr>> RegistrationFeed::refresh(ChangeKind kind) {
  const uint64_t question = ++questions_;
  const std::shared_ptr<const List> list = add(lists_, List{kind});
  Result<json::Raw> reply = co_await call("state::list", place_in(scope_name(kind)));
  if (!reply) co_return std::unexpected(std::move(reply.error()));
  const bool large = reply->text.size() > kLargeList;
  auto read = [kind, text = std::move(reply->text), before = known_] {
    return read_list(kind, text, before->rows(kind));
  };
  RegisteredRows rows = large ? co_await thread_.run(std::move(read)) : read();
  uint64_t& answered = answers_[kind];
  if (question < answered) co_return known_;  // a later list has come already
  for (const std::string& key : list->written) set_row(rows, key, known_->find(kind, key));
  const bool first = std::exchange(answered, question) == 0;
  if (rows != known_->rows(kind)) {
    auto now = std::make_shared<Registrations>(*known_);
    now->rows(kind) = std::move(rows);
    take(std::move(now), first);
  }
  co_return known_;
}

task::Task<Result<RegisteredPtr>> RegistrationFeed::refresh(ChangeKind kind, std::string key) {
  const Result<json::Raw> reply = co_await call("state::get", place_in(scope_name(kind), key));
  if (!reply) co_return std::unexpected(reply.error());
  Result<RegisteredPtr> found = RegisteredPtr();
  if (json::trimmed(reply->text) != "null") found = read_record(kind, reply->text);
  if (!found) {
    found.error().message = std::string("the stored ") +
                            (kind == ChangeKind::kSkill ? "skill `" : "prompt `") + key +
                            "` cannot be read: " + found.error().message;
  } else if (options_.in_views) {
    const RegisteredPtr before = known_->find(kind, key);
    if (!is_known(kind, found->get(), before.get())) outdated();
  }
  co_return found;
}

task::Task<Result<void>> RegistrationFeed::put(ChangeKind kind, RegisteredDocument document) {
  std::string record = store_record(kind, document);
  const size_t bytes = record.size();
  const RegisteredPtr old = known_->find(kind, document.key);
  const size_t before = old != nullptr ? old->record_bytes : 0;
  size_t others = 0;
  for (const RegisteredPtr& row : known_->rows(kind)) others += row->record_bytes;
  others -= before;
  for (const auto& write : remaining(writes_)) {
    if (write->kind == kind && write->document != nullptr) others += write->document->record_bytes;
  }
  if (bytes > before && others + bytes > options_.max_bytes) {
    co_return fail(kScopeFull, "`" + document.key + "` needs " + std::to_string(bytes) +
                                   " bytes, what is registered already has " +
                                   std::to_string(others) + ", and at most " +
                                   std::to_string(options_.max_bytes) + " can be listed");
  }
  const std::string key = document.key;
  const std::shared_ptr<const Write> write = add(
      writes_, Write{kind, key, std::make_shared<const RegisteredDocument>(std::move(document))});
  const Result<json::Raw> reply =
      co_await call("state::set", place_in(scope_name(kind), key, record));
  if (!reply) co_return std::unexpected(reply.error());
  written(*write);
  co_return Result<void>();
}

// Whatever `state::delete` gives back was there, an empty object or `false` included.
task::Task<Result<bool>> RegistrationFeed::remove(ChangeKind kind, std::string key) {
  const std::shared_ptr<const Write> write = add(writes_, Write{kind, key, nullptr});
  const Result<json::Raw> reply = co_await call("state::delete", place_in(scope_name(kind), key));
  if (!reply) co_return std::unexpected(reply.error());
  written(*write);
  co_return json::trimmed(reply->text) != "null";
}

void RegistrationFeed::written(const Write& write) {
  for (const auto& list : remaining(lists_)) {
    if (list->kind == write.kind) list->written.insert(write.key);
  }
  auto now = std::make_shared<Registrations>(*known_);
  set_row(now->rows(write.kind), write.key, write.document);
  if (*now != *known_) take(std::move(now), false);
}

void RegistrationFeed::take(RegistrationsPtr now, bool first) {
  known_ = std::move(now);
  if (options_.in_views) sink_(known_, first);
}

// Whether `after` in the place of `before` is what the snapshot has, or what we are writing.
bool RegistrationFeed::is_known(ChangeKind kind, const RegisteredDocument* after,
                                const RegisteredDocument* before) const {
  const auto has = [&](const std::string& key, const RegisteredDocument* document) {
    const auto same = [document](const RegisteredPtr& row) {
      return row == nullptr || document == nullptr ? row.get() == document
                                                   : same_record(*row, *document);
    };
    const auto writing = [&](const std::shared_ptr<Write>& write) {
      return write->kind == kind && write->key == key && same(write->document);
    };
    return same(known_->find(kind, key)) || std::ranges::any_of(remaining(writes_), writing);
  };
  if (after != nullptr && !has(after->key, after)) return false;
  const bool replaced = before == nullptr || (after != nullptr && after->key == before->key);
  return replaced || has(before->key, nullptr);
}

// The engine reports our own writes, too.
void RegistrationFeed::state_changed(std::string_view event) {
  events_ = true;
  const json::Slice payload = json::trimmed(event);
  const bool object = json::kind_of(payload) == json::Kind::kObject;
  const auto scope = object ? json::member(payload, "scope") : std::nullopt;
  const auto after = object ? json::member(payload, "new_value") : std::nullopt;
  const auto before = object ? json::member(payload, "old_value") : std::nullopt;
  if (!scope || !after || !before) return outdated();
  const bool skill = json::string_of(*scope) == options_.skills_scope;
  const ChangeKind kind = skill ? ChangeKind::kSkill : ChangeKind::kPrompt;
  const RegisteredPtr now = read_record(kind, *after).value_or(nullptr);
  const RegisteredPtr old = read_record(kind, *before).value_or(nullptr);
  if (!is_known(kind, now.get(), old.get())) outdated();
}

void RegistrationFeed::outdated() {
  ++changes_;
  silent_since_.reset();  // there is reason to believe that it answers
  plan_question();
}

bool RegistrationFeed::is_fresh_since(uint64_t change) const {
  if (!asked_at_ || answered_ < change) return false;
  return now_() - *asked_at_ < (events_ ? options_.ttl_with_events : options_.ttl);
}

task::Task<void> RegistrationFeed::refresh() {
  const uint64_t change = changes_;
  // A request that is under way may have been sent too early; the next one is not.
  for (bool waited = false; waited ? answered_ < change : !is_fresh_since(change); waited = true) {
    const bool silent = silent_since_.has_value();
    const bool may_ask = !silent || now_() - *silent_since_ >= options_.retry_after;
    if (!asking_.is_under_way() && may_ask) worker_.spawn(ask());
    if (silent || !asking_.is_under_way()) co_return;
    const Latch end = asking_.end();
    co_await end;
  }
}

task::Task<void> RegistrationFeed::ask() {
  const SingleFlight::Flight flight = asking_.begin();
  const uint64_t change = changes_;
  const auto begin = now_();
  std::optional<Error> problem;
  for (const ChangeKind kind : kBothKinds) {
    if (problem) break;
    Result<RegistrationsPtr> listed = co_await refresh(kind);
    if (!listed) problem = std::move(listed.error());
  }
  if (problem) {
    failed(*problem);
  } else {
    silent_since_.reset();
    reported_ = false;
  }
  // A quick refusal is an answer too: it is used until it is old.
  answered_ = change;
  asked_at_ = now_();
  took_ = *asked_at_ - begin;
  if (answered_ != changes_) plan_question();
}

void RegistrationFeed::failed(const Error& error) {
  if (error.code == sdk::kShuttingDown) return;
  if (error.code == sdk::kTimeout) silent_since_ = now_();
  if (std::exchange(reported_, true)) return;
  const char* shown = !answers_.empty() ? "the last ones known are shown" : "only files are shown";
  if (error.code == sdk::kFunctionNotFound) {
    log_info("this engine has no state, so nothing can be registered; {}", shown);
  } else {
    log_warn("registered skills and prompts cannot be read ({}); {}", error.message, shown);
  }
}

// Subscribers want to hear of it also when nobody reads. Never more than a twentieth of the time.
void RegistrationFeed::plan_question() {
  if (question_timer_ != 0) return;
  const auto pause = std::min<std::chrono::nanoseconds>(20 * took_, options_.retry_after);
  const auto delay = std::max(std::chrono::duration_cast<std::chrono::microseconds>(pause),
                              std::chrono::microseconds(options_.gather));
  question_timer_ = worker_.core().loop.after(delay, [this] {
    question_timer_ = 0;
    if (!asking_.is_under_way() && needs_refresh()) worker_.spawn(ask());
  });
}

}  // namespace iii::directory
