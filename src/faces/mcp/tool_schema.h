// JSON Schemas of functions in the form that MCP clients accept. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foundation/json/value.h"

namespace iii::mcp {

// For `inputSchema`: an object with `type: "object"` at the root, schemas of properties are objects
// (`true` becomes `{}`), one type per schema, `x-mcp-header` of strangers and formats that
// JSON Schema does not have (`uint64`) removed, all other
// keywords kept. A schema that is not usable, or too large, becomes one that accepts every object.
json::Value input_schema(const json::Value* schema, bool keep_headers = false);

// Parameters that clients repeat in a header: `x-mcp-header` of properties of the root that are
// strings, integers or booleans, with a name that HTTP allows and that is there once.
// input_schema() with `keep_headers` keeps exactly these annotations.
struct HeaderParameter {
  std::string property;
  std::string header;
};
std::vector<HeaderParameter> header_parameters(const json::Value& schema);

// For `outputSchema` of our own functions: the same values, with one type per schema.
json::Value portable_output_schema(const json::Value& schema);

// Whether every value that the schema accepts is an object, as the handshake dialect demands of
// `outputSchema`.
bool is_object_schema(const json::Value& schema);
// A schema of `{result: …}` for a function whose answers are not objects.
json::Value wrapped_schema(const json::Value& schema);

}  // namespace iii::mcp
