// The functions that MCP clients may see and call: those of the directory, and those of the engine.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "mcp/host.h"
#include "sdk/task.h"

namespace iii::mcp {

// Namespaces that are never shown or called, whatever is configured: the engine's own, and those
// that belong to protocols.
bool is_guarded(std::string_view function_id);

// `metadata.mcp.resource`: the function gives the content of a resource. `uri` may have one
// variable in braces, which makes it a template.
struct OfferedResource {
  std::string uri;
  std::string name;
  std::string description = {};
  std::string mime_type = {};

  bool is_template() const { return uri.find('{') != std::string::npos; }
  // Whether it stands for this address; `variable` gets its name and value.
  bool matches(std::string_view address, std::pair<std::string, std::string>& variable) const;
};

struct CallableFunction {
  std::string id;
  std::string title = {};
  std::string description = {};
  std::optional<json::Value> request_schema = {};
  std::optional<json::Value> response_schema = {};
  std::optional<directory::Hints> hints = {};  // nothing: not known
  bool of_directory = false;
  bool wants_context = false;  // `metadata.mcp.context`: see live_calls.h
  bool has_headers = false;    // `metadata.mcp.headers`: `x-mcp-header` in its schema counts
  std::optional<OfferedResource> resource = {};
};
using CallablePtr = std::shared_ptr<const CallableFunction>;
using CallableList = std::vector<CallablePtr>;  // ascending by id

// On the loop thread.
class Callables {
 public:
  Callables(const Host& host, std::vector<std::string> hidden);

  bool is_hidden(std::string_view id) const;
  // Those of the directory.
  const CallableList& own() const { return own_; }
  // Those of the engine with what it says about them; the directory's left out. The last known ones
  // while the engine is away. `with_schemas` asks for more, in several calls.
  sdk::Task<CallableList> engine(bool with_schemas);
  // The engine's list may be another now.
  void forget_engine() { known_until_ = {}; }

  // Null when there is none, or it is hidden.
  sdk::Task<CallablePtr> find(std::string id);
  // Errors are those of the function, or say why it cannot be called. Without a namespace the
  // function is looked for in all of them.
  sdk::Task<directory::Answer> call(directory::Context context, std::string id, json::Raw input,
                                    std::string name_space = {});

 private:
  bool has_engine() const { return host_.engine != nullptr && host_.engine_is_there(); }
  sdk::Task<sdk::Reply<json::Raw>> call_in(directory::Context context, std::string id,
                                           json::Raw input, std::string name_space);
  sdk::Task<std::optional<CallableList>> ask_list();
  sdk::Task<void> ask_schemas(CallableList& rows);
  sdk::Task<std::optional<json::Value>> ask(std::string function, std::string input);

  const Host host_;
  const std::vector<std::string> hidden_;
  CallableList own_;
  CallableList known_;
  bool known_schemas_ = false;
  std::chrono::steady_clock::time_point known_until_ = {};
};

}  // namespace iii::mcp
