// Why git failed, in a sentence of our own: what to do, and nothing of URLs, hosts or paths.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "directory/sources/process.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct GitFailure {
  std::string url;
  std::string scratch;                // our temporary folder
  std::chrono::milliseconds allowed;  // the time there was
  uint64_t max_clone_bytes = 0;
};

// D310 when there is no such repository, D312 when it is too large, else D321.
Error explain_git(const Ran& ran, const GitFailure& about);

// The line of git's own words that says most, cleaned of URL, host, credentials and paths.
std::string summary_of(std::string_view errors, const GitFailure& about);

// The server wants the client to go to another address.
bool is_redirect(std::string_view errors);
// The server gives out only what its branches and tags point at, nothing by name.
bool is_unadvertised(std::string_view errors);

}  // namespace iii::sources
