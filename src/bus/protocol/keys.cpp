#include "bus/protocol/keys.h"

namespace iii::protocol {

namespace {

// Candidates by length, so that a lookup compares a few names at most.
constexpr size_t kLongest = 22;
constexpr size_t kMostPerLength = 8;
using LengthTable = std::array<std::array<int8_t, kMostPerLength>, kLongest + 1>;

constexpr LengthTable make_length_table() {
  LengthTable table{};
  for (auto& row : table) row.fill(-1);
  for (size_t i = 0; i < kKeys.size(); ++i) {
    auto& row = table[kKeys[i].size()];
    size_t slot = 0;
    while (row[slot] >= 0) ++slot;
    row[slot] = static_cast<int8_t>(i);
  }
  return table;
}

constexpr LengthTable kByLength = make_length_table();

int find_key(std::string_view name) {
  if (name.size() > kLongest) return -1;
  for (const int8_t candidate : kByLength[name.size()]) {
    if (candidate < 0) return -1;
    if (kKeys[static_cast<size_t>(candidate)] == name) return candidate;
  }
  return -1;
}

}  // namespace

void Members::reset() {
  seen_.reset();
  repeated_.reset();
  if (!scratch_.empty()) scratch_.clear();
  plain_ = false;
  data_claims_caller_.reset();
}

void Members::add(json::Slice quoted_key, json::Slice value) {
  int key = 0;
  if (plain_) {
    key = find_key(quoted_key.substr(1, quoted_key.size() - 2));
  } else if (const auto plain = json::plain_string(quoted_key)) {
    key = find_key(*plain);
  } else {
    key = find_key(json::string_of(quoted_key));
  }
  if (key < 0) return;
  const auto at = static_cast<size_t>(key);
  if (seen_[at]) repeated_.set(at);
  seen_.set(at);
  values_[at] = value;
}

Text Members::text(json::Slice value) {
  if (plain_) return value.substr(1, value.size() - 2);
  if (const auto plain = json::plain_string(value)) return *plain;
  return scratch_.emplace_back(json::string_of(value));
}

}  // namespace iii::protocol
