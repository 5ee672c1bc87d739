// The functions that exist on the bus now and those of the directory itself, and their index: the
// only one there is.
//
// The engine sends `engine::functions-available` seconds after a change, so a small list is
// requested at every search and compared as text: while it is the same, nothing else is done. When
// the list has changed, the schemas of new and different rows are requested; after such an event,
// and once a minute, those of all functions.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "directory/discovery/function_index.h"
#include "directory/discovery/search_functions_types.h"
#include "directory/library/latch.h"
#include "directory/table/context.h"
#include "directory/table/engine_client.h"
#include "directory/table/engine_event.h"
#include "foundation/task/pool.h"
#include "foundation/task/task.h"

namespace iii::sdk {
class Worker;
}

namespace iii::directory {

class FunctionTable;

// What the engine calls when functions have come or gone.
inline constexpr std::string_view kOnFunctionsChange = "directory::on-functions-change";

// The ids in an answer of engine::functions::list.
std::vector<std::string> function_ids_in(const std::string& list);

// On the loop thread. Everything it is given outlives it.
class FunctionCatalog {
 public:
  // Lists are read and indexed on `pool`. `is_there` says whether the engine can be asked; empty:
  // when the worker is connected.
  FunctionCatalog(sdk::Worker& worker, EngineClient& engine, const FunctionTable& table,
                  task::Pool& pool, std::function<bool()> is_there = {});
  FunctionCatalog(const FunctionCatalog&) = delete;
  FunctionCatalog& operator=(const FunctionCatalog&) = delete;

  // Learns of changes from the engine: adds the function that it calls. Before the worker starts.
  void follow_events(FunctionTable& table);

  // The functions at this moment. `live` false: the engine could not be asked, and these are the
  // last known ones, or the directory's own.
  struct Now {
    FunctionIndexPtr functions;  // never null
    bool live = false;
  };
  task::Task<Now> current(Context context);
  // The same, a few seconds old at most: for what is added to an answer.
  task::Task<Now> recent(Context context);
  // The ids of the functions on the bus and of the directory's own, two seconds old at most. They
  // are requested without schemas, and no index is made: a caller does not wait for the whole bus.
  // `live` false: the engine does not answer within a second.
  struct Ids {
    std::shared_ptr<const std::set<std::string>> all;  // never null in an answer
    bool live = false;
  };
  task::Task<Ids> ids();
  // Bindings, of which the caller takes those it needs; empty when the engine does not answer.
  task::Task<std::shared_ptr<const std::vector<FoundTrigger>>> bindings(Context context);

 private:
  using FunctionPlace = std::pair<std::string, std::string>;  // namespace, id

  bool has_engine() const;
  bool has_changed() const { return known_changes_ != changes_; }
  void bind();
  sdk::Pending<json::Raw> ask_list(const Context& context, std::chrono::milliseconds timeout);
  task::Task<void> refresh(Context context);
  task::Task<void> ask_schemas(Context context, std::vector<KnownFunction>& functions,
                               std::vector<FunctionPlace> wanted);
  task::Task<FunctionIndexPtr> own_functions();

  sdk::Worker& worker_;
  EngineClient& engine_;
  const FunctionTable& table_;
  task::Pool& pool_;
  const std::function<bool()> is_there_;
  FunctionIndexPtr now_;  // null: never asked
  FunctionIndexPtr own_;
  // The engine's answer that `now_` was made from.
  std::shared_ptr<const std::string> list_text_ = std::make_shared<const std::string>();
  bool live_ = false;
  uint64_t changes_ = 1;
  uint64_t known_changes_ = 0;  // of them in `now_`; 0: everything is to be asked again
  std::chrono::steady_clock::time_point asked_ = {};
  std::chrono::steady_clock::time_point schemas_asked_ = {};
  SingleFlight asking_;
  Ids ids_;
  uint64_t ids_changes_ = 0;
  std::chrono::steady_clock::time_point ids_asked_ = {};
  std::shared_ptr<const std::vector<FoundTrigger>> bindings_;
  std::chrono::steady_clock::time_point bindings_asked_ = {};
  std::optional<EngineEvent> event_;
};

}  // namespace iii::directory
