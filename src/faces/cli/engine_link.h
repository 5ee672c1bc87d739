// A connection to a running engine from the command line: connect, ask, wait.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bus/net/client.h"
#include "faces/cli/args.h"
#include "foundation/base/result.h"

namespace iii::cli {

struct EngineAddress {
  net::Url url;
  std::string token;        // empty: none
  bool explicitly = false;  // somebody named it, with an option or III_URL

  std::string text() const;  // `ws://host:port`
};

// From --url, --address and --port, III_URL, and --token or III_TOKEN. Error code `usage`.
Result<EngineAddress> engine_address(const Args& args);

// Blocking; used by one thread.
class EngineLink {
 public:
  using Millis = std::chrono::milliseconds;

  // To find out whether a server runs here. Without one the connection is refused at once: the time
  // is for a server that is busy.
  static constexpr Millis kLooking{3'000};

  // Errors: `unreachable`, `unauthorized`; the message says what to do.
  static Result<std::unique_ptr<EngineLink>> open(const EngineAddress& address, Millis timeout);
  ~EngineLink();

  struct Call {
    std::string function_id;
    std::string payload = "{}";  // JSON text
    std::optional<std::string> name_space = {};
    Millis timeout{30'000};
    // A function without input that is called now and then while the answer is awaited, and who
    // gets its answers: how far it is.
    std::string meanwhile = {};
    std::function<void(std::string_view)> on_meanwhile = {};
  };
  // JSON text. An error has the code that the engine or the function gave; `timed_out`,
  // `unreachable` and, after catch_interrupts(), `interrupted` are ours.
  Result<std::string> call(const Call& call);
  // Of the last error, where there was one.
  const std::string& stack() const;

 private:
  class Impl;
  explicit EngineLink(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace iii::cli
