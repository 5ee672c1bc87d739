// W3C trace context as the public engine treats it (wire §6.1).
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace iii::protocol {

// `00-<32 hex>-<16 hex>-<2 hex>`, ids not all zero.
bool valid_traceparent(std::string_view text);

// The baggage a target receives: the caller's valid entries without their properties, plus
// `iii.function.id=<target>`.
std::string forwarded_baggage(std::string_view from_caller, std::string_view function_id);

// Entries by key, values percent-decoded; broken ones are left out.
std::map<std::string, std::string> baggage_entries(std::string_view baggage);

}  // namespace iii::protocol
