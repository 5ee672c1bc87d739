// What an engine says about itself, in one shape whatever its age: engines before 0.13 answer under
// other names (engine-functions §1.1).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/table/engine_client.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"
#include "foundation/task/task.h"

namespace iii::directory {

class Guides;

inline constexpr std::chrono::milliseconds kEngineTimeout{10'000};

// The engine as it is asked on behalf of one call.
struct EngineCaller {
  EngineClient& engine;
  Context context;
  Guides& guides;
};

struct EngineFunction {
  std::string id;
  std::optional<std::string> description = {};
  std::optional<json::Value> request_schema = {};
  std::optional<json::Value> response_schema = {};
  std::optional<json::Value> metadata = {};
  std::optional<std::string> worker_name = {};  // newer engines say it here
  std::optional<std::string> name_space = {};
};

struct EngineWorker {
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> version;
  std::optional<std::string> runtime;
  std::optional<std::string> os;
  std::string status;
  uint64_t function_count = 0;
  uint64_t connected_at_ms = 0;
  uint64_t active_invocations = 0;
  std::optional<std::string> isolation;
  std::optional<std::string> ip_address;
  std::optional<std::vector<std::string>> functions;  // older engines list them here
};

struct EngineTriggerType {
  std::string id;
  std::string description;
  std::optional<json::Value> configuration_schema = {};  // of a binding's config
  std::optional<json::Value> request_schema = {};        // of what bound functions get
  std::optional<std::string> worker_name = {};           // newer engines say it
};

// A binding of a function to a trigger type.
struct EngineTrigger {
  std::string id;
  std::string trigger_type;
  std::string function_id;
  json::Value config;
  std::optional<json::Value> metadata;
};

struct EngineLists {
  std::vector<EngineFunction> functions;
  std::vector<EngineWorker> workers;
  std::vector<EngineTriggerType> types;
  std::vector<EngineTrigger> triggers;
};

// Which lists are wanted; the others stay empty.
struct WantedLists {
  bool functions = false;
  bool internal = false;  // also functions that the engine hides by default
  bool workers = false;
  bool types = false;
  bool triggers = false;
};

// Asked anew, all at once. A failure names the function of the engine that failed.
task::Task<Result<EngineLists>> ask_engine(EngineCaller caller, WantedLists wanted);

// One question; nothing when the engine has no such function (it is older) or knows nothing of that
// name.
struct EngineAnswer {
  enum class Kind { kFound, kUnknown, kOldEngine };
  Kind kind = Kind::kFound;
  json::Value value;
};
task::Task<Result<EngineAnswer>> ask_engine_about(EngineCaller caller, std::string function_id,
                                                  json::Value question);

// Rows of one answer; what has no id is left out.
std::vector<EngineFunction> functions_in(const json::Value& answer);
std::vector<EngineWorker> workers_in(const json::Value& answer);
std::vector<EngineTriggerType> types_in(const json::Value& answer, std::string_view key);
std::vector<EngineTrigger> triggers_in(const json::Value& answer, std::string_view key);
EngineFunction function_of(const json::Value& row);
EngineTriggerType type_of(const json::Value& row);
// 0 unless the member is a positive integer.
uint64_t count_in(const json::Value& row, std::string_view key);

}  // namespace iii::directory
