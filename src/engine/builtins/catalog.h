// Rows about what is on the bus, made from the engine's tables. Read-only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/builtins/rows.h"
#include "engine/engine.h"

namespace iii::engine {

class Catalog {
 public:
  Catalog(const Engine& engine, std::string version)
      : engine_(engine), version_(std::move(version)), started_ms_(0) {}

  void set_started(int64_t wall_ms) { started_ms_ = wall_ms; }

  FunctionRow row(const Function& function) const;
  FunctionDetail detail(const Function& function) const;
  TriggerTypeRow row(const TriggerType& type) const;
  TriggerTypeDetail detail(const TriggerType& type) const;
  BindingRow row(const TriggerBinding& binding) const;
  BindingDetail detail(const TriggerBinding& binding) const;
  // Owner of the function a binding calls, or the first segment of its id.
  std::string target_worker(const TriggerBinding& binding) const;

  std::vector<WorkerDetail> connected_workers() const;  // pid-less ones too
  std::vector<WorkerDetail> in_process_workers() const;

  // Sorted by id; `engine::*` and other internal ones included.
  std::vector<FunctionPtr> all_functions() const;

  const Engine& engine() const { return engine_; }
  const std::string& version() const { return version_; }

 private:
  const Engine& engine_;
  std::string version_;
  int64_t started_ms_;
};

}  // namespace iii::engine
