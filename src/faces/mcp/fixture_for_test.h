// For tests: a server over real folders, and one client on a pair of pipes without descriptors.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/net/loop.h"
#include "bus/sdk/worker.h"
#include "directory/content/fixture_for_test.h"
#include "directory/discovery/function_catalog.h"
#include "directory/library/library.h"
#include "directory/reading/builtin_docs.h"
#include "directory/reading/prompts.h"
#include "directory/reading/skill_search.h"
#include "directory/reading/skills.h"
#include "directory/table/engine_client.h"
#include "directory/table/function_table.h"
#include "faces/mcp/duplex.h"
#include "faces/mcp/server.h"
#include "foundation/base/fake_timers.h"
#include "foundation/json/write.h"

namespace iii::mcp {

inline constexpr std::string_view kSkill =
    "---\nname: demo\ndescription: Shows how.\n---\n# Demo\n\nDo it.\n";

// An engine that answers from a table of functions.
class FakeEngineClient final : public directory::EngineClient {
 public:
  using EngineClient::call;
  sdk::Pending<json::Raw> call(const directory::Context&, std::string_view id,
                               std::string_view payload, std::chrono::milliseconds,
                               std::string_view name_space) override {
    auto state = std::make_shared<sdk::pending_detail::State>();
    calls.emplace_back(std::string(id), std::string(payload));
    namespaces.emplace_back(name_space);
    const auto found = answers.find(id);
    if (id == hangs) {
      hanging = state;
    } else if (found == answers.end()) {
      state->reply = std::unexpected(sdk::remote_error("function_not_found", "nobody"));
    } else {
      state->reply = json::Raw{found->second};
    }
    return sdk::Pending<json::Raw>(state);
  }
  sdk::Sleep sleep(std::chrono::milliseconds time) override { return {timers, time}; }

  FakeTimers timers;
  std::map<std::string, std::string, std::less<>> answers;
  std::string hangs;
  std::shared_ptr<sdk::pending_detail::State> hanging;
  std::vector<std::pair<std::string, std::string>> calls;
  std::vector<std::string> namespaces;  // of these calls; empty: none was named
};

class McpTest : public testing::Test {
 protected:
  McpTest() : worker(sdk::WorkerOptions{.name = "test"}, loop) {}

  // The folders are read now; set what they hold, and the options, before.
  void open() {
    directory::LibraryOptions library_options;
    library_options.installed.filter = false;
    library = std::make_unique<directory::Library>(
        worker,
        directory::Folders{.content = content::Content::open(content_options), .gate = nullptr},
        std::move(library_options));
    search = std::make_unique<directory::SkillSearch>(worker, *library);
    directory::add_skill_functions(table, *library, {}, search.get());
    directory::add_prompt_functions(table, *library);
    start();
    host.library = library.get();
    host.functions = &table;
    host.search = search.get();
    catalog = std::make_unique<directory::FunctionCatalog>(
        worker, engine, table, library->answer_threads(),
        [this] { return host.engine != nullptr && engine_is_there; });
    host.catalog = catalog.get();
    server->open(host);
  }
  // The server without its documents.
  void start() {
    if (server) return;
    server = std::make_unique<Server>(loop, options);
    client = std::make_unique<Duplex>(
        *server, [this](std::string line) { lines.push_back(std::move(line)); });
  }
  void with_engine() {
    host.engine = &engine;
    host.engine_is_there = [this] { return engine_is_there; };
  }

  void TearDown() override {
    client.reset();
    server.reset();
    catalog.reset();
    search.reset();
    library.reset();
  }

  void run_until(const std::function<bool()>& done) {
    const TimerId limit = loop.after(std::chrono::seconds(20), [this] {
      ADD_FAILURE() << "nothing more happened";
      loop.stop();
    });
    std::function<void()> check = [&] {
      if (done()) return loop.stop();
      loop.post([&] { check(); });
    };
    check();
    loop.run();
    loop.cancel(limit);
  }
  // What has been sent so far and what the loop still does in this moment.
  void settle() {
    bool over = false;
    loop.after(3 * Subscribers::kGather, [&] { over = true; });
    run_until([&] { return over; });
  }

