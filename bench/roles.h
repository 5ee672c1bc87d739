// What a process of this program can be. Each prints one line (its port, or its result) and then
// serves until it is told to end.
#pragma once

#include <string>

namespace iii::bench {

int serve_raw();                         // bare TCP echo
int serve_echo();                        // WebSocket echo: our codec, our loop
int serve_beast_echo();                  // WebSocket echo: Boost.Beast
int serve_http_echo();                   // HTTP echo: our HTTP server
int serve_beast_http();                  // HTTP echo: Boost.Beast
int serve_bus(const std::string& data);  // the engine, durable in `data`

// Durable writes without a bus: prints `rate p50 p99` and ends.
struct DiskWork {
  std::string folder;
  size_t writers = 1;
  double seconds = 1;
};
int measure_floor(const DiskWork& work);  // append + fdatasync
int measure_store(const DiskWork& work);  // engine::Store

}  // namespace iii::bench
