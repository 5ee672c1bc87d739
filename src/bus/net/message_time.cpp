#include "bus/net/message_time.h"

namespace iii::net {

namespace {

constinit thread_local std::chrono::steady_clock::time_point taken;

}  // namespace

std::chrono::steady_clock::time_point message_time() { return taken; }

void set_message_time(std::chrono::steady_clock::time_point time) { taken = time; }

}  // namespace iii::net
