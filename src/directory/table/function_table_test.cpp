// The table by itself, and the same table on a bus: one definition, the same answers and errors.
#include "directory/table/function_table.h"

#include <stdexcept>
#include <thread>

#include "directory/reading/fixture_for_test.h"
#include "directory/table/bus.h"
#include "foundation/base/text.h"
#include "foundation/task/task_group.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Person {
  std::string name;
};
struct Greeting {
  std::string text;
  std::string asked_by;
};
auto describe(json::Type<Person>) {
  return json::object<Person>("Person", "", json::field("name", &Person::name, "Who."));
}
auto describe(json::Type<Greeting>) {
  return json::object<Greeting>("Greeting", "", json::field("text", &Greeting::text, "What."),
                                json::field("asked_by", &Greeting::asked_by, "Who asked."));
}

task::Task<Result<Greeting>> greet_later(Context context, Person who) {
  if (who.name == "nobody") co_return fail("invocation_failed", "D1 nobody is there");
  if (who.name == "bomb") throw std::runtime_error("it burst");
  co_return Greeting{"Hello, " + who.name, context.caller};
}

FunctionTable greetings() {
  FunctionTable out;
  out.add<Person, Greeting>({.id = "t::now", .title = "Now", .description = "Greets at once."},
                            [](const Context& context, const Person& who) {
                              return Greeting{"Hi, " + who.name, context.caller};
                            });
  out.add<Person, Greeting>(
      {.id = "t::later", .title = "Later", .description = "Greets as a coroutine."},
      [](const Context& context, Person who) { return greet_later(context, std::move(who)); });
  out.add<Person, Greeting>(
      {.id = "t::written", .title = "Written", .description = "Greets in JSON."},
      [](const Person&) { return json::Raw{R"({"text":"W","asked_by":""})"}; });
  out.add<Person, json::Raw>(
      {.id = "t::bad", .title = "Bad", .description = "Throws.", .tool_label = "Throw"},
      [](const Person&) -> Result<json::Raw> { throw std::runtime_error("oh"); });
  out.add<json::Raw, json::Raw>({.id = "t::hidden",
                                 .title = "Hidden",
                                 .description = "For the engine.",
                                 .hints = {.internal = true}},
                                [](json::Raw in) { return in; });
  return out;
}

// The answer of a direct call, or the error's code and message.
std::string called(const FunctionTable& table, const std::string& id, const std::string& input,
                   Context context = {.caller = "command line"}) {
  std::string out = "(never answered)";
  const auto run = [&]() -> task::Task<void> {
    const Answer answer = co_await table.call(id, context, {input});
    out = answer ? answer->text : answer.error().code + ": " + answer.error().message;
  };
  task::TaskGroup tasks;
  tasks.spawn(run());
  return out;
}

TEST(FunctionTable, EnumeratesWhatWasAddedInOrderWithSchemasAndHints) {
  const FunctionTable table = greetings();
  std::vector<std::string> ids;
  for (const FunctionPtr& function : table.functions()) ids.push_back(function->info.id);
  EXPECT_THAT(ids, ElementsAre("t::now", "t::later", "t::written", "t::bad", "t::hidden"));
  const FunctionPtr found = table.find("t::written");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->info.title, "Written");
  EXPECT_FALSE(found->info.hints.read_only);
  EXPECT_THAT(*found->request_schema, HasSubstr("\"title\":\"Person\""));
  EXPECT_THAT(*found->response_schema, HasSubstr("\"title\":\"Greeting\""));
  EXPECT_EQ(table.find("t::hidden")->request_schema, std::nullopt);
  EXPECT_EQ(table.find("t::none"), nullptr);
}

TEST(FunctionTable, KeepsTheFirstOfTwoDefinitions) {
  FunctionTable table = greetings();
  EXPECT_FALSE(
      (table.add<Person, json::Raw>({.id = "t::now", .title = "Again", .description = "Second."},
                                    [](const Person&) { return json::Raw{"2"}; })));
  EXPECT_EQ(table.functions().size(), 5U);
  EXPECT_EQ(table.find("t::now")->info.title, "Now");
}

