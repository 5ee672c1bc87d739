// The functions that MCP clients may see and call: those of the directory, and those of the engine.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "directory/discovery/function_index.h"
#include "directory/table/function.h"
#include "faces/mcp/host.h"
#include "foundation/json/value.h"
#include "foundation/task/task.h"

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
  std::string worker = {};  // name of its owner; may be empty
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
using CallableListPtr = std::shared_ptr<const CallableList>;
CallablePtr find_in(const CallableList& functions, std::string_view id);

// Which functions are not for clients. Never changes; from any thread.
struct CallRules {
  std::vector<std::string> hidden = {};   // beginnings of ids
  std::vector<std::string> allowed = {};  // the same, of functions for operators
  // Of the directory: ids of functions for operators, and of those that only an engine calls.
  std::set<std::string, std::less<>> operators_only = {};
  std::set<std::string, std::less<>> internal = {};

  bool is_internal(std::string_view id) const;
  // `operators` says that the function is for operators, where that is not known by its id.
  bool hides(std::string_view id, bool operators = false) const;
};

// How a function is called.
struct CallOptions {
  std::string name_space = {};  // empty: it is looked for in all of them
  std::chrono::milliseconds timeout{300'000};
};

// On the loop thread.
class Callables {
 public:
  Callables(const Host& host, std::vector<std::string> hidden, std::vector<std::string> allowed);

  bool is_hidden(std::string_view id) const { return rules_->hides(id); }
  // Those of the directory.
  const CallableList& own() const { return *own_; }
  // Those of the engine with what its list says about them; the directory's left out. A few seconds
  // old at most; the last known ones while the engine is away.
  task::Task<CallableListPtr> engine();
  // The next list is asked for anew.
  void forget_engine() { forgotten_ = true; }
  // The same functions with their schemas, which the list does not have.
  task::Task<CallableList> with_schemas(CallableList rows);

  // The index of all functions, and those in it that clients may see.
  struct Searchable {
    directory::FunctionIndexPtr index;
    CallableListPtr own;
    CallableListPtr engine;

    bool shows(std::string_view id) const {
      return find_in(*own, id) != nullptr || find_in(*engine, id) != nullptr;
    }
  };
  task::Task<Searchable> searchable();

  // Null when there is none, or it is hidden.
  task::Task<CallablePtr> find(std::string id);
  // Errors are those of the function, or say why it cannot be called. Answers are not larger than
  // kMaxFunctionAnswerBytes.
  task::Task<directory::Answer> call(directory::Context context, std::string id, json::Raw input,
                                     CallOptions how = {});
  // Whether the worker that registered the skill is the one that offers the function.
  task::Task<bool> registered_by_owner(std::string worker, CallablePtr function);

 private:
  bool has_engine() const { return host_.engine != nullptr && host_.engine_is_there(); }
  task::Task<std::optional<json::Value>> ask(std::string function, std::string input);
  task::Task<CallablePtr> look_up(std::string id, std::string name_space);
  task::Task<directory::Answer> call_engine(directory::Context context, std::string id,
                                            json::Raw input, CallOptions how);
  task::Task<directory::Answer> fit_for_clients(std::string id, directory::Answer answer);

  const Host host_;
  std::shared_ptr<const CallRules> rules_;
  CallableListPtr own_;
  CallableListPtr known_ = std::make_shared<const CallableList>();
  directory::FunctionIndexPtr index_;  // what known_ was made from
  bool forgotten_ = false;
};

}  // namespace iii::mcp
