#include "directory/discovery/function_catalog.h"

#include <new>
#include <optional>

#include "directory/discovery/bus_skill_links.h"
#include "directory/reading/fixture_for_test.h"

namespace iii::directory {
namespace {

using json::Value;
using testing::HasSubstr;

// The bus, until memory is short.
class FailingClient final : public EngineClient {
 public:
  explicit FailingClient(EngineClient& bus) : bus_(bus) {}
  using EngineClient::call;
  sdk::Pending<json::Raw> call(const Context& context, std::string_view id,
                               std::string_view payload, std::chrono::milliseconds timeout,
                               std::string_view name_space) override {
    if (id == fails) throw std::bad_alloc();
    return bus_.call(context, id, payload, timeout, name_space);
  }
  sdk::Sleep sleep(std::chrono::milliseconds time) override { return bus_.sleep(time); }

  std::string_view fails;

 private:
  EngineClient& bus_;
};

class FunctionCatalogTest : public DirectoryTest {
 protected:
  void begin() {
    auto others = engine.on_frame;
    engine.on_frame = [this, others](const Value& frame) {
      const std::string id = text(frame, "function_id");
      const bool call = text(frame, "type") == "invokefunction";
      if (call && id == "engine::functions::list") {
        engine.answer(frame, R"(,"result":{"functions":[{"function_id":"mail::send"}]})");
      } else if (call && id == "engine::functions::info") {
        if (schemas) engine.answer(frame, R"(,"result":{"functions":[]})");
      } else {
        others(frame);
      }
    };
    open_library();
    catalog.emplace(worker, failing, table, library->answer_threads());
    sources::DownloadsOptions options;
    options.skills_folder = tree.at("never-written");
    downloads = std::make_shared<sources::Downloads>(options);
    links.emplace(*library, *catalog, [this] { return downloads; });
    add_skill_functions(table, *library, limits, nullptr, &*links);
    serve();
  }
  void TearDown() override {
    DirectoryTest::TearDown();
    worker_tasks.clear();
  }

  task::Task<void> look(std::optional<bool>& live) {
    try {
      const FunctionCatalog::Now now = co_await catalog->current({});
      live = now.live;
    } catch (const std::bad_alloc&) {
      ++thrown;
    }
  }

  FailingClient failing{client};
  std::optional<FunctionCatalog> catalog;
  std::shared_ptr<sources::Downloads> downloads;
  std::optional<BusSkillLinks> links;
  bool schemas = true;
  int thrown = 0;
  task::TaskGroup worker_tasks;
};

TEST_F(FunctionCatalogTest, AReadDoesNotWaitForSchemas) {
  schemas = false;
  tree.put("global/mail/SKILL.md", "---\nfunction_id: mail::send\n---\nSend it.\n");
  begin();
  std::optional<bool> live;
  worker_tasks.spawn(look(live));
  EXPECT_THAT(json::to_text(ask("directory::skills::get", R"({"id":"mail"})")),
              HasSubstr(R"("state":"callable")"));
  EXPECT_FALSE(live.has_value());
}

TEST_F(FunctionCatalogTest, AnExceptionDoesNotBlockLaterCalls) {
  begin();
  for (const std::string_view id : {"engine::functions::list", "engine::functions::info"}) {
    failing.fails = id;
    std::optional<bool> first;
    worker_tasks.spawn(look(first));
    engine.run_until([&] { return thrown > 0; });
    EXPECT_FALSE(first.has_value());
    thrown = 0;
    failing.fails = {};
    std::optional<bool> second;
    worker_tasks.spawn(look(second));
    engine.run_until([&] { return second.has_value(); });
    EXPECT_TRUE(*second);
    // So that schemas are asked for again.
    catalog.emplace(worker, failing, table, library->answer_threads());
  }
}

}  // namespace
}  // namespace iii::directory