TEST(FunctionTable, CallsDirectlyAndSaysWhoAsks) {
  const FunctionTable table = greetings();
  EXPECT_EQ(called(table, "t::now", R"({"name":"Ann"})"),
            R"({"text":"Hi, Ann","asked_by":"command line"})");
  EXPECT_EQ(called(table, "t::later", R"({"name":"Ann"})"),
            R"({"text":"Hello, Ann","asked_by":"command line"})");
  EXPECT_EQ(called(table, "t::written", R"({"name":"Ann"})"), R"({"text":"W","asked_by":""})");
}

TEST(FunctionTable, ErrorsOfADirectCallAreThoseOfTheBus) {
  const FunctionTable table = greetings();
  EXPECT_EQ(called(table, "t::now", "{}"),
            "invocation_failed: D124 invalid_input: missing field `name`; an object with `name` is "
            "expected. Next: call t::now with such an object.");
  EXPECT_EQ(called(table, "t::now", R"({"name":5})"),
            "invocation_failed: D124 invalid_input: invalid type: integer `5`, expected a string "
            "(field name); an object with `name` is expected. Next: call t::now with such an "
            "object.");
  EXPECT_EQ(called(table, "t::later", R"({"name":"nobody"})"),
            "invocation_failed: D1 nobody is there");
  EXPECT_EQ(called(table, "t::later", R"({"name":"bomb"})"), "invocation_failed: it burst");
  EXPECT_EQ(called(table, "t::bad", R"({"name":"x"})"), "invocation_failed: oh");
  EXPECT_EQ(called(table, "t::latr", "{}"),
            "function_not_found: There is no function `t::latr`. Did you mean: t::later?");
}

TEST(FunctionTable, AMistypedKeyIsNamed) {
  const FunctionTable table = greetings();
  EXPECT_EQ(called(table, "t::now", R"({"x":1,"nmae":"Ann"})"),
            "invocation_failed: D124 invalid_input: missing field `name`; an object with `name` is "
            "expected. `nmae` is not a field. Did you mean: name. Next: call t::now with such an "
            "object.");
  // Any number of keys may come; the first ones are compared.
  std::string many = "{";
  for (int i = 0; i < 16; ++i) many += "\"other" + std::to_string(i) + "\":0,";
  EXPECT_THAT(called(table, "t::now", many.substr(0, many.rfind("\"other15")) + R"("nmae":0})"),
              HasSubstr("`nmae` is not a field"));
  EXPECT_THAT(called(table, "t::now", many + R"("nmae":0})"), Not(HasSubstr("nmae")));
}

TEST(FunctionTable, WhatEarlierVersionsHadIsWordedAndDescribedAsThen) {
  FunctionTable table;
  table.add<Person, Greeting>({.id = "t::old", .title = "Old", .published = true},
                              [](const Person&) { return Greeting{}; });
  EXPECT_EQ(called(table, "t::old", R"({"nmae":"Ann"})"),
            "invocation_failed: serialization error: missing field `name`; an object with `name` "
            "is expected");
  EXPECT_THAT(*table.find("t::old")->request_schema, Not(HasSubstr("maxLength")));
  EXPECT_THAT(*greetings().find("t::now")->request_schema, HasSubstr(R"("maxLength":1024)"));
}

TEST(FunctionTable, TextsHaveALengthWhoeverPublishedTheFunction) {
  FunctionTable table = greetings();
  table.add<Person, Greeting>({.id = "t::old", .title = "Old", .published = true},
                              [](const Person& who) { return Greeting{.text = who.name}; });
  std::string name;  // characters count, not bytes: as in the schema
  for (size_t i = 0; i < kMaxTextLength; ++i) name += "ü";
  for (const std::string id : {"t::now", "t::old"}) {
    EXPECT_THAT(called(table, id, "{\"name\":\"" + name + "\"}"), HasSubstr(name)) << id;
    EXPECT_EQ(called(table, id, "{\"name\":\"" + name + "x\"}"),
              "invocation_failed: D123 invalid_input: `name` has 1025 characters, and at most 1024 "
              "are accepted. Next: call " +
                  id + " with a shorter one.");
  }
}

