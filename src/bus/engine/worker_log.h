// Who comes and goes, in the log.
#pragma once

#include "bus/engine/engine.h"
#include "foundation/base/log.h"

namespace iii::engine {

class WorkerLog final : public WorkerEvents {
 public:
  void on_worker(std::string_view event, const Worker& worker, bool first_announce) override;

 private:
  LogBudget budget_;
};

}  // namespace iii::engine
