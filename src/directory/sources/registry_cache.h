// Answers of the registry by request, the least recently used leaving first.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iii::sources {

// One answer: a body with 2xx, or that there is none (404).
struct CachedAnswer {
  bool found = true;
  std::shared_ptr<const std::string> body;
  std::string etag;
  std::chrono::steady_clock::time_point asked_at;
  // The last attempt to have it anew went wrong then.
  std::optional<std::chrono::steady_clock::time_point> failed_at = {};
};

// Not thread-safe. Keys are request targets: path and encoded query, so no two questions share one
// (DW19).
class RegistryCache {
 public:
  RegistryCache(size_t max_entries, uint64_t max_bytes)
      : max_entries_(max_entries), max_bytes_(max_bytes) {}

  // Valid until the next put().
  CachedAnswer* find(std::string_view key);
  // An answer larger than the whole cache is not kept, and what was there goes.
  void put(const std::string& key, CachedAnswer answer);

  size_t entries() const { return order_.size(); }
  uint64_t bytes() const { return bytes_; }

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

}  // namespace iii::sources
