// Asks the registry: retries, cache, one question at a time for equal ones.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/sources/http.h"
#include "directory/sources/registry.h"
#include "directory/sources/registry_errors.h"

namespace iii::sources {

// Time and chance come in, so that tests decide about them.
struct RegistryClock {
  std::function<std::chrono::steady_clock::time_point()> now;
  // Ends early when the job stops.
  std::function<void(std::chrono::milliseconds, const Job&)> sleep;
  std::function<double()> random;  // evenly from [-1, 1)

  static RegistryClock real();
};

struct Fetched {
  bool found = true;                        // false: 404
  std::shared_ptr<const std::string> body;  // valid JSON when found
  bool stale = false;
};

struct FetchOptions {
  bool from_cache = true;  // false: always ask; what is cached serves for `If-None-Match` only
  uint64_t max_bytes = 0;
};

// `application/x-www-form-urlencoded`, as the published worker sends it: blanks become `+`.
std::string form_encode(std::string_view text);
// `path` and the parameters that have a value.
std::string request_target(std::string path,
                           const std::vector<std::pair<std::string_view, std::string>>& query);

// One answer: a body with 2xx, or that there is none (404).
struct CachedAnswer {
  bool found = true;
  std::shared_ptr<const std::string> body;
  std::string etag;
  std::chrono::steady_clock::time_point asked_at;
  // The last attempt to have it anew went wrong then.
  std::optional<std::chrono::steady_clock::time_point> failed_at = {};
};

// Answers by request, the least recently used leaving first. Not thread-safe. Keys are request
// targets: path and encoded query, so no two questions share one (DW19).
class RegistryCache {
 public:
  RegistryCache(size_t max_entries, uint64_t max_bytes)
      : max_entries_(max_entries), max_bytes_(max_bytes) {}

  // Valid until the next put().
  CachedAnswer* find(std::string_view key);
  // An answer larger than the whole cache is not kept, and what was there goes.
  void put(const std::string& key, CachedAnswer answer);

 private:
  using Order = std::list<std::pair<std::string, CachedAnswer>>;  // most recent first

  static uint64_t cost(const std::pair<std::string, CachedAnswer>& entry);
  void erase(Order::iterator entry);

  size_t max_entries_;
  uint64_t max_bytes_;
  uint64_t bytes_ = 0;
  Order order_;
  std::map<std::string, Order::iterator, std::less<>> places_;
};

// From any thread.
class RegistryClient {
 public:
  RegistryClient(const RegistryOptions& options, RegistryClock clock);

  std::expected<Fetched, RegistryFailure> fetch(const std::string& target, const FetchOptions& how,
                                                const Job& job);

 private:
  using FetchResult = std::expected<Fetched, RegistryFailure>;
  struct Flight {
    bool done = false;       // under mutex_
    bool abandoned = false;  // ended for reasons of the one who asked; others ask anew
    std::optional<FetchResult> outcome;
  };

  std::optional<Fetched> cached(const std::string& target, const FetchOptions& how);
  bool is_fresh(const CachedAnswer& answer) const;
  bool may_stand_in(const CachedAnswer& answer) const;
  bool wait_for(Flight& flight, const Job& job, std::unique_lock<std::mutex>& lock);
  // Under the lock: lets go whoever waits.
  void land(const std::string& target, Flight& flight);
  // Without the lock: one question with its retries.
  std::expected<HttpAnswer, RegistryFailure> ask(const std::string& target, const std::string& etag,
                                                 const FetchOptions& how, const Job& job);
  std::optional<std::chrono::milliseconds> pause_after(const RegistryFailure& failure,
                                                       unsigned attempt);
  // Under the lock: what the answer means, and the cache after it.
  FetchResult settle(const std::string& target, const std::optional<CachedAnswer>& before,
                     std::expected<HttpAnswer, RegistryFailure> answer, const FetchOptions& how);

  const RegistryOptions options_;
  const std::string base_;
  const RegistryClock clock_;
  Http http_;

  std::mutex mutex_;
  std::condition_variable landed_;
  RegistryCache cache_;                                                  // under mutex_
  std::map<std::string, std::shared_ptr<Flight>, std::less<>> flights_;  // under mutex_
};

}  // namespace iii::sources
