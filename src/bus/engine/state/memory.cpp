#include "bus/engine/state/memory.h"

namespace iii::engine {

const StateMemory::Entry* StateMemory::find(std::string_view scope, std::string_view key) const {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return nullptr;
  const auto entry = found->second.entries.find(key);
  return entry == found->second.entries.end() ? nullptr : &entry->second;
}

void StateMemory::put(std::string_view scope, std::string_view key, Entry entry) {
  auto found = scopes_.find(scope);
  if (found == scopes_.end()) {
    found = scopes_.emplace(std::string(scope), Scope{}).first;
    bytes_ += kScopeCost + scope.size();
  }
  Scope& target = found->second;
  auto slot = target.entries.find(key);
  if (slot == target.entries.end()) {
    if (target.entries.empty()) empty_.erase(found->first);
    slot = target.entries.emplace(std::string(key), Entry{}).first;
    bytes_ += kEntryCost + key.size();
  } else {
    target.order.erase(slot->second.id);
    bytes_ -= slot->second.value->size();
    target.value_bytes -= slot->second.value->size();
  }
  bytes_ += entry.value->size();
  target.value_bytes += entry.value->size();
  target.order.emplace(entry.id, &*slot);
  slot->second = std::move(entry);
}

void StateMemory::erase(std::string_view scope, std::string_view key) {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return;
  Scope& target = found->second;
  const auto slot = target.entries.find(key);
  if (slot == target.entries.end()) return;
  const size_t value_bytes = slot->second.value->size();
  bytes_ -= kEntryCost + slot->first.size() + value_bytes;
  target.value_bytes -= value_bytes;
  target.order.erase(slot->second.id);
  target.entries.erase(slot);
  if (target.entries.empty()) empty_.insert(found->first);
}

int64_t StateMemory::collect(std::string_view scope, int64_t after, size_t most,
                             std::vector<SharedText>& out) const {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return 0;
  const auto& order = found->second.order;
  auto next = after == 0 ? order.begin() : order.upper_bound(after);
  for (; most > 0 && next != order.end(); ++next, --most) {
    out.push_back(next->second->second.value);
    after = next->first;
  }
  return next == order.end() ? 0 : after;
}

size_t StateMemory::keys(std::string_view scope) const {
  const auto found = scopes_.find(scope);
  return found == scopes_.end() ? 0 : found->second.entries.size();
}

size_t StateMemory::bytes_with(std::string_view scope, std::string_view key,
                               size_t value_bytes) const {
  size_t total = bytes_ + value_bytes;
  if (const Entry* entry = find(scope, key)) return total - entry->value->size();
  total += kEntryCost + key.size();
  if (!scopes_.contains(scope)) total += kScopeCost + scope.size();
  return total;
}

size_t StateMemory::scope_bytes(std::string_view scope) const {
  const auto found = scopes_.find(scope);
  if (found == scopes_.end()) return 0;
  // One comma for each value.
  return found->second.value_bytes + found->second.entries.size();
}

void StateMemory::drop_empty_scopes(std::string_view keep, size_t most) {
  for (auto it = empty_.begin(); most > 0 && it != empty_.end(); --most) {
    if (*it == keep) {
      ++it;
      continue;
    }
    bytes_ -= kScopeCost + it->size();
    scopes_.erase(*it);
    it = empty_.erase(it);
  }
}

}  // namespace iii::engine
