// The engine seen as iii-directory 0.4.1 and 0.5.1 showed it (directory-write §10): who owns what,
// filters, order. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "directory/legacy/engine_lists.h"
#include "directory/legacy/introspection_types.h"

namespace iii::directory {

// What follows the last `::`.
std::string last_part(std::string_view id);
// What stands before the first `::`; nothing when there is none.
std::optional<std::string> first_part(std::string_view id);
// Which worker provides a trigger type: the engine says it, else its id does.
std::optional<std::string> owner_of(const EngineTriggerType& type);
// Compact JSON in one line; at most 80 characters, then `...`.
std::string config_summary(const json::Value& config);

// Which worker offers a function.
class Owners {
 public:
  explicit Owners(const EngineLists& lists);
  std::optional<std::string> of(std::string_view function_id) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

template <Line L>
FunctionEntries<L> list_functions(const EngineLists& lists, const FunctionFilter& filter);
template <Line L>
TypeEntries<L> list_types(const EngineLists& lists, const TypeFilter& filter);
TriggerEntries list_triggers(const EngineLists& lists, const TriggerFilter& filter);
// `described`: with what workers say about themselves; 0.4.1 never showed it.
WorkerEntries list_workers(const EngineLists& lists, const WorkerFilter& filter, bool described);

// The guides are left to the caller.
template <Line L>
FunctionDetail<L> function_detail(const EngineFunction& function,
                                  std::optional<std::string> worker_name,
                                  const std::vector<EngineTrigger>& triggers);
template <Line L>
TypeDetail<L> type_detail(const EngineTriggerType& type, uint64_t instance_count);
// Nothing when there is no worker of that name.
template <Line L>
std::optional<WorkerDetail<L>> worker_detail(const EngineLists& lists, std::string_view name);

}  // namespace iii::directory
