#include "bus/protocol/skim.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <random>
#include <string>

#include "bus/protocol/limits.h"
#include "foundation/json/value.h"

namespace iii::protocol {
namespace {

constexpr const char* kFrames[] = {
    R"({"type":"invokefunction","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"a::b","data":{"n":[1,-2,0.5,-0,{}],"t":true,"f":false,"z":null,"s":"x y"}})",
    R"({"type":"invocationresult","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"a::b","result":"line\nline \u00e9 \"q\" \\ \/"})",
    R"( { "type" : "registerfunction" , "id" : "a::b" , "metadata" : [ [ ] , [ 1 , [ "é" ] ] ] } )",
    R"({"type":"ping"})",
    R"({})",
};

class SkimTest : public testing::Test {
 protected:
  SkimTest() { EXPECT_EQ(dom_.allocate(64 * 1024, kMaxDepth), simdjson::SUCCESS); }

  bool skims(const std::string& text) {
    padded_ = text;
    padded_.reserve(text.size() + 64);
    text_ = std::string_view(padded_.data(), text.size());
    members_.reset();
    auto& stage = *dom_.implementation;
    const auto* bytes = reinterpret_cast<const uint8_t*>(text_.data());
    if (stage.stage1(bytes, text_.size(), simdjson::stage1_mode::regular) != simdjson::SUCCESS) {
      return false;
    }
    return skim(text_, {stage.structural_indexes.get(), stage.n_structural_indexes + size_t{1}},
                members_);
  }

  simdjson::dom::parser dom_;
  std::string padded_;
  std::string_view text_;
  Members members_;
};

TEST_F(SkimTest, TakesCommonFrames) {
  for (const char* frame : kFrames) EXPECT_TRUE(skims(frame)) << frame;
}

TEST_F(SkimTest, FindsTheSendersBytes) {
  ASSERT_TRUE(skims(R"({"data" : {"a": [1 , 2 ]}  ,"metadata":-1.50 ,"type":"x" })"));
  EXPECT_EQ(members_.at("data"), R"({"a": [1 , 2 ]})");
  EXPECT_EQ(members_.at("metadata"), "-1.50");
  EXPECT_EQ(members_.text(members_.at("type")), "x");
}

TEST_F(SkimTest, SeesAClaimedCallerOnlyAtTheTopOfTheData) {
  ASSERT_TRUE(skims(R"({"data":{"a":1,"_caller_worker_id":2}})"));
  EXPECT_EQ(members_.data_claims_caller(), true);
  ASSERT_TRUE(skims(R"({"data":{"a":{"_caller_worker_id":2},"b":["_caller_worker_id"]}})"));
  EXPECT_EQ(members_.data_claims_caller(), false);
  // With escapes in the text the key may be spelled in many ways: not decided here.
  ASSERT_TRUE(skims(R"({"data":{"\u005fcaller_worker_id":2}})"));
  EXPECT_FALSE(members_.data_claims_caller());
}

TEST_F(SkimTest, LeavesTheRestToTheFullParser) {
  for (const char* text : {"[]",
                           "null",
                           R"({"a":1e5})",
                           R"({"a":01})",
                           R"({"a":1.})",
                           R"({"a":.5})",
                           R"({"a":-})",
                           R"({"a":+1})",
                           R"({"a":1234567890123456789})",
                           R"({"a":"\ud800"})",
                           R"({"a":"\x"})",
                           R"({"a":"\u12g4"})",
                           R"({"a":tru})",
                           R"({"a":nulll})",
                           R"({"a":1,})",
                           R"({"a":[1,]})",
                           R"({"a":[,1]})",
                           R"({"a" 1})",
                           R"({"a":1 2})",
                           R"({"a":"b""c"})",
                           R"({"a":"b"c})",
                           R"({"a":1}})",
                           R"({"a":1} {})",
                           R"({"a":1)",
                           R"({"a":[1})",
                           R"({"a":{1}})",
                           R"({a:1})",
                           R"({,"a":1})",
                           R"({"a":1,,"b":2})",
                           R"({"a":{"b":1,}})",
                           R"({"a"})",
                           R"({"a":})",
                           R"({1:1})",
                           "{\"a\":1\f\"b\":2}"}) {
    EXPECT_FALSE(skims(text)) << text;
  }
  std::string deep = R"({"a":)";
  for (int i = 0; i < 40; ++i) deep += '[';
  for (int i = 0; i < 40; ++i) deep += ']';
  EXPECT_FALSE(skims(deep + "}"));
}

// What the quick way takes must be what the slow, exact one takes.
TEST_F(SkimTest, NeverTakesInvalidJson) {
  std::mt19937 random(7);
  const std::string_view alphabet = "{}[]:,\"\\ \n\tabtrufalsn0123456789.-+eE/\x01\x0c\x1a\xc3\xa9";
  size_t taken = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text = kFrames[random() % std::size(kFrames)];
    for (size_t edits = 1 + random() % 3; edits > 0; --edits) {
      const size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 3) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        default:
          if (text.size() > 1) text.erase(at, 1);
      }
    }
    if (!skims(text)) continue;
    ++taken;
    ASSERT_TRUE(json::validate(text, kMaxDepth)) << text;
  }
  EXPECT_GT(taken, 1000U);
}

}  // namespace
}  // namespace iii::protocol
