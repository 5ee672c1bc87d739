// What functions with `metadata.mcp.context` are told about the request behind a call, and how they
// ask for input in the stateless dialect. Pure.
#pragma once

#include <optional>
#include <string>

#include "faces/mcp/feature.h"
#include "foundation/json/value.h"

namespace iii::mcp {

// Version, capabilities of the client, and what it answered to an earlier request for input.
json::Object request_context(const Call& call, const json::Value& params);
// The arguments with the context as `_mcp`, as JSON text.
std::string with_context(json::Value arguments, json::Object context);

// -32602 for `inputResponses` and `requestState` that cannot be answers.
std::optional<RpcError> wrong_input_responses(const json::Value& params);
// What a function's answer means when it has a `resultType`: `input_required` asks the client
// (-32021 when it cannot be asked that), `invalid_params` refuses the request (-32602 with its
// `message`). Nothing for other answers.
std::optional<Outcome> special_result(const json::Value& answer, const Call& call);

}  // namespace iii::mcp
