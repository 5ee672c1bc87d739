// The values of state::* in memory: scopes, each with its keys in order of insertion.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/store/store.h"

namespace iii::engine {

class StateMemory {
 public:
  struct Entry {
    int64_t id = 0;  // also the place in the scope's order
    SharedText value;
  };

  // Nothing there: nullptr. Valid until the next change.
  const Entry* find(std::string_view scope, std::string_view key) const;
  // Adds or replaces; an entry that is put back with its old id gets its old place.
  void put(std::string_view scope, std::string_view key, Entry entry);
  // The scope stays visible when its last key goes.
  void erase(std::string_view scope, std::string_view key);

  // Calls `visit(const std::string& value)` in order of insertion.
  template <typename Visit>
  void each(std::string_view scope, Visit visit) const {
    const auto found = scopes_.find(scope);
    if (found == scopes_.end()) return;
    for (const auto& [id, keyed] : found->second.order) visit(*keyed->second.value);
  }
  // Calls `visit(const std::string& scope)`, sorted.
  template <typename Visit>
  void each_scope(Visit visit) const {
    for (const auto& [name, scope] : scopes_) visit(name);
  }

  // What everything here takes, roughly: texts plus a fixed amount for each scope and entry.
  size_t bytes() const { return bytes_; }
  // What it would take to hold this value too, in place of the one that is there.
  size_t bytes_with(std::string_view scope, std::string_view key, size_t value_bytes) const;
  size_t scope_bytes(std::string_view scope) const;  // texts of the values of one scope
  // Forgets scopes without keys, except `keep`.
  void drop_empty_scopes(std::string_view keep);

  static constexpr size_t kEntryCost = 160;
  static constexpr size_t kScopeCost = 160;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Entries = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;
  struct Scope {
    Entries entries;
    std::map<int64_t, const Entries::value_type*> order;
    size_t value_bytes = 0;
  };

  std::map<std::string, Scope, std::less<>> scopes_;
  size_t bytes_ = 0;
};

}  // namespace iii::engine
