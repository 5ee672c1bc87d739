// For tests: the functions of the directory on a worker, real files below, an engine that the test
// plays. Time stands still until the test moves it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bus/sdk/fake_engine.h"
#include "directory/content/fixture_for_test.h"
#include "directory/library/library.h"
#include "directory/reading/builtin_docs.h"
#include "directory/reading/doctor.h"
#include "directory/reading/fixes.h"
#include "directory/reading/prompts.h"
#include "directory/reading/skills.h"
#include "directory/table/bus.h"
#include "directory/table/function_table.h"

namespace iii::directory {

// Every thread of a pool waits until end(): what happens meanwhile happens elsewhere.
class BusyPool {
 public:
  explicit BusyPool(task::Pool& pool) {
    constexpr int kMoreThanThreads = 64;
    const std::shared_future<void> over = end_.get_future().share();
    for (int i = 0; i < kMoreThanThreads; ++i) {
      static_cast<void>(pool.run([over] { over.wait(); }));
    }
  }
  ~BusyPool() { end(); }
  BusyPool(const BusyPool&) = delete;
  BusyPool& operator=(const BusyPool&) = delete;
  void end() {
    if (!std::exchange(is_over_, true)) end_.set_value();
  }

 private:
  std::promise<void> end_;
  bool is_over_ = false;
};

class DirectoryTest : public testing::Test {
 protected:
  using Time = std::chrono::steady_clock::time_point;

  DirectoryTest()
      : engine(loop),
        worker(sdk::WorkerOptions{.name = "iii-directory"}, loop, engine.transport()) {
    engine.on_frame = [this](const json::Value& frame) { received(frame); };
  }

  void TearDown() override { engine.deafen(); }

  // Starts the worker with every function of the read side; set the members below before.
  void start() {
    open_library();
    add_skill_functions(table, *library, limits);
    add_prompt_functions(table, *library, arguments_of, limits.max_answer_bytes);
    add_doctor(table, {.library = *library});
    add_fixes(table, *library);
    serve();
  }
  // Starts the worker with what is in the table.
  void serve() {
    serve_on(worker, table);
    ASSERT_TRUE(worker.start());
    engine.run_until([this] { return worker.state() == sdk::SessionState::kReady; });
  }

  void open_library() {
    LibraryOptions options;
    options.installed = installed_options;
    options.registrations = registrations;
    options.clock = [this] { return now; };
    options.gather = gather;
    library = std::make_unique<Library>(
        worker, Folders{.content = content::Content::open(content_options), .gate = nullptr},
        std::move(options));
  }

  // Sends a call; its answer can be waited for with outcome().
  std::string send(const std::string& function, const std::string& payload) {
    const std::string digits = std::to_string(++calls_);
    const std::string id =
        "11111111-1111-4111-8111-" + std::string(12 - digits.size(), '0') + digits;
    engine.send(R"({"type":"invokefunction","invocation_id":")" + id + R"(","function_id":")" +
                function + R"(","data":)" + payload + "}");
    return id;
  }
  // The whole answering frame.
  json::Value outcome(const std::string& id) {
    json::Value found;
    engine.run_until([&] {
      for (const json::Value& frame : engine.of_type("invocationresult")) {
        if (*frame.find("invocation_id") != json::Value(id)) continue;
        found = frame;
        return true;
      }
      return false;
    });
    return found;
  }
  bool is_answered(const std::string& id) const {
    for (const json::Value& frame : engine.of_type("invocationresult")) {
      if (*frame.find("invocation_id") == json::Value(id)) return true;
    }
    return false;
  }
  json::Value ask(const std::string& function, const std::string& payload = "{}") {
    const json::Value frame = outcome(send(function, payload));
    const json::Value* result = frame.find("result");
    EXPECT_NE(result, nullptr) << json::to_text(frame);
    return result != nullptr ? *result : json::Value();
  }
  // The message of the error that a call is answered with.
  std::string refusal(const std::string& function, const std::string& payload) {
    const json::Value frame = outcome(send(function, payload));
    const json::Value* error = frame.find("error");
    if (error == nullptr) {
      ADD_FAILURE() << "no error: " << json::to_text(frame);
      return "";
    }
    EXPECT_EQ(*error->find("code"), json::Value("invocation_failed"));
    return *error->find("message")->as_string();
  }
  static std::string text(const json::Value& object, std::string_view key) {
    const json::Value* member = object.find(key);
    return member != nullptr && member->as_string() != nullptr ? *member->as_string() : "(none)";
  }
  std::vector<std::string> listed(const std::string& payload = "{}") {
    std::vector<std::string> out;
    const json::Value answer = ask("directory::skills::list", payload);
    for (const json::Value& row : *answer.find("skills")->as_array()) {
      out.push_back(text(row, "id"));
    }
    return out;
  }

  content::TempTree tree;
  content::ContentOptions content_options = tree.options();
  InstalledWorkersOptions installed_options{.filter = false};
  std::optional<RegistrationOptions> registrations;
  SkillLimits limits;
  ArgumentsOf arguments_of;
  Time now{std::chrono::hours(1)};
  std::chrono::milliseconds gather = LibraryOptions().gather;

  // What `worker::list` does: answers this, or refuses at once, or says nothing.
  enum class Manager { kAnswers, kAbsent, kHangs };
  Manager manager = Manager::kAbsent;
  std::string workers = R"({"workers":[]})";
  std::vector<json::Value> questions;  // calls of worker::list

  net::Loop loop;
  sdk::FakeEngine engine;
  sdk::Worker worker;
  BusClient client{worker};
  FunctionTable table;
  std::unique_ptr<Library> library;

 private:
  void received(const json::Value& frame) {
    if (text(frame, "function_id") != "worker::list") return;
    questions.push_back(frame);
    if (manager == Manager::kAnswers) engine.answer(frame, ",\"result\":" + workers);
    if (manager == Manager::kAbsent) {
      engine.answer(frame, R"(,"error":{"code":"function_not_found","message":"nobody"})");
    }
  }

  int calls_ = 0;
};

}  // namespace iii::directory