  static std::string meta() {
    return R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{}})";
  }
  // `members` of params, without braces.
  static std::string stateless(const std::string& id, const std::string& method,
                               const std::string& members = "") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" +
           meta() + (members.empty() ? "" : "," + members) + "}}";
  }
  static std::string handshake(const std::string& id, const std::string& method,
                               const std::string& members = "") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" +
           members + "}}";
  }
  // The message with that id among the lines that came; waits for it.
  json::Value answer_to(const std::string& id) {
    json::Value found;
    run_until([&] {
      for (const std::string& line : lines) {
        const json::Value value = json::parse(line).value();
        const json::Value* its = value.find("id");
        if (its == nullptr || json::to_text(*its) != id) continue;
        found = value;
        return true;
      }
      return false;
    });
    return found;
  }
  // `result`, or null with a failure.
  json::Value result(const std::string& method, const std::string& members = "") {
    const std::string id = std::to_string(++ids);
    client->receive(stateless(id, method, members));
    return member_of(answer_to(id), "result");
  }
  json::Value error(const std::string& method, const std::string& members = "") {
    const std::string id = std::to_string(++ids);
    client->receive(stateless(id, method, members));
    return member_of(answer_to(id), "error");
  }
  json::Value session_result(const std::string& method, const std::string& members = "") {
    const std::string id = std::to_string(++ids);
    client->receive(handshake(id, method, members));
    return member_of(answer_to(id), "result");
  }
  json::Value session_error(const std::string& method, const std::string& members = "") {
    const std::string id = std::to_string(++ids);
    client->receive(handshake(id, method, members));
    return member_of(answer_to(id), "error");
  }
  json::Value initialize(const std::string& version) {
    json::Value out = session_result(
        "initialize", R"("protocolVersion":")" + version +
                          R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"})");
    client->receive(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return out;
  }
  // Notifications of that method that came so far.
  std::vector<json::Value> notices(const std::string& method) const {
    std::vector<json::Value> out;
    for (const std::string& line : lines) {
      json::Value value = json::parse(line).value();
      if (value.find("id") != nullptr) continue;
      const std::string* its = text_of(value, "method");
      if (its != nullptr && *its == method) out.push_back(std::move(value));
    }
    return out;
  }

  static json::Value member_of(const json::Value& object, std::string_view key) {
    const json::Value* found = object.find(key);
    if (found == nullptr) {
      ADD_FAILURE() << "no " << key << ": " << json::to_text(object);
      return json::Object();
    }
    return *found;
  }
  static std::string text(const json::Value& object, std::string_view key) {
    const std::string* found = text_of(object, key);
    return found != nullptr ? *found : "(none)";
  }
  static int64_t code(const json::Value& error) {
    const json::Value* found = error.find("code");
    return found != nullptr && found->as_int() != nullptr ? *found->as_int() : 0;
  }
  // The member of each row of a list.
  static std::vector<std::string> column(const json::Value& result, std::string_view list,
                                         std::string_view key) {
    std::vector<std::string> out;
    const json::Value* rows = result.find(list);
    if (rows == nullptr || rows->as_array() == nullptr) return {"(no " + std::string(list) + ")"};
    for (const json::Value& row : *rows->as_array()) out.push_back(text(row, key));
    return out;
  }
  static const json::Value& first(const json::Value& result, std::string_view list) {
    return result.find(list)->as_array()->at(0);
  }

  content::TempTree tree;
  content::ContentOptions content_options = tree.options();
  ServerOptions options;
  net::Loop loop;
  sdk::Worker worker;
  directory::FunctionTable table;
  std::unique_ptr<directory::Library> library;
  std::unique_ptr<directory::SkillSearch> search;
  FakeEngineClient engine;
  std::unique_ptr<directory::FunctionCatalog> catalog;
  bool engine_is_there = true;
  Host host;
  std::vector<std::string> lines;
  std::unique_ptr<Server> server;
  std::unique_ptr<Duplex> client;
  int ids = 1000;
};

}  // namespace iii::mcp
