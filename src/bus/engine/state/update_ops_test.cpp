// Every row of the table of update ops: what applies, what is refused, and what is said about it.
#include "bus/engine/state/update_ops.h"

#include <gmock/gmock.h>

#include "foundation/json/describe.h"
#include "foundation/json/write.h"

namespace iii::engine {
namespace {

struct Row {
  std::string_view name;
  std::string_view start;  // empty: the key is missing
  std::string_view ops;
  std::string_view result;
  std::string_view error = {};  // `op_index code message`
};

std::string errors_of(const Updated& updated) {
  std::string out;
  for (const StateUpdateError& error : updated.errors) {
    if (!out.empty()) out += "; ";
    out += std::to_string(error.op_index) + " " + error.code + " " + error.message;
    EXPECT_EQ(error.doc_url, "https://iii.dev/docs/workers/iii-state#error-codes");
  }
  return out;
}

class UpdateRow : public testing::TestWithParam<Row> {};

TEST_P(UpdateRow, GivesTheRecordedResult) {
  const Row& row = GetParam();
  auto ops = parse_update_ops(row.ops);
  ASSERT_TRUE(ops) << ops.error().message;
  std::optional<json::Value> stored;
  if (!row.start.empty()) stored = json::parse(row.start).value();
  const Updated updated = apply_update_ops(std::move(stored), std::move(*ops));
  EXPECT_EQ(json::to_text(updated.value), row.result);
  EXPECT_EQ(errors_of(updated), row.error);
}

std::string row_name(const testing::TestParamInfo<Row>& info) {
  return std::string(info.param.name);
}

INSTANTIATE_TEST_SUITE_P(
    Set, UpdateRow,
    testing::Values(
        Row{"no_ops_missing", "", "[]", "{}"}, Row{"no_ops", "5", "[]", "5"},
        Row{"field", R"({"a":1})", R"([{"type":"set","path":"b","value":2}])", R"({"a":1,"b":2})"},
        Row{"root", R"({"a":1})", R"([{"type":"set","path":"","value":[1]}])", "[1]"},
        Row{"without_value", R"({"a":1})", R"([{"type":"set","path":"a"}])", R"({"a":null})"},
        Row{"scalar", "5", R"([{"type":"set","path":"a","value":1}])", "5",
            "0 set.target_not_object Cannot set at path 'a': target is number, expected object."},
        Row{"missing", "", R"([{"type":"set","path":"a","value":1}])", R"({"a":1})"},
        Row{"dotted", "{}", R"([{"type":"set","path":"a.b","value":1}])", R"({"a.b":1})"},
        Row{"proto", "{}", R"([{"type":"set","path":"__proto__","value":1}])", "{}",
            "0 set.path.proto_polluted Path segment '__proto__' is not allowed (prototype "
            "pollution)."},
        Row{"extra_key", R"({"a":1})", R"([{"type":"set","path":"b","value":1,"note":"x"}])",
            R"({"a":1,"b":1})"}),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    Merge, UpdateRow,
    testing::Values(
        Row{"root", R"({"a":1,"b":{"c":1}})", R"([{"type":"merge","value":{"b":{"d":1},"e":2}}])",
            R"({"a":1,"b":{"d":1},"e":2})"},
        Row{"root_scalar", "5", R"([{"type":"merge","value":{"a":1}}])", "5"},
        Row{"root_missing", "", R"([{"type":"merge","path":"","value":{"a":1}}])", R"({"a":1})"},
        Row{"path", R"({"a":{"x":1}})", R"([{"type":"merge","path":"a","value":{"y":2}}])",
            R"({"a":{"x":1,"y":2}})"},
        Row{"path_array", R"({"a":5})",
            R"([{"type":"merge","path":["a","b","c"],"value":{"y":2}}])",
            R"({"a":{"b":{"c":{"y":2}}}})"},
        Row{"path_on_scalar", "5", R"([{"type":"merge","path":["a"],"value":{"y":2}}])",
            R"({"a":{"y":2}})"},
        Row{"empty_array", R"({"a":1})", R"([{"type":"merge","path":[],"value":{"y":2}}])",
            R"({"a":1,"y":2})"},
        Row{"null_path", R"({"a":1})", R"([{"type":"merge","path":null,"value":{"y":2}}])",
            R"({"a":1,"y":2})"},
        Row{"not_object", R"({"a":1})", R"([{"type":"merge","value":[1]}])", R"({"a":1})",
            "0 merge.value.not_an_object Merge value must be a JSON object"},
        Row{"proto_key", R"({"a":1})", R"([{"type":"merge","value":{"__proto__":1}}])",
            R"({"a":1})",
            "0 merge.value.proto_polluted Merge value top-level key \"__proto__\" is a "
            "prototype-pollution sink"},
        Row{"nested_constructor", R"({"a":1})",
            R"([{"type":"merge","value":{"n":{"constructor":1}}}])",
            R"({"a":1,"n":{"constructor":1}})"},
        Row{"empty_segment", "{}", R"([{"type":"merge","path":["a",""],"value":{}}])", "{}",
            "0 merge.path.empty_segment Path contains an empty segment"},
        Row{"prototype_segment", "{}", R"([{"type":"merge","path":["prototype"],"value":{}}])",
            "{}",
            "0 merge.path.proto_polluted Path segment 'prototype' is not allowed (prototype "
            "pollution)."},
        Row{"all_fail_on_missing", "", R"([{"type":"merge","value":5}])", "{}",
            "0 merge.value.not_an_object Merge value must be a JSON object"}),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    Count, UpdateRow,
    testing::Values(
        Row{"field", R"({"n":1})", R"([{"type":"increment","path":"n","by":2}])", R"({"n":3})"},
        Row{"missing_field", "{}", R"([{"type":"increment","path":"n","by":2}])", R"({"n":2})"},
        Row{"missing_root", "", R"([{"type":"increment","path":"","by":2}])", "2"},
        Row{"root", "5", R"([{"type":"increment","path":"","by":-2}])", "3"},
        Row{"floating", R"({"n":1.5})", R"([{"type":"increment","path":"n","by":1}])",
            R"({"n":2.5})"},
        Row{"string", R"({"n":"x"})", R"([{"type":"increment","path":"n","by":1}])", R"({"n":"x"})",
            "0 increment.not_number Expected number at path 'n', got string."},
        Row{"on_scalar", "\"x\"", R"([{"type":"increment","path":"n","by":1}])", "\"x\"",
            "0 increment.target_not_object Cannot increment at path 'n': target is string, "
            "expected object."},
        Row{"root_string", "\"x\"", R"([{"type":"increment","path":"","by":1}])", "\"x\"",
            "0 increment.not_number Expected number at path 'root', got string."},
        Row{"root_empty_object", "{}", R"([{"type":"increment","path":"","by":1}])", "{}",
            "0 increment.not_number Expected number at path 'root', got object."},
        Row{"beyond_int64", R"({"n":9223372036854775807})",
            R"([{"type":"increment","path":"n","by":1}])", R"({"n":9223372036854775808})"},
        Row{"at_uint64", R"({"n":18446744073709551614})",
            R"([{"type":"increment","path":"n","by":1}])", R"({"n":18446744073709551615})"},
        Row{"beyond_uint64", R"({"n":18446744073709551615})",
            R"([{"type":"increment","path":"n","by":1}])", R"({"n":18446744073709551615})",
            "0 increment.not_number The result at path 'n' does not fit in 64 bits."},
        Row{"decrement", R"({"n":1})", R"([{"type":"decrement","path":"n","by":2}])",
            R"({"n":-1})"},
        Row{"decrement_missing", "{}", R"([{"type":"decrement","path":"n","by":2}])",
            R"({"n":-2})"},
        Row{"decrement_missing_root", "", R"([{"type":"decrement","path":"","by":2}])", "-2"},
        Row{"decrement_string", R"({"n":"x"})", R"([{"type":"decrement","path":"n","by":1}])",
            R"({"n":"x"})", "0 decrement.not_number Expected number at path 'n', got string."},
        Row{"decrement_on_scalar", "true", R"([{"type":"decrement","path":"n","by":1}])", "true",
            "0 decrement.target_not_object Cannot decrement at path 'n': target is boolean, "
            "expected object."},
        Row{"decrement_below_int64", R"({"n":-9223372036854775808})",
            R"([{"type":"decrement","path":"n","by":1}])", R"({"n":-9223372036854775808})",
            "0 decrement.not_number The result at path 'n' does not fit in 64 bits."},
        Row{"decrement_by_least", "{}",
            R"([{"type":"decrement","path":"n","by":-9223372036854775808}])",
            R"({"n":9223372036854775808})"}),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    AppendAndRemove, UpdateRow,
    testing::Values(
        Row{"array", R"({"l":[1]})", R"([{"type":"append","path":"l","value":[2]}])",
            R"({"l":[1,[2]]})"},
        Row{"strings", R"({"l":"a"})", R"([{"type":"append","path":"l","value":"b"}])",
            R"({"l":"ab"})"},
        Row{"number_to_string", R"({"l":"a"})", R"([{"type":"append","path":"l","value":1}])",
            R"({"l":"a"})",
            "0 append.type_mismatch Expected string append value at path 'l', got number."},
        Row{"to_number", R"({"l":1})", R"([{"type":"append","path":"l","value":1}])", R"({"l":1})",
            "0 append.type_mismatch Cannot append at path 'l': target is number, expected array, "
            "string, null, or missing field."},
        Row{"to_null", R"({"l":null})", R"([{"type":"append","path":"l","value":1}])",
            R"({"l":[1]})"},
        Row{"string_to_null", R"({"l":null})", R"([{"type":"append","path":"l","value":"s"}])",
            R"({"l":"s"})"},
        Row{"string_to_missing", "{}", R"([{"type":"append","path":"l","value":"s"}])",
            R"({"l":"s"})"},
        Row{"number_to_missing", "{}", R"([{"type":"append","path":"l","value":1}])",
            R"({"l":[1]})"},
        Row{"string_two_segments", "{}", R"([{"type":"append","path":["a","l"],"value":"s"}])",
            R"({"a":{"l":["s"]}})"},
        Row{"replaced_parent", R"({"a":5})", R"([{"type":"append","path":["a","l"],"value":1}])",
            R"({"a":{"l":[1]}})"},
        Row{"root_missing", "", R"([{"type":"append","value":1}])", "[1]"},
        Row{"root_missing_string", "", R"([{"type":"append","value":"s"}])", "\"s\""},
        Row{"root_array", "[1]", R"([{"type":"append","path":"","value":2}])", "[1,2]"},
        Row{"root_object", R"({"a":1})", R"([{"type":"append","value":2}])", R"({"a":1})",
            "0 append.type_mismatch Cannot append at path 'root': target is object, expected "
            "array, string, null, or missing field."},
        Row{"scalar_root", "5", R"([{"type":"append","path":"a","value":2}])", "5",
            "0 append.target_not_object Cannot append at path '[a]': target is number, expected "
            "object."},
        Row{"scalar_root_two", "5", R"([{"type":"append","path":["a","b"],"value":2}])", "5",
            "0 append.target_not_object Cannot append at path '[a, b]': target is number, expected "
            "object."},
        Row{"remove", R"({"a":1,"b":2})", R"([{"type":"remove","path":"a"}])", R"({"b":2})"},
        Row{"remove_missing", R"({"b":2})", R"([{"type":"remove","path":"a"}])", R"({"b":2})"},
        Row{"remove_root", R"({"b":2})", R"([{"type":"remove","path":""}])", "null"},
        Row{"remove_on_array", "[1]", R"([{"type":"remove","path":"0"}])", "[1]",
            "0 remove.target_not_object Cannot remove at path '0': target is array, expected "
            "object."},
        Row{"several", R"({"a":1})",
            R"([{"type":"set","path":"b","value":1},{"type":"increment","path":"s","by":1},
                {"type":"append","path":"a","value":1},{"type":"remove","path":"b"}])",
            R"({"a":1,"s":1})",
            "2 append.type_mismatch Cannot append at path 'a': target is number, expected array, "
            "string, null, or missing field."}),
    row_name);

