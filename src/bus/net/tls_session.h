// TLS on a connected socket, as a client. Internal to this room.
#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bus/net/tls.h"
#include "foundation/base/result.h"

namespace iii::net {

// Never blocks, never raises SIGPIPE. The descriptor belongs to somebody else and outlives this.
class TlsSession {
 public:
  // `host` is the name or address that the certificate must be for.
  static Result<std::unique_ptr<TlsSession>> make(std::shared_ptr<const TlsTrust> trust, int socket,
                                                  const std::string& host);
  ~TlsSession();

  enum class Step { kDone, kWantRead, kWantWrite, kFailed };
  // Goes on with the handshake; the step says what to wait for before the next call.
  Step handshake();
  // After kFailed: `tls_untrusted` or `tls_failed`, with what to do about it.
  Error error() const;

  // As recv(2) and send(2) with MSG_DONTWAIT. What was refused with EAGAIN must be sent again
  // first, at least as much of it.
  ssize_t receive(std::span<char> room);
  ssize_t send(std::string_view bytes);
  // Decrypted bytes are waiting: the socket need not become readable for receive() to give some.
  bool has_buffered() const;
  // Tells the peer that nothing follows, if the socket takes it at once.
  void close();

 private:
  struct Impl;
  explicit TlsSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Through `tls` if there is one, else straight: as recv(2) and send(2) with MSG_DONTWAIT.
ssize_t receive(int socket, TlsSession* tls, std::span<char> room);
ssize_t transmit(int socket, TlsSession* tls, std::string_view bytes);

}  // namespace iii::net
