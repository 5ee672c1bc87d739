#include "foundation/json/describe.h"

#include <gtest/gtest.h>

#include <cmath>

namespace iii::json {
namespace {

enum class Direction { kRead, kWrite };
struct Inner {
  std::string id;
  Direction direction = Direction::kRead;
};
struct Sample {
  std::string name;
  std::optional<uint32_t> pid;
  std::vector<std::string> tags;
  int64_t limit = 10;
  Raw data;
  std::optional<Inner> inner;
};

auto describe(Type<Direction>) {
  return enumeration<Direction>("Direction",
                                {{Direction::kRead, "read"}, {Direction::kWrite, "write"}});
}
auto describe(Type<Inner>) {
  return object<Inner>("Inner", "A part.", field("id", &Inner::id, "An id."),
                       field("direction", &Inner::direction, "Which way."));
}
auto describe(Type<Sample>) {
  return object<Sample>("SampleInput", "A sample.", field("name", &Sample::name, "Who."),
                        field("pid", &Sample::pid, "Process."),
                        field("tags", &Sample::tags, "Words.").optional(),
                        field("limit", &Sample::limit, "Most.").optional().range(1, 100),
                        field("data", &Sample::data, "Anything.").optional(),
                        field("inner", &Sample::inner, "More."));
}

std::string problem_with(std::string_view text) {
  const auto result = decode<Sample>(text);
  return result ? "none" : result.error().message;
}

TEST(Decode, ReadsWhatTheDescriptionSays) {
  const auto s = decode<Sample>(
      R"({"name":"a\n","pid":7,"tags":["x"],"limit":5,"data": {"b": 1.10} ,"inner":{"id":"i","direction":"write"},"extra":1})");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->name, "a\n");
  EXPECT_EQ(s->pid, 7U);
  EXPECT_EQ(s->data.text, "{\"b\": 1.10}");  // carried untouched
  EXPECT_EQ(s->inner->direction, Direction::kWrite);
}

TEST(Decode, AbsentAndNullAreTheSameForOptionalFields) {
  const auto s = decode<Sample>(R"({"name":"a","pid":null,"limit":null,"inner":null})");
  ASSERT_TRUE(s);
  EXPECT_FALSE(s->pid);
  EXPECT_EQ(s->limit, 10);
}

TEST(Decode, OfEqualKeysTheLastCounts) {
  const auto s = decode<Sample>(R"({"name":"a","limit":"wrong","n\u0061me":"b","limit":7})");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->name, "b");
  EXPECT_EQ(s->limit, 7);
}

struct Renamed {
  std::string value;
};
auto describe(Type<Renamed>) {
  return object<Renamed>("Renamed", "", field("value", &Renamed::value, "").alias("data"));
}

TEST(Decode, AcceptsEitherNameOfAFieldAndNotBoth) {
  EXPECT_EQ(decode<Renamed>(R"({"data":"a"})")->value, "a");
  EXPECT_EQ(decode<Renamed>(R"({"value":"a","":1})")->value, "a");
  EXPECT_EQ(decode<Renamed>(R"({"data":"a","value":"b"})").error().message,
            "duplicate field `value`");
}

// More fields than the decoder keeps on its stack, of every width.
struct Wide {
  int8_t a = 0;
  int16_t b = 0;
  int32_t c = 0;
  int64_t d = 0;
  uint8_t e = 0;
  uint16_t f = 0;
  uint32_t g = 0;
  uint64_t h = 0;
  double i = 7;
  bool j = false;
  std::string k;
  Raw l;
  Value m;
  std::map<std::string, double> n;
  std::vector<Wide> o;
  std::optional<bool> p;
  std::vector<std::optional<double>> q;
};
auto describe(Type<Wide>) {
  return object<Wide>("Wide", "", field("a", &Wide::a, "").optional(),
                      field("b", &Wide::b, "").optional(), field("c", &Wide::c, "").optional(),
                      field("d", &Wide::d, "").optional(), field("e", &Wide::e, "").optional(),
                      field("f", &Wide::f, "").optional(), field("g", &Wide::g, "").optional(),
                      field("h", &Wide::h, "").optional(), field("i", &Wide::i, "").optional(),
                      field("j", &Wide::j, "").optional(), field("k", &Wide::k, "").optional(),
                      field("l", &Wide::l, "").optional(), field("m", &Wide::m, "").optional(),
                      field("n", &Wide::n, "").optional(), field("o", &Wide::o, "").optional(),
                      field("p", &Wide::p, ""), field("q", &Wide::q, "").optional());
}

