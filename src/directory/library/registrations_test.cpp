// What is asked of `state::*`, and what is made of its answers (skills-legacy §3, §11).
#include "directory/library/registration_feed.h"

#include <gtest/gtest.h>

#include <map>

#include "bus/sdk/fake_engine.h"
#include "directory/library/cause.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

constexpr ChangeKind kSkill = ChangeKind::kSkill;
constexpr ChangeKind kPrompt = ChangeKind::kPrompt;
using Ids = std::vector<std::string>;

class RegisteredTest : public testing::Test {
 protected:
  RegisteredTest()
      : engine(loop), worker(sdk::WorkerOptions{.name = "w"}, loop, engine.transport()) {
    engine.on_frame = [this](const json::Value& frame) {
      const json::Value* function = frame.find("function_id");
      if (function == nullptr || function->as_string() == nullptr) return;
      const auto script = answers.find(*function->as_string());
      if (script == answers.end()) return;
      asked.push_back(json::to_text(*frame.find("data")));
      engine.answer(frame, script->second);
    };
    EXPECT_TRUE(worker.start());
    engine.run_until([this] { return worker.state() == sdk::SessionState::kReady; });
  }
  void TearDown() override { engine.deafen(); }

  template <typename T>
  T run(task::Task<T> task) {
    std::optional<T> out;
    worker.spawn(keep(std::move(task), out));
    engine.run_until([&out] { return out.has_value(); });
    return std::move(*out);
  }

  std::vector<std::string> ids(const std::string& reply) {
    answers["state::list"] = ",\"result\":" + reply;
    const auto now = run(registered.refresh(kSkill));
    std::vector<std::string> out;
    if (now) {
      for (const RegisteredPtr& skill : (*now)->skills) out.push_back(skill->key);
    }
    return out;
  }

  std::map<std::string, std::string> answers;
  std::vector<std::string> asked;
  net::Loop loop;
  sdk::FakeEngine engine;
  sdk::Worker worker;
  task::Pool thread{loop, 1};
  RegistrationOptions options{.skills_scope = "s", .prompts_scope = "p", .in_views = false};
  RegistrationFeed registered{worker, thread, options, [](RegistrationsPtr, bool) {}};

 private:
  template <typename T>
  static task::Task<void> keep(task::Task<T> task, std::optional<T>& out) {
    out = co_await task;
  }
};

std::string record(const std::string& id) {
  return R"({"id":")" + id + R"(","skill":"x","registered_at":"t"})";
}

}  // namespace

TEST_F(RegisteredTest, EveryShapeOfAListIsUnderstood) {
  EXPECT_EQ(ids("[" + record("b") + "," + record("a") + "]"), (Ids{"a", "b"}));
  EXPECT_EQ(ids(R"({"items":[{"value":)" + record("a") + R"(},{"key":"x"}]})"), Ids{"a"});
  EXPECT_EQ(ids(R"({"value":[)" + record("a") + "]}"), Ids{"a"});
  EXPECT_EQ(ids(R"({"items":"x","value":[)" + record("v") + "]}"), Ids{"v"});
  for (const char* reply : {R"({"a":{}})", "{}", "null", "5", "\"x\"", "true"}) {
    EXPECT_EQ(ids(reply), Ids{}) << reply;
  }
  EXPECT_EQ(ids(R"([null,1,"x",{"id":"half"},)" + record("ok") + "]"), Ids{"ok"});
  EXPECT_EQ(asked.front(), R"({"scope":"s"})");
}

TEST_F(RegisteredTest, ARecordIsStoredAsThePublishedWorkerStoredIt) {
  answers["state::set"] = ",\"result\":{\"error\":\"ignored\"}";
  const RegisteredDocument prompt{.key = "n",
                                  .registered_at = "t",
                                  .description = "d",
                                  .arguments = {{.name = "a"}, {.name = "b", .description = "B"}},
                                  .function_id = "f"};
  EXPECT_TRUE(run(registered.put(kPrompt, prompt)));
  EXPECT_EQ(
      asked.front(),
      R"({"key":"n","scope":"p","value":{"arguments":[{"name":"a","required":false},{"description":"B","name":"b","required":false}],"description":"d","function_id":"f","name":"n","registered_at":"t"}})");
}

