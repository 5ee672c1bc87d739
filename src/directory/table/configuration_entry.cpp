#include "directory/table/configuration_entry.h"

#include <utility>

#include "bus/sdk/worker.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"

namespace iii::directory {

namespace {

constexpr const char* kOnChange = "directory::on-config-change";
constexpr const char* kEntryId = "iii-directory";

}  // namespace

ConfigurationEntry::ConfigurationEntry(sdk::Worker& worker, FunctionTable& table,
                                       EntryOptions options, Changed changed)
    : worker_(worker),
      options_(std::move(options)),
      changed_(std::move(changed)),
      event_(worker, "configuration::on-updated", kOnChange) {
  if (const json::Object* known = options_.known.as_object()) kept_ = *known;
  table.add<json::Raw, json::Raw>({.id = kOnChange,
                                   .title = "Configuration changed",
                                   .description = about::kOnConfigChange,
                                   .hints = {.idempotent = true, .internal = true},
                                   .max_input_bytes = kAnyInputBytes},
                                  [this](const json::Raw&) { return on_change(); });
  const json::Value config = json::Object{{"configuration_id", options_.id},
                                          {"event_types", json::Array{"configuration:updated"}}};
  static_cast<void>(worker_.bind("configuration", kOnChange, config));
  worker_.on_ready([this] { tasks_.spawn(keep(++run_)); });
}

// Events can overtake each other, so the value is asked for and not taken from the event.
task::Task<json::Raw> ConfigurationEntry::on_change() {
  co_await fetch();
  co_return json::Raw{R"({"ok":true})"};
}

task::Task<void> ConfigurationEntry::keep(uint64_t run) {
  std::chrono::milliseconds pause = options_.pause;
  for (int attempt = 0; attempt < options_.attempts; ++attempt, pause *= 2) {
    if (attempt > 0) {
      co_await worker_.sleep(pause);
    }
    if (run != run_) co_return;
    const Step step = co_await enter();
    if (step == Step::kNobody) co_return;
    if (step == Step::kFailed) continue;
    const bool stayed = co_await stays();
    if (run != run_) co_return;
    if (!stayed) continue;
    co_await fetch();
    co_return;
  }
  log_warn(
      "the engine does not keep configuration entry {}; the configuration file and the environment "
      "count alone",
      options_.id);
}

task::Task<ConfigurationEntry::Step> ConfigurationEntry::enter() {
  json::Object entry{{"id", options_.id},
                     {"name", options_.name},
                     {"description", options_.description},
                     {"schema", options_.schema}};
  // Which form of a console belongs to an entry under another id.
  if (options_.id != kEntryId) entry["metadata"] = json::Object{{"ui_form", kEntryId}};
  const sdk::CallOptions call{.timeout = options_.timeout};
  const sdk::Reply<json::Raw> reply =
      co_await worker_.trigger("configuration::register", json::Value(std::move(entry)), call);
  if (reply) co_return Step::kDone;
  // Engines before 0.16 have no configuration to keep an entry in.
  if (reply.error().code == sdk::kFunctionNotFound) co_return Step::kNobody;
  log_debug("configuration::register: {} {}", reply.error().code, reply.error().message);
  co_return Step::kFailed;
}

task::Task<bool> ConfigurationEntry::stays() {
  const json::Value which = json::Object{{"id", options_.id}};
  const sdk::CallOptions call{.timeout = options_.timeout};
  for (const std::chrono::milliseconds pause : options_.checks) {
    co_await worker_.sleep(pause);
    const sdk::Reply<json::Value> row =
        co_await worker_.trigger<json::Value>("configuration::schema", which, call);
    const json::Value* schema = row ? row->find("schema") : nullptr;
    if (schema == nullptr || schema->is_null()) co_return false;
  }
  co_return true;
}

task::Task<sdk::Reply<json::Value>> ConfigurationEntry::get(bool raw) {
  json::Object which{{"id", options_.id}};
  if (raw) which["raw"] = true;
  const sdk::CallOptions call{.timeout = options_.timeout};
  co_return co_await worker_.trigger<json::Value>("configuration::get",
                                                  json::Value(std::move(which)), call);
}

json::Object ConfigurationEntry::missing_from(const json::Object& value) const {
  json::Object missing = options_.settings ? options_.settings() : json::Object();
  for (const auto& [key, kept] : kept_) missing[key] = kept;
  for (const auto& [key, set] : value) missing.erase(key);
  return missing;
}

// Whoever sets the entry at the same time is not overwritten: their value is completed instead.
task::Task<void> ConfigurationEntry::add(json::Object missing) {
  constexpr int kMostAttempts = 3;
  const sdk::Reply<json::Value> stored = co_await get(true);
  const json::Value* value = stored ? stored->find("value") : nullptr;
  json::Value base = value != nullptr ? *value : json::Value();
  json::Value expected = base;  // what our write should replace
  for (int attempt = 0; attempt < kMostAttempts && base.as_object() != nullptr; ++attempt) {
    json::Object whole = *base.as_object();
    for (const auto& [key, each] : missing) whole.try_emplace(key, each);
    const json::Value set = json::Object{{"id", options_.id}, {"value", whole}};
    const sdk::CallOptions call{.timeout = options_.timeout};
    const sdk::Reply<json::Value> reply =
        co_await worker_.trigger<json::Value>("configuration::set", set, call);
    if (!reply) {
      log_warn(
          "configuration entry {} could not be completed with the settings of the file ({}); an "
          "engine that removes the `config:` block of this worker removes them, too",
          options_.id, reply.error().code);
      co_return;
    }
    log_info("configuration entry {} was completed with what was set before", options_.id);
    const json::Value* before = reply->find("old_value");
    if (before == nullptr || *before == expected) co_return;
    base = *before;
    expected = std::move(whole);
  }
}

task::Task<void> ConfigurationEntry::fetch() {
  const sdk::Reply<json::Value> reply = co_await get(false);
  if (!reply) {
    log_warn("configuration entry {} cannot be read ({}); what is in force stays", options_.id,
             reply.error().code);
    co_return;
  }
  const json::Value* value = reply->find("value");
  json::Value now = value != nullptr ? *value : json::Value();
  if (now.as_object() != nullptr) {
    json::Object missing = missing_from(*now.as_object());
    json::Object whole = *now.as_object();
    whole.insert(missing.begin(), missing.end());
    now = kept_ = std::move(whole);
    if (!missing.empty()) co_await add(std::move(missing));
  } else {
    kept_.clear();
  }
  if (reported_ == now) co_return;
  reported_ = now;
  changed_(now);
}

}  // namespace iii::directory
