// Functions as MCP tools: the list, and calls.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "directory/table/function_table.h"
#include "faces/mcp/callable.h"
#include "faces/mcp/feature.h"
#include "faces/mcp/host.h"
#include "faces/mcp/live_calls.h"
#include "faces/mcp/resources.h"
#include "foundation/task/pool.h"
#include "foundation/task/task.h"

namespace iii::mcp {

class Tools {
 public:
  Tools(const Host& host, ToolsMode mode, Callables& callables, Resources& resources,
        LiveCalls& live, task::Pool& pool);

  task::Task<Outcome> list(Version version, json::Value params);
  task::Task<Outcome> call(Call call, json::Value params);

 private:
  using Arguments = std::map<std::string, json::Raw>;

  // The tool with that id; null: it is not a tool here.
  task::Task<CallablePtr> listed(std::string id);
  task::Task<json::Value> arguments_of(const Call& call);
  task::Task<Outcome> call_function(Call call, CallablePtr function, json::Value params);
  task::Task<Result<json::Raw>> find(std::string query, size_t most);
  task::Task<Result<json::Raw>> overview();
  task::Task<Result<json::Raw>> read(std::string address, std::optional<uint64_t> offset,
                                     std::optional<uint64_t> limit);
  task::Task<Result<json::Raw>> call_by_id(directory::Context context, std::string id,
                                           std::optional<Arguments> arguments,
                                           std::string name_space);
  task::Task<Result<json::Raw>> list_functions();

  directory::Library& library_;
  const ToolsMode mode_;
  Callables& callables_;
  Resources& resources_;
  LiveCalls& live_;
  const std::string tell_function_;
  directory::SkillSearch* const search_;
  task::Pool& pool_;
  directory::FunctionTable own_;  // find, read, call
  CallableList own_rows_;
};

}  // namespace iii::mcp