TEST(Decode, KeepsTheLimitsOfEveryType) {
  const std::string text =
      R"({"a":-128,"b":-32768,"c":-2147483648,"d":-9223372036854775808,"e":255,"f":65535,)"
      R"("g":4294967295,"h":18446744073709551615,"i":0.5,"j":true,"k":"k","l":[1],"m":{"x":[]},)"
      R"("n":{"a":1.5,"b":2.0},"o":[{"a":1,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":7.0,)"
      R"("j":false,"k":"","l":null,"m":null,"n":{},"o":[],"q":[]}],"p":true,"q":[1.0,null]})";
  const auto wide = decode<Wide>(text);
  ASSERT_TRUE(wide) << wide.error().message;
  EXPECT_EQ(encode(*wide), text);
  EXPECT_EQ(try_encode(*wide), text);
  for (const std::string_view beyond :
       {R"({"a":-129})", R"({"a":128})", R"({"b":-32769})", R"({"c":2147483648})",
        R"({"d":9223372036854775808})", R"({"e":256})", R"({"f":65536})", R"({"f":-1})",
        R"({"g":4294967296})", R"({"h":18446744073709551616})"}) {
    EXPECT_FALSE(decode<Wide>(beyond)) << beyond;
  }
}

TEST(Decode, NumbersBelowTheSmallestDoubleAreZero) {
  EXPECT_EQ(decode<Wide>(R"({"i":1e-400})")->i, 0.0);
  EXPECT_EQ(decode<Wide>(R"({"i":5e-324})")->i, 5e-324);
  EXPECT_EQ(decode<double>("-1e-400"), -0.0);
}

TEST(Decode, SaysWhatIsWrongInTheWordsOfThePublicEngine) {
  EXPECT_EQ(problem_with("null"), "invalid type: null, expected struct SampleInput");
  EXPECT_EQ(problem_with("\"x\""), "invalid type: string \"x\", expected struct SampleInput");
  EXPECT_EQ(problem_with("{}"), "missing field `name`");
  EXPECT_EQ(problem_with(R"({"name":5})"), "invalid type: integer `5`, expected a string");
  EXPECT_EQ(problem_with(R"({"name":"a","pid":-1})"), "invalid value: integer `-1`, expected u32");
  EXPECT_EQ(problem_with(R"({"name":"a","pid":1.5})"),
            "invalid type: floating point `1.5`, expected u32");
  EXPECT_EQ(problem_with(R"({"name":"a","tags":"x"})"),
            "invalid type: string \"x\", expected a sequence");
  EXPECT_EQ(problem_with(R"({"name":"a","inner":{"id":"i","direction":"up"}})"),
            "unknown variant `up`, expected one of `read`, `write`");
  EXPECT_EQ(problem_with(R"({"name":"a","limit":0})"), "limit: must be from 1 to 100, not 0");
}

TEST(Encode, LeavesOutWhatIsAbsentAndRoundTrips) {
  Sample s;
  s.name = "é\"";
  s.inner = Inner{"i", Direction::kWrite};
  const std::string text = encode(s);
  EXPECT_EQ(
      text,
      R"({"name":"é\"","tags":[],"limit":10,"data":null,"inner":{"id":"i","direction":"write"}})");
  const auto back = decode<Sample>(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->inner->id, "i");
}

TEST(Encode, WritesNullForNumbersThatJsonCannotExpress) {
  EXPECT_EQ(encode(std::vector<double>{NAN, INFINITY, -INFINITY, 1}), "[null,null,null,1.0]");
  EXPECT_EQ(to_text(Array{NAN, 1}), "[null,1]");
  EXPECT_EQ(encode(Object{{"a", Array{NAN}}}), R"({"a":[null]})");
}

TEST(TryEncode, NamesTheFieldThatJsonCannotExpress) {
  const auto problem_in = [](const Wide& wide) {
    const auto text = try_encode(wide);
    return text ? "none" : text.error().code + " " + text.error().message;
  };
  const auto at = [](std::string_view path) {
    return "serialization_error `" + std::string(path) +
           "` is NaN or infinite, which JSON cannot express. Next: give null or a finite number "
           "instead.";
  };
  EXPECT_EQ(problem_in(Wide{}), "none");
  EXPECT_EQ(problem_in(Wide{.i = NAN}), at("i"));
  EXPECT_EQ(problem_in(Wide{.n = {{"a", 1}, {"b", -INFINITY}}}), at("n.b"));
  EXPECT_EQ(problem_in(Wide{.o = {Wide{}, Wide{.i = INFINITY}}}), at("o[1].i"));
  EXPECT_EQ(problem_in(Wide{.q = {1.0, std::nullopt, NAN}}), at("q[2]"));
  EXPECT_EQ(problem_in(Wide{.m = Object{{"x", Array{1, NAN}}}}), at("m.x[1]"));
  EXPECT_EQ(problem_in(Wide{.n = {{std::string(1000, 'k'), NAN}}}),
            at("n." + std::string(198, 'k')));
  EXPECT_TRUE(try_encode(double{NAN}).error().message.starts_with("the value is NaN"));
}

