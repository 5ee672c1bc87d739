// Rows about what is on the bus, made from the engine's tables. Read-only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/builtins/rows.h"
#include "engine/engine.h"

namespace iii::engine {

// A function as other threads may see it.
struct ListedFunction {
  FunctionPtr function;  // its `owner` belongs to the loop thread
  std::string worker_name;
};

class Catalog {
 public:
  // Rows that are made without giving others a turn.
  static constexpr size_t kRowsAtOnce = 128;

  Catalog(Engine& engine, std::string version)
      : engine_(engine), version_(std::move(version)), started_ms_(0) {}

  void set_started(int64_t wall_ms) { started_ms_ = wall_ms; }

  FunctionRow row(const Function& function) const { return row(function, function.worker_name()); }
  static FunctionRow row(const Function& function, std::string worker_name);
  FunctionDetail detail(const Function& function) const;
  TriggerTypeRow row(const TriggerType& type) const;
  TriggerTypeDetail detail(const TriggerType& type) const;
  BindingRow row(const Binding& binding) const { return row(binding, target_worker(binding)); }
  static BindingRow row(const Binding& binding, std::string worker_name);
  BindingDetail detail(const PlacedBinding& placed) const;
  // Owner of the function a binding calls, or the first segment of its id.
  std::string target_worker(const Binding& binding) const;

  // All functions that are listed, sorted by id and namespace; all connections. Collected in slices
  // of `owner`, or at once when there are few.
  void collect_functions(OwnerId owner,
                         std::move_only_function<void(std::vector<ListedFunction>)> then) const;
  void collect_workers(OwnerId owner,
                       std::move_only_function<void(std::vector<WorkerDetail>)> then) const;
  // Answers with what `make` returns; on another thread when there are many rows.
  void answer(OwnerId owner, size_t rows, std::move_only_function<Outcome()> make,
              Reply reply) const;

  // Calls `step` until it returns false: at once, or in slices when the first one does not suffice.
  void in_slices(OwnerId owner, std::move_only_function<bool()> step) const;

  std::vector<WorkerDetail> connected_workers() const;  // pid-less ones too
  std::vector<WorkerDetail> in_process_workers() const;

  // Sorted by id; `engine::*` and other internal ones included.
  std::vector<FunctionPtr> all_functions() const;

  const Engine& engine() const { return engine_; }
  const std::string& version() const { return version_; }

 private:
  Engine& engine_;
  std::string version_;
  int64_t started_ms_;
};

}  // namespace iii::engine
