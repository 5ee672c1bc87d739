// Recordings of the published SDKs and of the public engine: every frame they exchanged is a frame
// of ours, and written again it says the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "bus/protocol/parser.h"
#include "bus/protocol/writer.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::protocol {
namespace {

struct Known {
  size_t index;  // in the Frame variant
  std::set<std::string, std::less<>> keys;
};

template <typename F>
Known known(std::set<std::string, std::less<>> keys) {
  keys.insert("type");
  return {Frame(F{}).index(), std::move(keys)};
}

// Keys beyond these (such as Node's `message_type`) are ignored and so do not come back.
const std::map<std::string, Known, std::less<>>& known_types() {
  static const std::map<std::string, Known, std::less<>> table{
      {"workerregistered", known<WorkerRegistered>({"worker_id", "reattach_token", "features"})},
      {"reattach", known<Reattach>({"previous_worker_id", "reattach_token"})},
      {"registerfunction",
       known<RegisterFunction>({"id", "description", "request_format", "response_format",
                                "metadata", "invocation", "observe", "args_format", "private",
                                "observable"})},
      {"unregisterfunction", known<UnregisterFunction>({"id"})},
      {"registertriggertype",
       known<RegisterTriggerType>(
           {"id", "description", "trigger_request_format", "call_request_format", "namespace"})},
      {"registertrigger", known<RegisterTrigger>({"id", "trigger_type", "function_id", "config",
                                                  "metadata", "namespace", "trigger_namespace"})},
      {"unregistertrigger", known<UnregisterTrigger>({"id", "trigger_type"})},
      {"triggerregistrationresult",
       known<TriggerRegistrationResult>({"id", "trigger_type", "function_id", "error"})},
      {"invokefunction", known<InvokeFunction>({"invocation_id", "function_id", "data", "action",
                                                "metadata", "traceparent", "baggage", "namespace",
                                                "caller", "observe_depth", "activation"})},
      {"invocationresult",
       known<InvocationResult>({"invocation_id", "function_id", "result", "error", "traceparent",
                                "baggage", "matched", "delivered"})},
      {"registerservice", known<RegisterService>({"id", "name", "description"})},
      {"registrationrejected", known<RegistrationRejected>({"code", "namespace", "function_id",
                                                            "worker_name", "owner_worker_id"})},
      {"observe", known<Observe>({"id", "source", "target", "metadata", "max_fires",
                                  "expires_in_ms", "max_in_flight"})},
      {"unobserve", known<Unobserve>({"id"})},
      {"observeresult", known<ObserveResult>({"id", "state", "error", "warnings"})},
      {"observerstatechanged", known<ObserverStateChanged>({"id", "state", "reason", "fires"})},
      {"functionregistered",
       known<FunctionRegistered>({"id", "namespace", "revision", "local_dispatch", "observers"})},
      {"observeradded", known<ObserverAdded>({"function_id", "namespace", "revision", "observer"})},
      {"observerremoved", known<ObserverRemoved>({"function_id", "namespace", "revision", "id"})},
      {"observerack", known<ObserverAck>({"function_id", "namespace", "id", "revision", "error"})},
      {"invocationsobserved", known<InvocationsObserved>({"items"})},
      {"localinvocationstats", known<LocalInvocationStats>({})},  // nothing of it is used
      {"ping", known<Ping>({})},
      {"pong", known<Pong>({})},
      {"error", known<ConnectionError>({"error"})},
  };
  return table;
}

// What the recordings hold on purpose and no engine understands.
const std::set<std::string, std::less<>> kUnknownTypes{"unregistertriggertype", "nope",
                                                       "totally-unknown", "<none>"};

std::string type_of(const json::Value& frame) {
  const json::Value* type = frame.find("type");
  return type != nullptr && type->as_string() != nullptr ? *type->as_string() : "<none>";
}

// Frames that the recordings hold on purpose and that cannot be read: unknown types, ids that are
// no UUIDs, errors without their two strings.
bool is_unreadable(const json::Value& frame) {
  if (kUnknownTypes.contains(type_of(frame))) return true;
  if (const json::Value* id = frame.find("invocation_id"); id != nullptr && id->as_string()) {
    if (!Uuid::parse(*id->as_string())) return true;
  }
  const json::Value* error = frame.find("error");
  if (error == nullptr || error->is_null()) return false;
  const auto is_text = [&](std::string_view key) {
    return error->find(key) != nullptr && error->find(key)->as_string() != nullptr;
  };
  return !is_text("code") || !is_text("message");
}

// The same frame without what parsing and writing take away (unknown keys, optional nulls, the
// default namespace of a binding, a result beside an error, other spellings of an id) and with what
// they add (a missing payload).
json::Value normal(const json::Value& frame, const Known& type) {
  const bool failed = frame.find("error") != nullptr && !frame.find("error")->is_null();
  const bool is_binding = type.keys.contains("trigger_namespace");
  json::Object out;
  for (const auto& [key, value] : *frame.as_object()) {
    const bool payload = key == "data" || key == "config";
    if (!type.keys.contains(key) || (value.is_null() && !payload)) continue;
    if (failed && key == "result") continue;
    if (is_binding && key.ends_with("namespace") && value == json::Value("default")) continue;
    out.emplace(key, value);
  }
  if (type.keys.contains("data")) out.try_emplace("data", nullptr);
  if (type.keys.contains("config")) out.try_emplace("config", nullptr);
  if (const auto id = out.find("invocation_id"); id != out.end()) {
    id->second = Uuid::parse(*id->second.as_string()).value_or(Uuid{}).to_string();
  }
  if (failed) {
    std::erase_if(*out["error"].as_object(),
                  [](const auto& member) { return member.second.is_null(); });
  }
  return out;
}

class GoldenFrames : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  Result<Frame> parse(std::string_view text) {
    text_.assign(text);
    text_.reserve(text.size() + 64);
    return parser_.parse(text_);
  }

