// R38, R39: what is registered has everything that the published worker registered. More is
// allowed, less is not.
#include <fstream>
#include <iterator>

#include "directory/reading/fixture_for_test.h"

namespace iii::directory {
namespace {

using json::Value;

class Schemas : public DirectoryTest {
 protected:
  static Value recorded(const std::string& name) {
    std::ifstream file(std::string(III_TEST_DATA) + "/directory-0.8.0/schemas.json");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto all = json::parse(text);
    EXPECT_TRUE(all.has_value());
    if (!all) return {};
    for (const Value& function : *all->find("functions")->as_array()) {
      if (*function.find("name") == Value(name)) return function;
    }
    ADD_FAILURE() << "not recorded: " << name;
    return {};
  }
  Value registered(const std::string& id) const {
    for (const Value& frame : engine.of_type("registerfunction")) {
      if (*frame.find("id") == Value(id)) return frame;
    }
    ADD_FAILURE() << "not registered: " << id;
    return {};
  }

  // Every key of `theirs` is in `ours` with the same value; texts for people are not compared.
  static void expect_within(const Value& theirs, const Value& ours, const std::string& where) {
    if (theirs.as_object() == nullptr) {
      EXPECT_EQ(json::to_text(theirs), json::to_text(ours)) << where;
      return;
    }
    for (const auto& [key, value] : *theirs.as_object()) {
      const Value* same = ours.find(key);
      if (same == nullptr) {
        ADD_FAILURE() << where << "/" << key << " is missing in " << json::to_text(ours);
      } else {
        expect_within(value, *same, where + "/" + key);
      }
    }
  }
};

TEST_F(Schemas, R38_HoldEverythingThatWasRegisteredAt080) {
  start();
  for (const char* id : {"directory::skills::list", "directory::skills::index",
                         "directory::prompts::list", "directory::prompts::get"}) {
    const Value theirs = recorded(id);
    const Value ours = registered(id);
    expect_within(*theirs.find("request_schema"), *ours.find("request_format"),
                  std::string(id) + " in");
    expect_within(*theirs.find("response_schema"), *ours.find("response_format"),
                  std::string(id) + " out");
  }
}

TEST_F(Schemas, R38_GetTakesItsIdAloneOrABatchInstead) {
  start();
  const Value theirs = recorded("directory::skills::get");
  const Value ours = registered("directory::skills::get");
  expect_within(*theirs.find("response_schema"), *ours.find("response_format"), "get out");
  const Value& request = *ours.find("request_format");
  EXPECT_EQ(*request.find("title"), Value("SkillGetInput"));
  // `id` cannot be required any more: `ids` may stand in its place.
  EXPECT_EQ(request.find("required"), nullptr);
  EXPECT_THAT(json::to_text(*request.find("properties")->find("id")->find("type")),
              testing::HasSubstr("string"));
  EXPECT_NE(request.find("properties")->find("ids"), nullptr);
}

TEST_F(Schemas, R39_OfThePublishedFunctionsOnlyGetCarriesMetadata) {
  start();
  for (const Value& frame : engine.of_type("registerfunction")) {
    if (*frame.find("id") == Value("directory::skills::file")) continue;  // like get; ours
    const bool is_get = *frame.find("id") == Value("directory::skills::get");
    const Value* metadata = frame.find("metadata");
    EXPECT_EQ(is_get, metadata != nullptr && !metadata->is_null()) << json::to_text(frame);
    if (is_get && metadata != nullptr) {
      EXPECT_EQ(*metadata, *recorded("directory::skills::get").find("metadata"));
    }
  }
}

TEST_F(Schemas, R39_EveryFunctionAndEveryFieldOfOursSaysWhatItIsFor) {
  start();
  for (const Value& frame : engine.of_type("registerfunction")) {
    ASSERT_NE(frame.find("description"), nullptr);
    EXPECT_GE(frame.find("description")->as_string()->size(), 20U);
  }
}

}  // namespace
}  // namespace iii::directory
