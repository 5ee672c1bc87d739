// What official clients sent to another server, replayed: every request gets an answer in its
// dialect.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "faces/mcp/fixture_for_test.h"

namespace iii::mcp {
namespace {

class McpGoldenTest : public McpTest, public testing::WithParamInterface<std::string> {};

bool is_stateless_request(const json::Value& message) {
  const json::Value* params = message.find("params");
  return params != nullptr && claims_version(*params);
}

TEST_P(McpGoldenTest, N81RecordedClientMessagesGetValidAnswers) {
  tree.put("global/demo/SKILL.md", kSkill);
  open();
  std::ifstream file(std::string(III_TEST_DATA) + "/mcp/" + GetParam());
  ASSERT_TRUE(file) << GetParam();
  std::map<std::string, bool> asked;  // id → stateless
  std::string line;
  int64_t process = 0;
  const auto finish = [&] {
    client->end_of_input();
    run_until([&] { return client->running() == 0; });
    for (const auto& [id, stateless] : asked) {
      const json::Value answer = answer_to(id);
      const json::Value* result = answer.find("result");
      if (result != nullptr) {
        EXPECT_EQ(result->find("resultType") != nullptr, stateless) << id;
      } else {
        EXPECT_NE(answer.find("error"), nullptr) << id;
      }
    }
    asked.clear();
    lines.clear();
  };
  while (std::getline(file, line)) {
    const json::Value recorded = json::parse(line).value();
    if (text(recorded, "from") != "client" || recorded.find("message") == nullptr) continue;
    const json::Value* its = recorded.find("process");
    if (its != nullptr && its->as_int() != nullptr && *its->as_int() != process) {
      if (process != 0) finish();
      process = *its->as_int();
      client = std::make_unique<Duplex>(
          *server, [this](std::string text) { lines.push_back(std::move(text)); });
    }
    const json::Value& message = *recorded.find("message");
    client->receive(json::to_text(message));
    const json::Value* id = message.find("id");
    if (id != nullptr && !id->is_null() && message.find("method") != nullptr) {
      asked[json::to_text(*id)] = is_stateless_request(message);
    }
    if (text(message, "method") == "notifications/cancelled") {
      const json::Value* cancelled = message.find("params")->find("requestId");
      if (cancelled != nullptr) asked.erase(json::to_text(*cancelled));
    }
  }
  finish();
}

std::vector<std::string> recordings() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(III_TEST_DATA) + "/mcp")) {
    if (entry.path().extension() == ".jsonl") out.push_back(entry.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Recordings, McpGoldenTest, testing::ValuesIn(recordings()),
                         [](const auto& each) {
                           std::string name;
                           for (const char c : each.param) name += std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace iii::mcp
