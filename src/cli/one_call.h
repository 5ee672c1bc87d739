// One call to a running engine from the command line: connect, ask, wait, leave.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"

namespace iii::cli {

struct OneCall {
  std::string address = "localhost";
  uint16_t port = 0;
  std::string token;  // empty: none
  std::string function_id;
  std::string payload = "{}";  // JSON text
  std::optional<std::string> name_space;
  std::chrono::milliseconds timeout{30'000};
};

struct CallOutcome {
  enum class Kind { kResult, kRemoteError, kUnreachable, kTimedOut };
  Kind kind = Kind::kResult;
  std::string text;  // JSON of the result or of the error body; else a sentence
};

CallOutcome call_once(const OneCall& call);

}  // namespace iii::cli
