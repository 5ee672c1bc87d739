// What a handler may know about the call that it answers, whichever way the call came.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace iii::directory {

struct CallProgress {
  std::string step;
  uint64_t done = 0;
  uint64_t total = 0;  // 0: not known
};

// A value: a coroutine keeps its own copy.
struct Context {
  // Who asks: the id of a worker as the engine attests it, or how the call came (`command line`).
  // Empty: the engine itself.
  std::string caller = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token cancelled = {};
  // May be empty. Called on any thread.
  std::function<void(const CallProgress&)> progress = {};
  // W3C trace context of the call; calls that are made on its behalf carry it on.
  std::optional<std::string> traceparent = {};
  std::optional<std::string> baggage = {};
};

}  // namespace iii::directory
