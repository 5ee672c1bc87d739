// What a browser may call, and what a person has to agree to first. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "directory/table/function.h"
#include "foundation/json/value.h"

namespace iii::console {

enum class CallRule {
  kRun,
  kConfirm,  // runs when the request says that a person agreed
  kRefuse,   // not for callers
};

CallRule rule_of(const directory::Hints& hints);

// Functions of the engine that only read, by the names of its namespaces and of what they do.
bool is_known_read(std::string_view function_id);

// `{"destructive":…}`; `null` when they are not known.
json::Value hints_json(const std::optional<directory::Hints>& hints);

// The HTTP status of an error that a function gave.
int status_of(const Error& error);
// The code to show: errors of the directory begin with theirs (`D110: …`).
std::string_view code_of(const Error& error);
// The sentence to show: some of the bus say too little for a person.
std::string message_of(const Error& error);

}  // namespace iii::console
