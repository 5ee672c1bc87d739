// What every TCP socket of ours is set to. Internal to this room.
#pragma once

#include <chrono>

namespace iii::net {

// No delay for small messages, and a peer whose host has vanished is noticed after about `timeout`.
void prepare_socket(int socket, std::chrono::milliseconds timeout);
// A peer may keep its window closed for as long as it likes (TCP_USER_TIMEOUT would end that).
void allow_closed_window(int socket);

}  // namespace iii::net
