#include "app/daemon/verbs/schema_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace iii::daemon {
namespace {

std::vector<std::string> lines(std::string_view schema, size_t depth) {
  std::vector<std::string> out;
  for (const SchemaField& field : schema_fields(json::parse(schema).value(), depth)) {
    out.push_back(field.name + (field.required ? "* " : " ") + field.type + " " +
                  field.description);
  }
  return out;
}

constexpr std::string_view kSchema = R"({
  "type": "object", "required": ["rows"],
  "properties": {
    "rows": {"type": "array", "items": {"$ref": "#/definitions/Row"}, "description": "All."},
    "next": {"type": ["string", "null"], "description": "Cursor."},
    "meta": {"anyOf": [{"$ref": "#/definitions/Meta"}, {"type": "null"}]},
    "any": {"description": "Anything."}},
  "definitions": {
    "Row": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "description": "Name."}}},
    "Meta": {"type": "object", "description": "More.", "properties": {"n": {"type": "integer"}}}}})";

TEST(SchemaFields, NamesTypesAndWhatIsRequired) {
  EXPECT_THAT(lines(kSchema, 1),
              testing::ElementsAre("any any Anything.", "meta object|null More.",
                                   "next string|null Cursor.", "rows* array All."));
}

TEST(SchemaFields, FieldsOfObjectsAndRowsFollowThem) {
  EXPECT_THAT(lines(kSchema, 2),
              testing::ElementsAre("any any Anything.", "meta object|null More.", "meta.n integer ",
                                   "next string|null Cursor.", "rows* array All.",
                                   "rows[].id* string Name."));
}

TEST(SchemaFields, ASchemaThatRefersToItselfEnds) {
  EXPECT_THAT(lines(R"({"$ref": "#/definitions/Node", "definitions": {"Node": {"type": "object",
                "properties": {"next": {"$ref": "#/definitions/Node"}}}}})",
                    3),
              testing::ElementsAre("next object ", "next.next object ", "next.next.next object "));
}

TEST(SchemaFields, NothingIsDescribed) {
  EXPECT_THAT(lines("{}", 1), testing::IsEmpty());
  EXPECT_THAT(lines("true", 1), testing::IsEmpty());
}

}  // namespace
}  // namespace iii::daemon
