// The values of state::* in memory: scopes, each with its keys in order of insertion.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/store/store.h"

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

  // Adds up to `most` values to `out`, in order of insertion, beginning after the entry with id
  // `after` (0: at the start). The id to go on after, or 0 at the end.
  int64_t collect(std::string_view scope, int64_t after, size_t most,
                  std::vector<SharedText>& out) const;
  // Calls `visit(const std::string& scope)` for up to `most` scopes, sorted, beginning after
  // `after`. False at the end.
  template <typename Visit>
  bool each_scope(const std::optional<std::string>& after, size_t most, Visit visit) const {
    auto scope = after ? scopes_.upper_bound(*after) : scopes_.begin();
    for (; most > 0 && scope != scopes_.end(); ++scope, --most) visit(scope->first);
    return scope != scopes_.end();
  }
  size_t scopes() const { return scopes_.size(); }
  size_t keys(std::string_view scope) const;

  // What everything here takes, roughly: texts plus a fixed amount for each scope and entry.
  size_t bytes() const { return bytes_; }
  // What it would take to hold this value too, in place of the one that is there.
  size_t bytes_with(std::string_view scope, std::string_view key, size_t value_bytes) const;
  size_t scope_bytes(std::string_view scope) const;  // texts of the values of one scope
  // Forgets up to `most` scopes without keys, except `keep`.
  void drop_empty_scopes(std::string_view keep, size_t most);

  static constexpr size_t kEntryCost = 160;
  static constexpr size_t kScopeCost = 160;

 private:
  // Not a hash table: peers choose the keys.
  using Entries = std::map<std::string, Entry, std::less<>>;
  struct Scope {
    Entries entries;
    std::map<int64_t, const Entries::value_type*> order;
    size_t value_bytes = 0;
  };

  std::map<std::string, Scope, std::less<>> scopes_;
  std::set<std::string, std::less<>> empty_;  // scopes without keys
  size_t bytes_ = 0;
};

}  // namespace iii::engine
