// Registrations by id that are replayed in the order in which they were made.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "foundation/base/hash.h"

namespace iii::sdk {

// Entry has a `std::string id` that does not change.
template <typename Entry>
class Ordered {
 public:
  Entry* find(std::string_view id) {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &*found->second;
  }
  // The id must be new.
  Entry& add(Entry entry) {
    entries_.push_back(std::move(entry));
    const auto position = std::prev(entries_.end());
    by_id_.emplace(position->id, position);
    return *position;
  }
  bool remove(std::string_view id) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return false;
    const auto position = found->second;
    by_id_.erase(found);
    entries_.erase(position);
    return true;
  }

  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  std::list<Entry> entries_;
  std::unordered_map<std::string_view, typename std::list<Entry>::iterator, TextHash> by_id_;
};

}  // namespace iii::sdk
