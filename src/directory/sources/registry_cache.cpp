#include "directory/sources/registry_cache.h"

namespace iii::sources {

namespace {
constexpr uint64_t kEntryOverhead = 256;  // nodes, pointers, counts
}

uint64_t RegistryCache::cost(const std::pair<std::string, CachedAnswer>& entry) {
  const CachedAnswer& answer = entry.second;
  return kEntryOverhead + 2 * entry.first.size() + answer.etag.size() +
         (answer.body != nullptr ? answer.body->size() : 0);
}

void RegistryCache::erase(Order::iterator entry) {
  bytes_ -= cost(*entry);
  places_.erase(entry->first);
  order_.erase(entry);
}

CachedAnswer* RegistryCache::find(std::string_view key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  order_.splice(order_.begin(), order_, place->second);
  return &place->second->second;
}

void RegistryCache::put(const std::string& key, CachedAnswer answer) {
  if (const auto place = places_.find(key); place != places_.end()) erase(place->second);
  std::pair<std::string, CachedAnswer> entry(key, std::move(answer));
  const uint64_t size = cost(entry);
  if (size > max_bytes_ || max_entries_ == 0) return;
  while (!order_.empty() && (order_.size() >= max_entries_ || bytes_ + size > max_bytes_)) {
    erase(std::prev(order_.end()));
  }
  order_.push_front(std::move(entry));
  places_.emplace(key, order_.begin());
  bytes_ += size;
}

}  // namespace iii::sources
