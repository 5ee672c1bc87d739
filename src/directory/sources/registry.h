// The workers registry over HTTP: bundles, lists, details (directory-write §4, §7, §8).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "directory/sources/bundle.h"
#include "directory/sources/progress.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::sources {

struct RegistryOptions {
  std::string url = "https://api.workers.iii.dev";
  std::chrono::milliseconds timeout{60'000};  // of one request with its retries
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds cache_ttl{60'000};      // 0: no cache
  std::chrono::milliseconds negative_ttl{5'000};    // of `not found`; never above cache_ttl
  std::chrono::milliseconds stale_for{86'400'000};  // how long an old answer may stand in
  size_t cache_entries = 256;
  uint64_t cache_bytes = 32 * 1024 * 1024;
  unsigned retries = 2;                             // after 429, 5xx and lost connections
  uint64_t max_answer_bytes = 96ULL * 1024 * 1024;  // a body, unpacked
  std::string ca_file;                              // empty: the system's
  BundleLimits limits;

  bool operator==(const RegistryOptions&) const = default;
};

// Blocking calls, from any thread; equal questions at the same time are asked once.
// Errors: D310 not found, D312 a bundle that is refused, D314 another version than the exact one
// that was asked for, D320 everything else about the registry;
// their text never holds a URL, a host or the registry's own words.
class Registry {
 public:
  static std::unique_ptr<Registry> make(RegistryOptions options);
  virtual ~Registry() = default;

  // Never from the cache of lists; `If-None-Match` when the registry gave an ETag for it before.
  virtual Result<Bundle> bundle(const RegistrySource& source, const Job& job) = 0;

  // An answer and how it came: `stale` when the registry was away and an old one stands in.
  struct Answer {
    json::Value value;
    bool stale = false;
  };
  // The mapped answers of directory::registry::workers::{list,info}, field by field.
  virtual Result<Answer> list(const std::string& search, const std::string& cursor,
                              const Job& job) = 0;
  virtual Result<Answer> info(const RegistrySource& source, const Job& job) = 0;
  // The version that a selector means now, for `outdated`; without fetching a bundle where the
  // registry's details tell it.
  virtual Result<std::string> resolve(const RegistrySource& source, const Job& job) = 0;

  // Names near to `name` that the last lists have shown, for `Did you mean`.
  virtual std::vector<std::string> known_names() const = 0;
  virtual void forget() = 0;  // empties the cache
};

}  // namespace iii::sources
