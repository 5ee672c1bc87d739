// A schema and a value from a stranger: the work of a check is bounded by its steps. Memory that
// the check asks for stands for work here, because text that nobody charged would show up in it.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "foundation/json/schema_check.h"
#include "foundation/json/write.h"

namespace {

std::atomic<size_t> allocated_bytes = 0;

}  // namespace

// Under tsan memory is not counted: its runtime does not let a program replace these.
#if !__has_feature(thread_sanitizer)
void* operator new(size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

namespace iii::json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Checked {
  std::vector<std::string> violations;
  size_t steps = 0;
  size_t allocated = 0;  // bytes
};

Checked check(Value schema, const Value& value, SchemaLimits limits = {}) {
  Checked out;
  auto compiled = Schema::compile(std::move(schema), limits);
  if (!compiled) {
    out.violations = {compiled.error().message};
    return out;
  }
  const size_t before = allocated_bytes;
  out.violations = compiled->check(value, &out.steps);
  out.allocated = allocated_bytes - before;
  // The most that a step writes is 256 bytes; strings double when they grow.
  EXPECT_LE(out.steps, limits.max_steps);
  EXPECT_LE(out.allocated, 1'024 * out.steps + 16'384);
  return out;
}

Array repeated(const Value& element, size_t count) { return Array(count, element); }
Value long_string(size_t bytes) { return Value(std::string(bytes, 'x')); }

TEST(SchemaLimits, FailingBranchesWriteNothing) {
  const Value branches = repeated(Object{{"type", "integer"}}, 1'000);
  const Value value = long_string(1'000'000);
  for (const char* keyword : {"anyOf", "oneOf"}) {
    const Checked checked = check(Object{{keyword, branches}}, value);
    EXPECT_THAT(checked.violations, SizeIs(1));
    EXPECT_LE(checked.steps, 1'020U) << keyword;
  }
}

TEST(SchemaLimits, NestedBranchesCostTheSameForALargeValue) {
  Value schema = Object{{"enum", Array{1, long_string(10)}}};
  for (int level = 0; level < 8; ++level) schema = Object{{"anyOf", Array{schema, schema, schema}}};
  const Checked small = check(schema, Array{long_string(20)});
  const Checked large = check(schema, repeated(long_string(1'000), 10'000));
  EXPECT_GT(small.steps, 6'561U);            // 3 to the power of 8
  EXPECT_LE(large.steps, small.steps + 20);  // of the message
}

TEST(SchemaLimits, EndlessBranchesEndAtTheBudget) {
  Value schema = Object{{"not", Object{{"type", "integer"}}}};
  for (int level = 0; level < 60; ++level)
    schema =
        Object{{"anyOf", Array{Object{{"allOf", Array{schema, false}}}, Object{{"$ref", "#"}}}}};
  const Checked checked = check(schema, repeated(long_string(100'000), 10));
  EXPECT_THAT(checked.violations, ElementsAre(HasSubstr("given up after 200000 steps")));
}

TEST(SchemaLimits, EqualTextIsPaidFor) {
  // Each comparison reads the whole text.
  const Value text = long_string(100'000);
  const Value almost = Array{text, 1};
  const Value value = Array{text, 2};
  const Checked few = check(Object{{"enum", repeated(almost, 10)}}, value);
  EXPECT_THAT(few.violations, SizeIs(1));
  EXPECT_GE(few.steps, 10 * 100'000 / 1'024U);
  SchemaLimits limits;
  limits.max_steps = 10'000;
  const Value enumeration = Object{{"enum", repeated(almost, 10)}};
  EXPECT_THAT(check(Object{{"items", enumeration}}, repeated(value, 20), limits).violations,
              ElementsAre(HasSubstr("given up")));
  const Value constant = Object{{"const", value}};
  EXPECT_THAT(check(Object{{"items", constant}}, repeated(value, 90), limits).violations,
              IsEmpty());
  EXPECT_THAT(check(Object{{"items", constant}}, repeated(value, 110), limits).violations,
              ElementsAre(HasSubstr("given up")));
}

TEST(SchemaLimits, UniqueItemsOfManyElements) {
  Array numbers;
  for (int i = 0; i < 100'000; ++i) numbers.emplace_back(i);
  EXPECT_THAT(check(Object{{"uniqueItems", true}}, numbers).violations, IsEmpty());
  numbers.emplace_back(7.0);
  EXPECT_THAT(check(Object{{"uniqueItems", true}}, numbers).violations, SizeIs(1));
  EXPECT_THAT(
      check(Object{{"not", Object{{"uniqueItems", true}}}, {"if", Object{{"uniqueItems", true}}}},
            numbers)
          .violations,
      ElementsAre(HasSubstr("given up")));
  SchemaLimits limits;
  limits.max_steps = 20'000;
  EXPECT_THAT(
      check(Object{{"uniqueItems", true}}, repeated(long_string(1'000), 10'000), limits).violations,
      ElementsAre(HasSubstr("given up")));
}

TEST(SchemaLimits, LongSearchesArePaidFor) {
  const std::string pattern = "^(a|b|ab|[a-z]{1,100}){1,9}$";
  const Checked small = check(Object{{"pattern", pattern}}, long_string(100));
  EXPECT_THAT(small.violations, IsEmpty());
  EXPECT_GE(small.steps, 100 * 900 / 128U);
  EXPECT_THAT(check(Object{{"pattern", pattern}}, long_string(1'000'000)).violations,
              ElementsAre(HasSubstr("given up")));
}

TEST(SchemaLimits, LongPatternsAreRefused) {
  SchemaLimits limits;
  limits.max_pattern_size = 100;
  EXPECT_THAT(check(Object{{"pattern", "a"}}, "a", limits).violations, IsEmpty());
  EXPECT_THAT(check(Object{{"pattern", std::string(101, 'a')}}, "a", limits).violations,
              ElementsAre(HasSubstr("larger than 100 bytes and instructions altogether")));
  EXPECT_THAT(check(Object{{"pattern", "a{100}"}}, "a", limits).violations,
              ElementsAre(HasSubstr("larger than 100 bytes and instructions altogether")));
}

TEST(SchemaLimits, KeysAndKeywordsArePaidFor) {
  Object schemas;
  Object keywords;
  Array names;
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = "k" + std::to_string(i);
    schemas.emplace(name, Object{});
    keywords.emplace(name, 1);
    names.emplace_back(name);
  }
  const Value objects = repeated(Object{{"a", 1}}, 1'000);
  for (const Value& schema : {Value(Object{{"properties", schemas}}),
                              Value(Object{{"dependentSchemas", schemas}}), Value(keywords)}) {
    EXPECT_THAT(check(Object{{"items", schema}}, objects).violations,
                ElementsAre(HasSubstr("given up")));
  }
  EXPECT_THAT(
      check(Object{{"items",
                    Object{{"not", Object{{"anyOf", repeated(Object{{"required", names}}, 2)}}}}}},
            repeated(Value(schemas), 100))
          .violations,
      ElementsAre(HasSubstr("given up")));
}

TEST(SchemaLimits, MessagesAreBounded) {
  SchemaLimits limits;
  const Value value = repeated(repeated(long_string(1'000), 100), 40);
  const Checked checked =
      check(Object{{"items", Object{{"enum", repeated(long_string(5'000), 30)}}}}, value);
  EXPECT_THAT(checked.violations, SizeIs(limits.max_violations));
  for (const std::string& message : checked.violations) {
    EXPECT_LE(message.size(), limits.max_message + std::string("…").size());
  }
}

}  // namespace
}  // namespace iii::json
