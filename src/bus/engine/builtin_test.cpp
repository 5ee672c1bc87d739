// A typed function of the engine, called with text.
#include "bus/engine/builtin.h"

#include <gmock/gmock.h>

#include <cmath>

namespace iii::engine {
namespace {

struct Half {
  double of = 0;
};
auto describe(json::Type<Half>) {
  return json::object<Half>("Half", "", json::field("of", &Half::of, "A number."));
}

std::string answer(double given, std::string_view data) {
  const BuiltinFunction function = builtin<Half, Half>(
      "test", "test::half", "",
      [given](const CallInfo&, Half in) { return Result<Half>(Half{in.of * given}); });
  std::string out = "no answer";
  function.handler({}, data, [&out](Outcome outcome) {
    if (!outcome) {
      out = outcome.error().code + ": " + outcome.error().message;
    } else {
      out = *outcome ? std::string((*outcome)->view()) : "nothing";
    }
  });
  return out;
}

TEST(Builtin, AnswersWithTextOrAnError) {
  EXPECT_EQ(answer(0.5, R"({"of":3})"), R"({"of":1.5})");
  EXPECT_EQ(answer(0.5, R"({"of":"3"})"),
            "deserialization_error: Failed to deserialize input for test::half: invalid type: "
            "string \"3\", expected f64");
}

TEST(Builtin, ANumberThatJsonCannotExpressIsAnErrorAnswer) {
  EXPECT_THAT(answer(INFINITY, R"({"of":1})"),
              testing::StartsWith("serialization_error: `of` is NaN or infinite"));
}

}  // namespace
}  // namespace iii::engine
