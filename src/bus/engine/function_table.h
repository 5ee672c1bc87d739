// Functions by (namespace, id), and who owns them.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/call_stats.h"
#include "bus/engine/worker.h"
#include "foundation/base/hash.h"
#include "foundation/json/schema_check.h"

namespace iii::engine {

template <typename T>
using TextMap = boost::unordered_flat_map<std::string, T, TextHash, std::equal_to<>>;

struct Source;

// What a registration says about calls and observers (observers §4).
struct Declaration {
  bool is_private = false;
  bool observable = true;
  std::optional<std::string> args_format;  // JSON text
  std::optional<std::string> observe;      // JSON text, as a v1 worker sent it

  bool needs_v2() const { return is_private || !observable || args_format; }
};

struct Function {
  std::string id;
  std::string name_space;
  std::optional<std::string> description;
  std::optional<std::string> request_format;   // JSON text
  std::optional<std::string> response_format;  // JSON text
  std::optional<std::string> metadata;         // JSON text
  Worker* owner = nullptr;                     // null for what the engine implements itself
  // Its counters, and the id once more: unanswered calls share them without keeping the schemas of
  // a function that is gone.
  std::shared_ptr<CallRecord> record;
  const BuiltinFunction* builtin = nullptr;

  // Who may call and observe it (observers §4).
  bool is_private = false;
  bool observable = true;
  bool owner_delivered = false;            // its host reports its events
  std::optional<std::string> args_format;  // JSON text
  std::optional<std::string> observe;      // JSON text, as a v1 worker sent it
  std::optional<std::string> legacy_type;  // a trigger type that it stands in for
  std::shared_ptr<const json::Schema> args_schema;
  // Said by a connection without features; it counts when the connection names them.
  std::shared_ptr<const Declaration> declared;
  // What observes it; null for most. Not a part of the registration; the loop thread alone uses it.
  mutable std::shared_ptr<Source> source;

  // The owner's name; else the first `::` segment of the id.
  std::string worker_name() const;
  // `engine::*` except `engine::queue::*`, and whatever says `metadata.internal: true`.
  bool internal() const;
  // Its owner has left; it will be removed soon, and nobody finds it any more.
  bool gone() const { return owner != nullptr && owner->gone; }
  bool listed() const { return builtin == nullptr || builtin->listed; }
};

using FunctionPtr = std::shared_ptr<const Function>;

std::string first_segment(std::string_view id);

class FunctionTable {
 public:
  // Null when unknown. The pointer stays valid until the next change of the table.
  const FunctionPtr* find(std::string_view name_space, std::string_view id) const;
  const FunctionPtr* find_default(std::string_view id) const;
  // The namespaces that know `id`, sorted.
  std::vector<std::string> namespaces_of(std::string_view id) const;
  // The same as a list for an error message, each name cut to a readable length; empty for none.
  std::string namespaces_for_people(std::string_view id) const;

  void put(FunctionPtr function);  // replaces one of the same key
  void remove(const Function& function);

  void each(const std::function<void(const FunctionPtr&)>& visit) const;
  // Visits the functions of about `most` ids that come after `id`, sorted by id and namespace. The
  // last id that was visited, to go on behind it; nothing when there are no more.
  std::optional<std::string> each_after(std::string_view id, size_t most,
                                        const std::function<void(const FunctionPtr&)>& visit) const;
  // Grows whenever an id appears or disappears.
  uint64_t changes() const { return changes_; }

 private:
  using Functions = TextMap<FunctionPtr>;
  TextMap<std::unique_ptr<Functions>> by_namespace_;
  Functions* default_ = nullptr;
  std::map<std::string, std::set<std::string>, std::less<>> namespaces_;  // by id
  uint64_t changes_ = 0;
};

}  // namespace iii::engine
