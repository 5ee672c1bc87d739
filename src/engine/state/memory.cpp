#include "engine/state/memory.h"

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

void StateMemory::drop_empty_scopes(std::string_view keep) {
  std::erase_if(scopes_, [this, keep](const auto& item) {
    const auto& [name, scope] = item;
    if (!scope.entries.empty() || name == keep) return false;
    bytes_ -= kScopeCost + name.size();
    return true;
  });
}

}  // namespace iii::engine
