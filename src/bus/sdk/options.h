// Options of a worker and its connection to the engine. Blank fields are filled from the
// environment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/protocol/limits.h"
#include "bus/sdk/backoff.h"
#include "foundation/base/timers.h"

namespace iii::sdk {

struct WorkerOptions {
  std::string url = {};      // III_URL, else ws://127.0.0.1:49134; wss:// for TLS
  std::string ca_file = {};  // III_CA_FILE: with wss, trust only the authorities in this PEM file
  std::string name = {};     // III_WORKER_NAME, else host:pid. One live worker per name
  std::string description = {};  // shown in the engine's listings
  std::string version = {};      // of the worker; else of this SDK
  std::string name_space = {};   // III_NAMESPACE, else the engine's default
  std::string token = {};        // III_TOKEN: `Authorization: Bearer …` on every socket
  // Functions whose ids begin so are what this worker is for: when another live worker has one,
  // this one ends (Worker::fatal_error). Empty: a function that is taken is a warning, and the rest
  // is served.
  std::string indispensable = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  // of the worker's socket only
  std::string project_name = {};                                  // for telemetry; none when empty

  // This worker is never started: a call fails at once instead of waiting for an engine.
  bool offline = false;

  Millis call_timeout = protocol::kCallTimeout;
  Millis connect_timeout{10'000};
  Millis ready_timeout{5'000};   // for an engine that never answers the announce
  Millis shutdown_grace{1'000};  // for handlers that are still running when stop() is asked
  BackoffOptions backoff = {};
  // Send an answer again this long after its call arrived, unless it took that long anyway. The
  // public engine records a call only after it has forwarded it, and drops an answer that comes
  // sooner; of two answers it ignores the second. 0: every answer is sent once.
  std::chrono::milliseconds answer_repeat{0};

  size_t max_queued_bytes = 16 * 1024 * 1024;  // frames kept while the engine is away
  size_t max_pending_calls = 100'000;          // calls of ours that wait for their answer
  size_t max_running_calls = 10'000;  // coroutine handlers at work; more are answered `worker_busy`
  size_t pool_threads = 4;            // for blocking work; started when first needed
};

// The same with every blank filled.
WorkerOptions with_environment(WorkerOptions options);

// `data` of engine::workers::register: who we are (wire §4.2).
std::string announcement(const WorkerOptions& options);

}  // namespace iii::sdk
