#include "app/daemon/first_entry.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "bus/sdk/worker.h"
#include "foundation/base/log.h"

namespace iii::daemon {

namespace {

constexpr std::chrono::milliseconds kEntryTimeout{5'000};

// Entries that nobody set, and engines without a configuration.
bool means_nothing_set(const std::string& code) {
  return code == sdk::kFunctionNotFound || code == "NOT_FOUND" || code == "SCHEMA_INVALID";
}

task::Task<void> ask_for_entry(sdk::Worker& worker, std::string id,
                               std::optional<json::Value>& value) {
  const json::Value which = json::Object{{"id", id}};
  const sdk::CallOptions options{.timeout = kEntryTimeout};
  const sdk::Reply<json::Value> reply =
      co_await worker.trigger<json::Value>("configuration::get", which, options);
  if (!reply && reply.error().code == sdk::kConnectionLost) co_return;  // it connects again
  if (!reply && !means_nothing_set(reply.error().code)) {
    log_warn("configuration entry {} cannot be read ({}); this start does without it", id,
             reply.error().code);
  }
  const json::Value* found = reply ? reply->find("value") : nullptr;
  value = found != nullptr ? *found : json::Value();
  worker.stop();
}

}  // namespace

std::optional<json::Value> first_entry(sdk::WorkerOptions options, const std::string& id) {
  // Two live workers cannot have one name, and ours is needed in a moment.
  options.name = "iii-directory:" + std::to_string(::getpid());
  options.indispensable.clear();
  sdk::Worker worker(std::move(options));
  std::optional<json::Value> value;
  bool ended = false;
  net::Loop& loop = worker.core().loop;
  loop.on_stop_signals([&] {
    log_info("stopping");
    ended = true;
    worker.stop();
  });
  // Read again when it is built; until then there is nothing to reload.
  loop.on_reload_signal([] {});
  worker.on_ready([&] { worker.spawn(ask_for_entry(worker, id, value)); });
  if (!worker.start()) return json::Value();  // the worker itself says why
  loop.run();
  if (ended) return std::nullopt;
  return std::move(value).value_or(json::Value());
}

}  // namespace iii::daemon
