#include "directory/library/registration_feed.h"

#include <algorithm>
#include <utility>

#include "foundation/base/log.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

// All of it but what was written by ourselves since we came.
RegistrationsPtr without(const RegistrationsPtr& all,
                         const std::set<std::pair<ChangeKind, std::string>>& written) {
  if (written.empty()) return all;
  auto out = std::make_shared<Registrations>(*all);
  const auto is_written = [&](ChangeKind kind) {
    return [&written, kind](const RegisteredDocument& row) {
      return written.contains(std::pair(kind, row.key));
    };
  };
  std::erase_if(out->skills, is_written(ChangeKind::kSkill));
  std::erase_if(out->prompts, is_written(ChangeKind::kPrompt));
  return out;
}

}  // namespace

RegistrationFeed::RegistrationFeed(sdk::Worker& worker, RegistrationStore& store,
                                   task::Pool& thread, RegistrationFeedOptions options, Sink sink,
                                   Clock now)
    : worker_(worker),
      store_(store),
      thread_(thread),
      options_(options),
      sink_(std::move(sink)),
      now_(std::move(now)) {
  bind_events();
  worker_.on_ready([this] {
    // Another engine, or the same with what happened meanwhile.
    events_ = false;
    outdated();
    if (!under_way_) begin_question();
  });
}

RegistrationFeed::~RegistrationFeed() { worker_.core().loop.cancel(question_timer_); }

// An engine without `state` keeps the wish until there is one, or refuses it: then the snapshot
// ages.
void RegistrationFeed::bind_events() {
  for (const std::string& id : std::exchange(bindings_, {})) worker_.unbind(id);
  const RegistrationStoreOptions& where = store_.options();
  for (const std::string& scope : {where.skills_scope, where.prompts_scope}) {
    const json::Value filter = json::Object{{"scope", scope}};
    if (auto bound = worker_.bind("state", kOnStateChange, filter)) {
      bindings_.push_back(std::move(*bound));
    }
  }
}

void RegistrationFeed::set_options(RegistrationFeedOptions options) {
  options_ = options;
  bind_events();
  outdated();
}

void RegistrationFeed::state_changed() {
  events_ = true;
  outdated();
}

void RegistrationFeed::changed(ChangeKind kind, std::string_view key) {
  if (known_ == nullptr) written_.emplace(kind, key);
  outdated();
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
    if (!under_way_ && (!silent || now_() - *silent_since_ >= options_.retry_after)) {
      begin_question();
    }
    if (silent || !under_way_) co_return;
    const Latch answer = *under_way_;
    co_await answer;
  }
}

void RegistrationFeed::begin_question() {
  under_way_.emplace();
  worker_.spawn(ask());
}

task::Task<void> RegistrationFeed::ask() {
  const uint64_t change = changes_;
  const auto begin = now_();
  Result<std::vector<RegisteredSkill>> skills = co_await store_.skills();
  if (!skills) {
    failed(skills.error());
  } else {
    Result<std::vector<RegisteredPrompt>> prompts = co_await store_.prompts();
    if (prompts) {
      silent_since_.reset();
      said_ = false;
      const bool nothing = skills->empty() && prompts->empty() && (!known_ || known_->empty());
      auto make = [skills = std::move(*skills), prompts = std::move(*prompts),
                   before = known_]() mutable {
        return make_registrations(std::move(skills), prompts, before);
      };
      take(nothing ? make() : co_await thread_.run(std::move(make)));
    } else {
      failed(prompts.error());
    }
  }
  // A quick refusal is an answer too: it is used until it is old.
  answered_ = change;
  asked_at_ = now_();
  took_ = *asked_at_ - begin;
  Latch answer = std::move(*under_way_);
  under_way_.reset();
  if (answered_ != changes_) plan_question();
  answer.open();
}

void RegistrationFeed::take(RegistrationsPtr found) {
  if (known_ == nullptr) sink_(without(found, std::exchange(written_, {})), true);
  known_ = std::move(found);
  sink_(known_, false);
}

void RegistrationFeed::failed(const Error& error) {
  if (error.code == sdk::kShuttingDown) return;
  if (error.code == sdk::kTimeout) silent_since_ = now_();
  if (std::exchange(said_, true)) return;
  const char* shown = known_ != nullptr ? "the last ones known are shown" : "only files are shown";
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
    if (!under_way_ && !is_fresh()) begin_question();
  });
}

}  // namespace iii::directory
