// The engine's view of a connection: frames out, and two ways to end it.
#pragma once

#include <cstddef>
#include <string_view>

namespace iii::engine {

class Link {
 public:
  virtual ~Link() = default;

  // One protocol message. Queued; never calls back into the engine before it returns.
  virtual void send(std::string_view frame) = 0;
  // Bytes that were sent and that the peer has not fetched yet.
  virtual size_t queued_bytes() const { return 0; }
  // The engine has forgotten this connection by itself (evicted, refused): what still arrives on it
  // is nobody's. With `politely` the peer gets a Close frame without a code, else TCP just ends.
  virtual void ended(bool politely) = 0;
};

}  // namespace iii::engine
