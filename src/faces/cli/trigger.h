// `iii-directory trigger`: calls one function and prints its result (engine-functions §9.1).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "faces/cli/args.h"
#include "foundation/base/result.h"

namespace iii::cli {

// The exit code: 0, 1 for a failed call, 2 for a wrong command line. Also for `--help`, which shows
// what a function takes.
int run_trigger(const Args& args);

// JSON text made from `--json` and `key=value` pairs. Error code `usage`.
Result<std::string> build_payload(const std::optional<std::string>& json_text,
                                  std::span<const std::string> pairs);

}  // namespace iii::cli
