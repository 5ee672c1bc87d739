// The workers that the engine plays itself, and under whose names its own functions are listed.
#pragma once

#include <array>
#include <string_view>

namespace iii::engine {

inline constexpr std::string_view kEngineFunctions = "iii-engine-functions";
inline constexpr std::string_view kObservability = "iii-observability";
inline constexpr std::string_view kWorkerManager = "iii-worker-manager";

struct InProcessWorker {
  std::string_view name;
  std::string_view description;
  bool mandatory;  // shown as `internal`
};

inline constexpr std::array kInProcessWorkers{
    InProcessWorker{"configuration", "Keeps typed configuration entries of workers.", true},
    InProcessWorker{kEngineFunctions,
                    "Lists what is on the bus, and manages bindings and channels.", true},
    InProcessWorker{kObservability, "Accepts log lines, and shows baggage and health.", true},
    InProcessWorker{"iii-state", "Keeps JSON values by scope and key, durably.", false},
    InProcessWorker{"iii-telemetry", "Accepts telemetry streams and discards them.", true},
    InProcessWorker{kWorkerManager, "Lists workers, and fires when one is added.", true},
};

}  // namespace iii::engine
