// The engine as `iii-directory serve --engine-only` wires it.
#include <cstdio>

#include "bus/engine/embedded.h"
#include "bus/net/loop.h"
#include "foundation/base/log.h"
#include "process.h"
#include "roles.h"

namespace iii::bench {

int serve_bus(const std::string& data) {
  set_log_level(LogLevel::kWarn);
  net::Loop loop;
  engine::EmbeddedOptions options;
  options.data = data;
  const auto engine = engine::Embedded::start(loop, std::move(options));
  if (!engine) die(engine.error().message);
  std::printf("port %d\n", (*engine)->port());
  std::fflush(stdout);
  loop.on_stop_signals([&loop] { loop.stop(); });
  loop.run();
  return 0;
}

}  // namespace iii::bench