TEST(Schema, IsDraft07WithDefinitions) {
  const Value s = schema<Sample>();
  EXPECT_EQ(*s.find("$schema")->as_string(), "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(to_text(*s.find("required")), R"(["name"])");
  const Value* properties = s.find("properties");
  EXPECT_EQ(
      to_text(*properties->find("pid")),
      R"({"description":"Process.","format":"uint32","minimum":0,"type":["integer","null"]})");
  EXPECT_EQ(
      to_text(*properties->find("limit")),
      R"({"default":10,"description":"Most.","format":"int64","maximum":100,"minimum":1,"type":"integer"})");
  EXPECT_EQ(to_text(*properties->find("inner")),
            R"({"anyOf":[{"$ref":"#/definitions/Inner"},{"type":"null"}],"description":"More."})");
  EXPECT_EQ(to_text(*s.find("definitions")->find("Direction")),
            R"({"enum":["read","write"],"type":"string"})");
  EXPECT_EQ(*s.find("definitions")->find("Inner")->find("description"), Value("A part."));
}

struct Texts {
  std::string name;
  std::optional<std::string> body;
  std::vector<std::string> tags;
  std::optional<Inner> inner;
  std::map<std::string, std::string> notes;
};
auto describe(Type<Texts>) {
  using T = Texts;
  return object<T>("Texts", "", field("name", &T::name, "").length(3),
                   field("body", &T::body, "").length(kAnyLength),
                   field("tags", &T::tags, "").optional(), field("inner", &T::inner, ""),
                   field("notes", &T::notes, "").optional());
}
std::string too_long(std::string_view text) {
  const auto found = long_text(kCodec<Texts>, trimmed(text), 5);
  if (!found) return "none";
  return found->field + " " + std::to_string(found->length) + " of " + std::to_string(found->most);
}

TEST(LongText, IsFoundWhereverATextIs) {
  EXPECT_EQ(too_long(R"({"name":"äöü"})"), "none") << "characters, not bytes";
  EXPECT_EQ(too_long(R"({"name":"\u00e4\u00f6\u00fc"})"), "none") << "nor escapes";
  EXPECT_EQ(too_long(R"({"name":"abcd"})"), "name 4 of 3");
  EXPECT_EQ(too_long(R"({"body":"as long as it is"})"), "none");
  EXPECT_EQ(too_long(R"({"tags":["12345","123456"]})"), "tags 6 of 5");
  EXPECT_EQ(too_long(R"({"inner":{"id":"123456"}})"), "id 6 of 5");
  EXPECT_EQ(too_long(R"({"notes":{"long key":"123456"}})"), "notes 6 of 5");
  EXPECT_EQ(too_long(R"({"other":"123456","inner":null,"tags":"123456"})"), "none");
  EXPECT_EQ(too_long("5"), "none");
}

TEST(LongText, IsInTheSchemaAndRefusedByTheDecoderWhereAFieldSaysIt) {
  const std::string plain = to_text(schema<Texts>());
  EXPECT_EQ(plain.find("maxLength"), plain.rfind("maxLength"));
  EXPECT_EQ(to_text(schema_of(kCodec<Texts>, kAnyLength)).find("maxLength"), std::string::npos);
  const Value limited = schema_of(kCodec<Texts>, 5);
  const Value& properties = *limited.find("properties");
  EXPECT_EQ(*properties.find("name")->find("maxLength"), Value(uint64_t{3}));
  EXPECT_EQ(properties.find("body")->find("maxLength"), nullptr);
  EXPECT_EQ(*properties.find("tags")->find("items")->find("maxLength"), Value(uint64_t{5}));
  EXPECT_EQ(*properties.find("notes")->find("additionalProperties")->find("maxLength"),
            Value(uint64_t{5}));
  EXPECT_NE(to_text(limited).find(R"("definitions":{"Direction")"), std::string::npos);
  EXPECT_EQ(decode<Texts>(R"({"name":"abcd"})").error().message, "name: longer than 3 characters");
  EXPECT_TRUE(decode<Texts>(R"({"name":"abc","tags":["any length"]})"));
}

}  // namespace
}  // namespace iii::json
