// directory::health — is the directory there, and which one is it?
#pragma once

#include <chrono>
#include <string>

#include "sdk/worker.h"

namespace iii::functions {

struct HealthFacts {
  std::string version;
  std::string mode;  // `serve` or `worker`
  std::chrono::steady_clock::time_point started;
};

void add_health(sdk::Worker& worker, HealthFacts facts);

}  // namespace iii::functions
