// The whole embedded engine: bus, built-ins, durable state, and the door to it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "bus/engine/channels.h"
#include "bus/engine/configuration/configuration.h"
#include "bus/engine/engine.h"
#include "bus/engine/limits.h"
#include "bus/engine/server.h"
#include "bus/engine/state/state.h"
#include "bus/engine/store/store.h"
#include "bus/net/loop.h"
#include "foundation/base/result.h"

namespace iii::engine {

struct EmbeddedOptions {
  net::ServerOptions server;
  Access access;
  EngineLimits limits;
  ChannelLimits channels;
  StateLimits state;
  StoreLimits store;
  std::optional<std::filesystem::path> data;  // nothing: state is kept in memory only
  std::string version = "0.0.0";
  // Environment variables that `${NAME}` in configuration values may read; see expand.h.
  std::vector<std::string> expand_env;
  // False leaves worker::list and the `worker` trigger type to a connected worker manager.
  bool worker_manager = true;
  // False leaves state::* and the `state` trigger type to a connected worker.
  bool keeps_state = true;
};

// Constructed, used and destroyed on the loop thread (or before and after the loop runs).
class Embedded {
 public:
  static Result<std::unique_ptr<Embedded>> start(net::Loop& loop, EmbeddedOptions options);
  ~Embedded();

  Engine& engine();
  uint16_t port() const;
  // What waits: bytes that all connections hold together (net::MemoryBudget), and writes for the
  // disk.
  size_t held_bytes() const;
  size_t waiting_writes() const;
  // See Store::trouble.
  std::optional<std::string> trouble() const;
  // See Store::backup.
  Result<void> backup(std::filesystem::path to, Store::BackupDone done);
  // Drops all connections and puts what was accepted on disk.
  void stop();

 private:
  struct Parts;
  explicit Embedded(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace iii::engine
