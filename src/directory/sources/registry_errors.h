// What callers are told about a registry that did not answer as hoped. Never a URL, a host or the
// registry's own words.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/http.h"
#include "directory/sources/source.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct RegistryFailure {
  HttpProblem problem = HttpProblem::kUnreachable;
  long status = 0;  // of a whole answer that is not the one wanted; 0: `problem` says what happened
  std::optional<std::chrono::seconds> retry_after = {};

  // The registry is away for now; an old answer may stand in for it.
  bool is_passing() const;
};

// What cannot be decoded counts as cut.
inline constexpr RegistryFailure kUndecodable{.problem = HttpProblem::kCut};

// D320. For a question about one worker; browsing may help.
Error registry_error(const RegistryFailure& failure);
// The same when the list itself failed.
Error registry_list_error(const RegistryFailure& failure);

// D310 for a download and for details. `known` are names that lists have shown before.
Error no_bundle(const RegistrySource& source, const std::vector<std::string>& known);
Error no_worker(const RegistrySource& source, const std::vector<std::string>& known);
// D314: an exact version was asked for, and another one came.
Error other_version(const RegistrySource& source, std::string_view delivered);

}  // namespace iii::sources
