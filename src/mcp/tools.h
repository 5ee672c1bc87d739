// Functions as MCP tools: the list, and calls.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "functions/function_table.h"
#include "mcp/callable.h"
#include "mcp/feature.h"
#include "mcp/host.h"
#include "mcp/live_calls.h"
#include "mcp/resources.h"
#include "sdk/pool.h"
#include "sdk/task.h"

namespace iii::mcp {

class Tools {
 public:
  Tools(const Host& host, ToolsMode mode, Callables& callables, Resources& resources,
        LiveCalls& live, sdk::Pool& pool);

  sdk::Task<Outcome> list(Version version, json::Value params);
  sdk::Task<Outcome> call(Call call, json::Value params);

 private:
  using Arguments = std::map<std::string, json::Raw>;

  // The tool with that id; null: it is not a tool here.
  sdk::Task<CallablePtr> listed(std::string id);
  sdk::Task<json::Value> arguments_of(const Call& call);
  sdk::Task<Outcome> call_function(Call call, CallablePtr function, json::Value params);
  sdk::Task<Result<json::Raw>> find(std::string query, size_t most);
  sdk::Task<Result<json::Raw>> overview();
  sdk::Task<Result<json::Raw>> read(std::string address, std::optional<uint64_t> offset,
                                    std::optional<uint64_t> limit);
  sdk::Task<Result<json::Raw>> call_by_id(directory::Context context, std::string id,
                                          std::optional<Arguments> arguments,
                                          std::string name_space);
  sdk::Task<Result<json::Raw>> list_functions();

  directory::Library& library_;
  const ToolsMode mode_;
  Callables& callables_;
  Resources& resources_;
  LiveCalls& live_;
  const std::string tell_function_;
  directory::SkillSearch* const search_;
  sdk::Pool& pool_;
  directory::FunctionTable own_;  // find, read, call
  CallableList own_rows_;
};

}  // namespace iii::mcp
