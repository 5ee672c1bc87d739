// Checks a value against a JSON Schema: draft-07 and the everyday keywords of 2020-12.
//
// Known keywords: type, enum, const, properties, required, additionalProperties, patternProperties,
// propertyNames, dependencies, dependentRequired, dependentSchemas, min/maxProperties, items,
// prefixItems, additionalItems, contains, min/maxContains, min/maxItems, uniqueItems,
// min/maxLength, pattern, minimum, maximum, exclusiveMinimum/Maximum, multipleOf, allOf, anyOf,
// oneOf, not, if/then/else, $ref within the document. Others, `format` among them, are ignored.
// Patterns are RE2: they take linear time, and what RE2 does not know (look-around, back
// references) makes the schema invalid.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::json {

// A step is a small bounded amount of work: a schema applied to a value, a key looked up, some
// bytes compared, searched or written. So the time of a check is bounded by max_steps, whatever the
// schema and the value are.
struct SchemaLimits {
  size_t max_depth = 128;             // schemas applied inside each other, references included
  size_t max_steps = 200'000;         // in one check
  size_t max_violations = 32;         // the rest is not looked for
  size_t max_text = 1'000;            // bytes of a value shown in a message
  size_t max_message = 8'000;         // bytes of a message
  size_t max_pattern_size = 100'000;  // their bytes and compiled instructions, added up
};

namespace schema_detail {
struct Compiled;
}

class Schema {
 public:
  // Fails with `invalid JSON Schema: …`.
  static Result<Schema> compile(Value schema, SchemaLimits limits = {});

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // What is wrong with the value, in the order of the keywords' names; empty when it is valid.
  // Beyond a limit the value counts as wrong, with a sentence that says so. `steps`: how many the
  // check took.
  std::vector<std::string> check(const Value& value, size_t* steps = nullptr) const;

 private:
  explicit Schema(std::unique_ptr<schema_detail::Compiled> compiled);

  std::unique_ptr<schema_detail::Compiled> compiled_;
};

}  // namespace iii::json
