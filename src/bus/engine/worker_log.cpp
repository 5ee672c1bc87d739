#include "bus/engine/worker_log.h"

#include "bus/engine/worker.h"

namespace iii::engine {

void WorkerLog::on_worker(std::string_view event, const Worker& worker, bool first_announce) {
  // One call from a command line is not worth a line.
  const bool brief = !worker.name || worker.name->starts_with("iii-cli:");
  const LogLevel level = brief ? LogLevel::kDebug : LogLevel::kInfo;
  if (event == "worker_connected") {
    log_debug("a connection from {} was accepted: {}", worker.ip, worker.id_text);
  } else if (event == "worker_metadata_updated" && first_announce) {
    budget_.log(level, "worker {} connected ({}{}{}, from {})", worker.label(),
                worker.runtime.value_or("unknown"), worker.version ? " " : "",
                worker.version.value_or(""), worker.ip);
  } else if (event == "worker_disconnected") {
    budget_.log(level, "worker {} disconnected", worker.label());
  }
}

}  // namespace iii::engine
