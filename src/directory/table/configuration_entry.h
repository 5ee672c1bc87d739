// Our entry in the engine's configuration: what an operator may change while we run.
//
// An engine that starts a worker removes the worker's `config:` block from its own file as soon as
// an entry of the worker's name has a value, and the worker is started without a file from then on.
// So every key of an entry counts, and a value that somebody set is completed: with the keys that
// the file of this process sets, and with those that the entry had before. A key is given up with
// `null`.
//
// The public engine can forget an entry for about a second although it accepted the registration,
// and brings it back without its schema. So an entry is checked for a while after it was
// registered, and registered again, a bounded number of times, when it is gone. A registration
// never has a value: it would overwrite what the operator set.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bus/sdk/pending.h"
#include "directory/table/engine_event.h"
#include "foundation/json/value.h"
#include "foundation/task/task.h"
#include "foundation/task/task_group.h"

namespace iii::sdk {
class Worker;
}

namespace iii::directory {

class FunctionTable;

struct EntryOptions {
  std::string id = "iii-directory";
  std::string name;
  std::string description;
  json::Value schema;
  json::Value known = {};                       // its value, as far as somebody has asked already
  std::function<json::Object()> settings = {};  // keys that the file of this process sets; or none
  std::chrono::milliseconds timeout{5'000};     // of one call
  // After each of these the entry must still be there, with its schema.
  std::vector<std::chrono::milliseconds> checks{std::chrono::milliseconds(250),
                                                std::chrono::milliseconds(500),
                                                std::chrono::milliseconds(1'000)};
  int attempts = 5;
  std::chrono::milliseconds pause{500};  // before the second attempt; doubles
};

// On the worker's loop. The worker outlives it, and does not run after its end.
class ConfigurationEntry {
 public:
  // Hears the stored value once it is known and whenever it changed; null when nobody set one.
  using Changed = std::function<void(const json::Value& value)>;

  // Before the worker starts. Registers at every connect. What the engine calls goes into `table`.
  ConfigurationEntry(sdk::Worker& worker, FunctionTable& table, EntryOptions options,
                     Changed changed);
  ConfigurationEntry(const ConfigurationEntry&) = delete;
  ConfigurationEntry& operator=(const ConfigurationEntry&) = delete;

  // Whether it is still being registered or checked.
  bool busy() const { return tasks_.size() > 0; }

 private:
  enum class Step { kDone, kFailed, kNobody };

  task::Task<json::Raw> on_change();
  task::Task<void> keep(uint64_t run);
  task::Task<Step> enter();
  // Whether the entry is there, with a schema, at every check.
  task::Task<bool> stays();
  task::Task<void> fetch();
  task::Task<sdk::Reply<json::Value>> get(bool raw);
  // What has to be added to a value so that nothing that was set is lost.
  json::Object missing_from(const json::Object& value) const;
  task::Task<void> add(json::Object missing);

  sdk::Worker& worker_;
  EntryOptions options_;
  Changed changed_;
  uint64_t run_ = 0;  // counts connects: what began before the last one is of no interest
  std::optional<json::Value> reported_;
  json::Object kept_;  // every key that the entry has had
  EngineEvent event_;
  task::TaskGroup tasks_;  // not the worker's: its end does not wait for a check that is still due
};

}  // namespace iii::directory
