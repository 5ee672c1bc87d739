#include "faces/console/call_rules.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "bus/sdk/error.h"

namespace iii::console {

namespace {

constexpr std::array<std::string_view, 5> kEngineNamespaces = {
    "engine::", "configuration::", "state::", "stream::", "worker::"};
constexpr std::array<std::string_view, 7> kReads = {"list",   "info",   "get",        "stats",
                                                    "health", "schema", "list_groups"};

constexpr std::string_view kTimedOut = "timeout";
constexpr std::string_view kStopped = "invocation_stopped";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `D110 not_found: …`
bool has_own_code(std::string_view text) {
  return text.size() > 4 && text[0] == 'D' && is_digit(text[1]) && is_digit(text[2]) &&
         is_digit(text[3]) && text[4] == ' ';
}

}  // namespace

CallRule rule_of(const directory::Hints& hints) {
  if (hints.internal) return CallRule::kRefuse;
  return hints.read_only ? CallRule::kRun : CallRule::kConfirm;
}

bool is_known_read(std::string_view function_id) {
  const bool of_engine = std::ranges::any_of(
      kEngineNamespaces, [&](std::string_view prefix) { return function_id.starts_with(prefix); });
  if (!of_engine) return false;
  const std::string_view verb = function_id.substr(function_id.rfind(':') + 1);
  return std::ranges::find(kReads, verb) != kReads.end();
}

json::Value hints_json(const std::optional<directory::Hints>& hints) {
  if (!hints) return nullptr;
  return json::Object{{"read_only", hints->read_only},
                      {"destructive", hints->destructive},
                      {"idempotent", hints->idempotent},
                      {"network", hints->network}};
}

int status_of(const Error& error) {
  using Status = std::pair<std::string_view, int>;
  static constexpr Status kCodes[] = {{sdk::kFunctionNotFound, 404},
                                      {"NOT_FOUND", 404},
                                      {sdk::kTimeout, 504},
                                      {"cancelled", 409},
                                      {sdk::kPayloadTooLarge, 413},
                                      {sdk::kConnectionLost, 503},
                                      {sdk::kShuttingDown, 503},
                                      {sdk::kQueueFull, 503},
                                      {sdk::kTooManyCalls, 503},
                                      {sdk::kWorkerBusy, 503},
                                      {"callee_busy", 503},
                                      {"caller_busy", 503},
                                      {"no_engine", 503},
                                      {kStopped, 502},
                                      {"deserialization_error", 400}};
  static constexpr Status kWords[] = {
      {"not_found:", 404}, {"invalid_input:", 400}, {"too_large:", 413}};
  const auto status = [](std::span<const Status> table, std::string_view word) {
    const auto found = std::ranges::find(table, word, &Status::first);
    return found == table.end() ? 422 : found->second;
  };
  if (!has_own_code(error.message)) return status(kCodes, error.code);
  // `D110 not_found: …`
  const std::string_view rest = std::string_view(error.message).substr(5);
  return status(kWords, rest.substr(0, rest.find(' ')));
}

std::string_view code_of(const Error& error) {
  if (has_own_code(error.message)) return std::string_view(error.message).substr(0, 4);
  return error.code == sdk::kTimeout ? kTimedOut : std::string_view(error.code);
}

std::string message_of(const Error& error) {
  if (error.code != kStopped) return error.message;
  return "The worker left before it answered; it may have done its work or not. Next: call the "
         "function again when its worker is back.";
}

}  // namespace iii::console