struct BadOps {
  std::string_view name;
  std::string_view ops;
  std::string_view problem;
};

class UndecodableOps : public testing::TestWithParam<BadOps> {};

TEST_P(UndecodableOps, AreRefusedAsAWhole) {
  const auto ops = parse_update_ops(GetParam().ops);
  ASSERT_FALSE(ops);
  EXPECT_EQ(ops.error().message, GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    All, UndecodableOps,
    testing::Values(
        BadOps{"unknown", R"([{"type":"replace","path":"b"}])",
               "unknown variant `replace`, expected one of `set`, `merge`, `increment`, "
               "`decrement`, `append`, `remove`"},
        BadOps{"upper_case", R"([{"type":"SET","path":"b"}])",
               "unknown variant `SET`, expected one of `set`, `merge`, `increment`, `decrement`, "
               "`append`, `remove`"},
        BadOps{"without_type", R"([{"path":"b"}])", "missing field `type`"},
        BadOps{"object", R"({"type":"set"})", "invalid type: map, expected a sequence"},
        BadOps{"set_array_path", R"([{"type":"set","path":["a"]}])",
               "invalid type: sequence, expected a string"},
        BadOps{"set_without_path", R"([{"type":"set"}])", "missing field `path`"},
        BadOps{"set_null_path", R"([{"type":"set","path":null}])",
               "invalid type: null, expected a string"},
        BadOps{"merge_without_value", R"([{"type":"merge"}])", "missing field `value`"},
        BadOps{"append_without_value", R"([{"type":"append"}])", "missing field `value`"},
        BadOps{"by_float", R"([{"type":"increment","path":"n","by":1.5}])",
               "invalid type: floating point `1.5`, expected i64"},
        BadOps{"without_by", R"([{"type":"increment","path":"n"}])", "missing field `by`"},
        BadOps{"path_of_numbers", R"([{"type":"merge","path":[1],"value":{}}])",
               "invalid type: integer `1`, expected a string"}),
    [](const auto& test) { return std::string(test.param.name); });

// One op applied to {}; the code of its error, or nothing.
std::string code_of(const UpdateOp& op) {
  const Updated updated = apply_update_ops(json::Value(json::Object{}), {op});
  return updated.errors.empty() ? "" : updated.errors[0].code + ": " + updated.errors[0].message;
}

TEST(UpdateOps, PathSegmentsAtTheLimit) {
  UpdateOp op{UpdateKind::kMerge, std::vector<std::string>(32, "p"), json::Object{}, 0};
  EXPECT_EQ(code_of(op), "");
  op.path.emplace_back("p");
  EXPECT_EQ(code_of(op), "merge.path.too_deep: Path depth 33 exceeds maximum of 32");
}

TEST(UpdateOps, SegmentBytesAtTheLimit) {
  UpdateOp op{UpdateKind::kSet, {std::string(256, 'x')}, 1, 0};
  EXPECT_EQ(code_of(op), "");
  op.path[0] += 'x';
  EXPECT_EQ(code_of(op),
            "set.path.segment_too_long: Path segment of 257 bytes exceeds maximum of 256");
}

TEST(UpdateOps, MergeKeysAtTheLimit) {
  json::Object keys;
  for (int i = 0; i < 1024; ++i) keys.emplace("k" + std::to_string(i), i);
  UpdateOp op{UpdateKind::kMerge, {}, keys, 0};
  EXPECT_EQ(code_of(op), "");
  keys.emplace("one more", 1);
  op.value = keys;
  EXPECT_EQ(code_of(op),
            "merge.value.too_many_keys: Merge value has 1025 top-level keys, exceeds maximum of "
            "1024");
}

TEST(UpdateOps, MergeDepthAtTheLimit) {
  json::Value deep = 1;
  for (int i = 0; i < 16; ++i) deep = json::Object{{"x", deep}};
  UpdateOp op{UpdateKind::kMerge, {}, deep, 0};
  EXPECT_EQ(code_of(op), "");
  op.value = json::Object{{"x", deep}};
  EXPECT_EQ(code_of(op),
            "merge.value.too_deep: Merge value JSON nesting depth 17 exceeds maximum of 16");
}

TEST(UpdateOps, TheSchemaIsValidJson) { EXPECT_NE(update_ops_schema().find("items"), nullptr); }

}  // namespace
}  // namespace iii::engine