TEST(FunctionTable, AnUnknownIdIsRepeatedInPart) {
  const FunctionTable table = greetings();
  const std::string answer = called(table, std::string(4'000'000, 'x'), "{}");
  EXPECT_THAT(answer, HasSubstr("There is no function `xxx"));
  EXPECT_LT(answer.size(), 2 * kMaxEchoed);
}

// A function that counts who reads its input and who begins it.
struct Counted {
  int reads = 0;
  int begins = 0;

  Function function(std::string id, size_t max_input_bytes = kMaxInputBytes) {
    return {.info = {.id = std::move(id), .title = "Counts", .max_input_bytes = max_input_bytes},
            .request_schema = std::nullopt,
            .response_schema = std::nullopt,
            .read = [this](std::string_view) -> Result<Function::Begin> {
              ++reads;
              return [this](const Context&) {
                ++begins;
                return Answer(json::Raw{"1"});
              };
            }};
  }
};
std::string text_of_size(size_t size) { return "\"" + std::string(size - 2, 'x') + "\""; }

TEST(FunctionTable, InputBeyondTheLimitIsRefusedBeforeItIsRead) {
  Counted counted;
  FunctionTable table;
  table.add(counted.function("t::small"));
  table.add(counted.function("t::larger", 100'000));
  EXPECT_EQ(called(table, "t::small", text_of_size(kMaxInputBytes)), "1");
  EXPECT_EQ(called(table, "t::larger", text_of_size(100'000)), "1");
  EXPECT_EQ(counted.begins, 2);
  EXPECT_EQ(called(table, "t::small", text_of_size(kMaxInputBytes + 1)),
            "invocation_failed: D122 too_large: the input has 65537 bytes, and t::small takes at "
            "most 65536. Next: call t::small with less.");
  EXPECT_THAT(called(table, "t::larger", text_of_size(100'001)), HasSubstr("at most 100000."));
  EXPECT_THAT(called(table, "t::small", text_of_size(4'000'000)), HasSubstr("D122 too_large:"));
  EXPECT_EQ(counted.reads, 2);
  EXPECT_EQ(counted.begins, 2);
}

class OnTheBus : public DirectoryTest {
 protected:
  OnTheBus() { table = greetings(); }
  json::Value registered(const std::string& id) const {
    for (const json::Value& frame : engine.of_type("registerfunction")) {
      if (*frame.find("id") == json::Value(id)) return frame;
    }
    return {};
  }
};

TEST_F(OnTheBus, ServesTheTableWithTextsSchemasAndMetadata) {
  serve();
  EXPECT_EQ(engine.of_type("registerfunction").size(), table.functions().size());
  const json::Value now = registered("t::now");
  EXPECT_EQ(text(now, "description"), "Greets at once.");
  EXPECT_EQ(json::to_text(*now.find("request_format")), *table.find("t::now")->request_schema);
  EXPECT_EQ(json::to_text(*now.find("response_format")), *table.find("t::now")->response_schema);
  EXPECT_TRUE(now.find("metadata") == nullptr || now.find("metadata")->is_null());
  EXPECT_EQ(json::to_text(*registered("t::bad").find("metadata")), R"({"tool":{"label":"Throw"}})");
  EXPECT_EQ(json::to_text(*registered("t::hidden").find("metadata")), R"({"internal":true})");
}

TEST_F(OnTheBus, AnswersAsADirectCallDoesAndKnowsTheCaller) {
  serve();
  EXPECT_EQ(json::to_text(ask("t::now", R"({"name":"Ann","_caller_worker_id":"w7"})")),
            R"({"asked_by":"w7","text":"Hi, Ann"})");
  EXPECT_EQ(json::to_text(ask("t::later", R"({"name":"Ann","_caller_worker_id":"w7"})")),
            R"({"asked_by":"w7","text":"Hello, Ann"})");
  for (const auto& [id, input] : {std::pair("t::now", "{}"),
                                  {"t::now", "7"},
                                  {"t::later", R"({"name":"nobody"})"},
                                  {"t::later", R"({"name":"bomb"})"},
                                  {"t::bad", R"({"name":"x"})"}}) {
    EXPECT_EQ("invocation_failed: " + refusal(id, input), called(table, id, input));
  }
}

TEST_F(OnTheBus, InputBeyondTheLimitIsRefusedBeforeItIsRead) {
  Counted counted;
  table.add(counted.function("t::small"));
  serve();
  EXPECT_EQ(ask("t::small", text_of_size(kMaxInputBytes)), json::Value(1));
  const std::string refused =
      "D122 too_large: the input has 65537 bytes, and t::small takes at most 65536. Next: call "
      "t::small with less.";
  EXPECT_EQ(refusal("t::small", text_of_size(kMaxInputBytes + 1)), refused);
  EXPECT_THAT(refusal("t::small", text_of_size(4'000'000)), HasSubstr("4000000 bytes"));
  // What the engine adds is not what the caller sent.
  const std::string caller = R"(,"_caller_worker_id":"11111111-1111-4111-8111-111111111111"})";
  const auto from = [&](size_t size) {
    return R"({"a":)" + text_of_size(size - std::string_view(R"({"a":})").size()) + caller;
  };
  EXPECT_EQ(ask("t::small", from(kMaxInputBytes)), json::Value(1));
  EXPECT_EQ(refusal("t::small", from(kMaxInputBytes + 1)), refused);
  EXPECT_EQ(counted.reads, 2);
  EXPECT_EQ(counted.begins, 2);
}

TEST_F(OnTheBus, LargeInputIsReadOnAnotherThread) {
  task::Pool pool(loop, 1);
  table.read_large_on(pool);
  std::thread::id reader;
  std::thread::id beginner;
  table.add(Function{.info = {.id = "t::where",
                              .title = "Where",
                              .description = "Says where.",
                              .max_input_bytes = kMaxLargeInputBytes},
                     .request_schema = std::nullopt,
                     .response_schema = std::nullopt,
                     .read = [&](std::string_view input) -> Result<Function::Begin> {
                       reader = std::this_thread::get_id();
                       if (input.find("throw") != std::string_view::npos) {
                         throw std::runtime_error("cannot read");
                       }
                       return [&](const Context&) {
                         beginner = std::this_thread::get_id();
                         return Answer(json::Raw{"1"});
                       };
                     }});
  const auto text_of = [](size_t size, std::string_view begin = "") {
    return json::Raw{"\"" + std::string(begin) + std::string(size - begin.size() - 2, 'x') + "\""};
  };
  std::optional<Answer> answer;
  const auto run = [&](json::Raw input) -> task::Task<void> {
    answer = co_await table.call("t::where", {}, std::move(input));
  };
  const auto called_with = [&](json::Raw input) {
    answer.reset();
    task::TaskGroup tasks;
    tasks.spawn(run(std::move(input)));
    engine.run_until([&] { return answer.has_value(); });
  };
  const std::thread::id here = std::this_thread::get_id();
  called_with(text_of(FunctionTable::kLargeInput));
  EXPECT_EQ(reader, here) << "at the limit";
  called_with(text_of(FunctionTable::kLargeInput + 1));
  EXPECT_NE(reader, here) << "beyond it";
  EXPECT_EQ(beginner, here);
  EXPECT_EQ(answer->value().text, "1");
  called_with(text_of(FunctionTable::kLargeInput + 1, "throw"));
  EXPECT_EQ(answer->error().message, "cannot read");
  pool.stop();
}

}  // namespace
}  // namespace iii::directory
