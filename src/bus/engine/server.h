// The engine's door: who may come in, and what each path leads to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bus/engine/channels.h"
#include "bus/engine/engine.h"
#include "bus/net/loop.h"
#include "bus/net/server.h"
#include "foundation/base/result.h"

namespace iii::engine {

struct Access {
  // When set, every upgrade on every path needs `Authorization: Bearer <token>`.
  std::string token;
  // Web pages of these origins may connect; an upgrade with any other `Origin` is refused, so that
  // no page in somebody's browser can drive a local engine (E25).
  std::vector<std::string> allowed_origins;
};

// Nothing when the request may come in.
std::optional<ws::Refusal> check_access(const Access& access, const ws::UpgradeRequest& request);

// Listens at once. `engine` and `channels` outlive the server.
Result<std::unique_ptr<net::Server>> serve_engine(net::Loop& loop, net::ServerOptions options,
                                                  Access access, Engine& engine,
                                                  ChannelTable& channels);

}  // namespace iii::engine