  void check(const json::Value& frame) {
    const std::string text = json::to_text(frame);
    const std::string type = type_of(frame);
    const Result<Frame> parsed = parse(text);
    if (is_unreadable(frame)) {
      EXPECT_FALSE(parsed.has_value()) << text;
      return;
    }
    const auto expected = known_types().find(type);
    ASSERT_NE(expected, known_types().end()) << text;
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message << ": " << text;
    ASSERT_EQ(parsed->index(), expected->second.index) << text;
    const std::string again = std::visit([](const auto& f) { return to_text(f); }, *parsed);
    const auto reread = json::parse(again);
    ASSERT_TRUE(reread.has_value()) << again;
    EXPECT_EQ(json::to_text(normal(*reread, expected->second)),
              json::to_text(normal(frame, expected->second)));
    EXPECT_EQ(again.find("\"stacktrace\":null"), std::string::npos);
  }

  Parser parser_;
  std::string text_;
};

TEST_P(GoldenFrames, ParseIntoTheirTypeAndSayTheSameAgain) {
  std::ifstream file(GetParam());
  ASSERT_TRUE(file);
  size_t frames = 0;
  for (std::string text; std::getline(file, text);) {
    const auto line = json::parse(text);
    ASSERT_TRUE(line.has_value()) << text;
    // Channels carry items and /otel telemetry, not messages of the protocol.
    if (line->find("path") != nullptr || line->find("binary_prefix") != nullptr) continue;
    check(*line->find("frame"));
    ++frames;
  }
  EXPECT_GT(frames, 0U);
}

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(III_TEST_DATA) / "golden")) {
    if (entry.path().extension() == ".jsonl") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Recorded, GoldenFrames, ::testing::ValuesIn(recordings()),
                         [](const auto& tested) {
                           std::string name = tested.param.stem().string();
                           for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace iii::protocol
