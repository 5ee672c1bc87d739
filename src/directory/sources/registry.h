// The workers registry over HTTP: bundles, lists, details (directory-write §4, §7, §8).
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

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

struct RegistryClock;
class RegistryClient;

// Blocking calls, from any thread; equal questions at the same time are asked once.
// Errors: D310 not found, D312 a bundle that is refused, D314 another version than the exact one
// that was asked for, D320 everything else about the registry;
// their text never holds a URL, a host or the registry's own words.
class Registry {
 public:
  explicit Registry(RegistryOptions options);
  Registry(RegistryOptions options, RegistryClock clock);  // for tests
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Never from the cache of lists; `If-None-Match` when the registry gave an ETag for it before.
  Result<Bundle> bundle(const RegistrySource& source, const Job& job);

  // An answer and how it came: `stale` when the registry was away and an old one stands in.
  struct Answer {
    json::Value value;
    bool stale = false;
  };
  // The mapped answers of directory::registry::workers::{list,info}, field by field.
  Result<Answer> list(const std::string& search, const std::string& cursor, const Job& job);
  Result<Answer> info(const RegistrySource& source, const Job& job);
  // The version that a selector means now, for `outdated`; without fetching a bundle where the
  // registry's details tell it.
  Result<std::string> resolve(const RegistrySource& source, const Job& job);

  // Names that lists have shown, for `Did you mean`.
  std::vector<std::string> known_names() const;

 private:
  void remember(const std::string& name);

  const RegistryOptions options_;
  const uint64_t metadata_bytes_;  // of lists and details, at most
  std::unique_ptr<RegistryClient> client_;
  mutable std::mutex names_mutex_;
  std::set<std::string> names_;  // under names_mutex_
};

}  // namespace iii::sources
