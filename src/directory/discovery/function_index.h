// An index of functions: what is known about each, and the search over all of them. Made once per
// state of a catalogue. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/search/index.h"
#include "foundation/json/value.h"

namespace iii::directory {

struct KnownFunction {
  std::string id;
  std::string description = {};
  std::string worker = {};      // its owner; may be empty
  std::string name_space = {};  // where calls must go; empty: `default`, or not known
  // Top-level properties of its request: name and description.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  bool internal = false;  // `metadata.internal`: callable, and never an answer of a search
  std::string mcp = {};   // `metadata.mcp`, JSON text; empty: none
  bool own = false;       // of the directory's table, and not in the engine's list

  bool operator==(const KnownFunction&) const = default;
};

// Longer descriptions are cut before they are indexed, and further parameters left out: a peer
// chooses both.
inline constexpr size_t kMaxIndexedDescription = 16 * 1024;
inline constexpr size_t kMaxIndexedParameters = 128;

std::vector<std::pair<std::string, std::string>> parameters_of(const json::Value& request_schema);

// Ascending by id; of equal ids the first counts.
std::vector<KnownFunction> by_id(std::vector<KnownFunction> functions);

// Never changes.
class FunctionIndex {
 public:
  // Takes time for many functions: to be made off the loop. Of equal ids the first counts.
  explicit FunctionIndex(std::vector<KnownFunction> functions);

  // Ascending by id.
  const std::vector<KnownFunction>& functions() const { return functions_; }
  const KnownFunction* find(std::string_view id) const;
  const search::Index& index() const { return index_; }

 private:
  std::vector<KnownFunction> functions_;
  search::Index index_;
};
using FunctionIndexPtr = std::shared_ptr<const FunctionIndex>;

}  // namespace iii::directory
