// When the message that is being handled was taken from its socket.
#pragma once

#include <chrono>

namespace iii::net {

// The clock is read once per message anyway, to share the loop's time between connections. Whoever
// handles a message (ConnectionEvents::on_message) gets that reading here, and need not read the
// clock again. Per thread; meaningless outside of on_message.
std::chrono::steady_clock::time_point message_time();

// For SocketConnection.
void set_message_time(std::chrono::steady_clock::time_point time);

}  // namespace iii::net