TEST_F(RegisteredTest, NullMeansAbsentAndAnythingElseMeansRemoved) {
  for (const auto& [reply, removed] : std::vector<std::pair<const char*, bool>>{
           {"null", false}, {"{}", true}, {"false", true}, {"0", true}, {"\"\"", true}}) {
    answers["state::delete"] = std::string(",\"result\":") + reply;
    EXPECT_EQ(run(registered.remove(kSkill, "a")).value(), removed) << reply;
  }
  answers["state::delete"] = "";  // engines leave `result` out for null
  EXPECT_FALSE(run(registered.remove(kPrompt, "a")).value());
  answers["state::get"] = "";
  EXPECT_FALSE(run(registered.refresh(kSkill, "a")).value());
}

TEST_F(RegisteredTest, WhatCouldNotBeListedIsRefused) {
  const auto skill = [](const std::string& id, size_t bytes) {
    return RegisteredDocument{.key = id, .text = std::string(bytes, 'x'), .registered_at = "t"};
  };
  const auto record = [&](const std::string& id, size_t bytes) {
    RegisteredDocument document = skill(id, bytes);
    return store_record(kSkill, document);
  };
  const size_t size = record("a", 100).size();
  registered.set_options({.skills_scope = "s", .max_bytes = 3 * size});
  answers["state::set"] = ",\"result\":{}";
  answers["state::delete"] = ",\"result\":{}";
  // Somebody else wrote one of them.
  EXPECT_EQ(ids("[" + record("a", 100) + "]"), Ids{"a"});
  EXPECT_TRUE(run(registered.put(kSkill, skill("b", 100))));
  EXPECT_TRUE(run(registered.put(kSkill, skill("c", 100)))) << "exactly the limit";
  const size_t calls = asked.size();
  const Result<void> refused = run(registered.put(kSkill, skill("d", 1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, kScopeFull);
  EXPECT_EQ(asked.size(), calls) << "nothing was stored";
  EXPECT_TRUE(run(registered.put(kSkill, skill("c", 99)))) << "one that gets smaller";
  EXPECT_TRUE(run(registered.remove(kSkill, "a")));
  EXPECT_TRUE(run(registered.put(kSkill, skill("d", 1))));
}

TEST_F(RegisteredTest, AForeignRecordIsAnErrorThatNamesIt) {
  answers["state::get"] = R"(,"result":{"value":{}})";
  const auto skill = run(registered.refresh(kSkill, "a"));
  ASSERT_FALSE(skill);
  EXPECT_EQ(skill.error().code, kUnreadableRecord);
  EXPECT_EQ(skill.error().message, "the stored skill `a` cannot be read: missing field `id`");
}

TEST_F(RegisteredTest, AListThatWasAskedForBeforeAWriteDoesNotUndoIt) {
  std::vector<json::Value> lists;
  engine.on_frame = [&](const json::Value& frame) {
    const json::Value* function = frame.find("function_id");
    if (function == nullptr) return;
    if (*function == json::Value("state::list")) lists.push_back(frame);
    if (*function == json::Value("state::set")) engine.answer(frame, ",\"result\":{}");
  };
  std::optional<Result<RegistrationsPtr>> listed;
  worker.spawn([](RegistrationFeed& from, auto& out) -> task::Task<void> {
    out = co_await from.refresh(kSkill);
  }(registered, listed));
  engine.run_until([&] { return lists.size() == 1; });
  EXPECT_TRUE(run(registered.put(kSkill, {.key = "mine", .text = "x", .registered_at = "t"})));
  engine.answer(lists[0], ",\"result\":[" + record("theirs") + "]");
  engine.run_until([&] { return listed.has_value(); });
  ASSERT_TRUE(*listed);
  EXPECT_NE((**listed)->find(kSkill, "mine"), nullptr);
  EXPECT_NE((**listed)->find(kSkill, "theirs"), nullptr);
}

TEST_F(RegisteredTest, FailuresCarryTheirCause) {
  answers["state::list"] = R"(,"error":{"code":"boom","message":"disk full"})";
  const auto skills = run(registered.refresh(kSkill));
  ASSERT_FALSE(skills);
  EXPECT_EQ(skills.error().message, "state::list: boom: disk full");
  registered.set_options({.timeout = std::chrono::milliseconds(1)});
  const auto silent = run(registered.remove(kSkill, "a"));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().message, "state::delete: timed out after 1 ms");
}

}  // namespace iii::directory
