#include "bus/net/tls_session.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace iii::net {

class TlsTrust {
 public:
  explicit TlsTrust(SSL_CTX* made) : context(made, &SSL_CTX_free) {}
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context;
};

Result<std::shared_ptr<const TlsTrust>> make_tls_trust(const std::string& ca_file) {
  auto trust = std::make_shared<TlsTrust>(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = trust->context.get();
  if (context == nullptr) return fail("tls_failed", "TLS is not available in this process");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // The end of a stream is told by WebSocket's Close; many servers end TLS without a close_notify.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const bool loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                      : SSL_CTX_load_verify_file(context, ca_file.c_str()) == 1;
  ERR_clear_error();
  if (!loaded) {
    return fail("bad_ca_file",
                "the file of trusted certificates cannot be read or holds no certificate in PEM "
                "form. Next: check III_CA_FILE (or the option ca_file)");
  }
  return trust;
}

namespace {

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL.
struct Wire {
  int socket = -1;
  bool ended = false;
};

Wire& wire_of(BIO* bio) { return *static_cast<Wire*>(BIO_get_data(bio)); }

int write_wire(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count =
      ::send(wire_of(bio).socket, data, static_cast<size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int read_wire(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = ::recv(wire_of(bio).socket, data, static_cast<size_t>(size), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (count == 0) wire_of(bio).ended = true;
  return static_cast<int>(count);
}

long control_wire(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return wire_of(bio).ended ? 1 : 0;
  return 0;
}

const BIO_METHOD* wire_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "iii socket");
    BIO_meth_set_write(made, write_wire);
    BIO_meth_set_read(made, read_wire);
    BIO_meth_set_ctrl(made, control_wire);
    return made;
  }();
  return method;
}

// The certificate must be for this host: an address as such, a name also told to the server (SNI).
bool expect_host(SSL* ssl, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1) return true;
  ERR_clear_error();
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

std::string distrust(long verdict) {
  switch (verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "it is not for the host in the address. Next: use the name that the certificate was "
             "made for";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "it has expired. Next: renew it on the server, or correct the clock of this machine";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "it is not valid yet. Next: correct the clock of this machine";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "it was issued by an authority that is not known here. Next: name the file with that "
             "authority's certificate in III_CA_FILE (or the option ca_file)";
    default:
      return fmt::format("{}. Next: correct the certificate of the server",
                         X509_verify_cert_error_string(verdict));
  }
}

Error handshake_error(const SSL* ssl, bool ended) {
  if (const long verdict = SSL_get_verify_result(ssl); verdict != X509_V_OK) {
    return {"tls_untrusted", "certificate not trusted: " + distrust(verdict)};
  }
  const unsigned long reason = ERR_peek_error();
  switch (ERR_GET_REASON(reason)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_UNKNOWN_PROTOCOL:
      return {"tls_failed",
              "the server does not speak TLS on this port. Next: use ws:// for it, or the port "
              "that speaks TLS"};
    default:
      break;
  }
  const char* text = reason == 0 ? nullptr : ERR_reason_error_string(reason);
  if (ended || text == nullptr) {
    return {"tls_failed",
            "the server ended the connection during the TLS handshake. Next: check that it speaks "
            "TLS on this port; if not, use ws://"};
  }
  return {"tls_failed",
          fmt::format("the TLS handshake failed: {}. Next: check the TLS settings of the server",
                      text)};
}

}  // namespace

struct TlsSession::Impl {
  std::shared_ptr<const TlsTrust> trust;
  Wire wire;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl{nullptr, &SSL_free};
  Error error;

  // What recv(2) and send(2) would have said.
  ssize_t refused(int result) {
    switch (SSL_get_error(ssl.get(), result)) {
      case SSL_ERROR_ZERO_RETURN:
        return 0;
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_WANT_WRITE:
        errno = EAGAIN;
        return -1;
      default:
        ERR_clear_error();
        errno = EPROTO;
        return -1;
    }
  }
};

TlsSession::TlsSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsSession::~TlsSession() = default;

Result<std::unique_ptr<TlsSession>> TlsSession::make(std::shared_ptr<const TlsTrust> trust,
                                                     int socket, const std::string& host) {
  auto impl = std::make_unique<Impl>();
  impl->trust = std::move(trust);
  impl->wire.socket = socket;
  impl->ssl.reset(SSL_new(impl->trust->context.get()));
  BIO* bio = BIO_new(wire_method());
  if (!impl->ssl || bio == nullptr) {
    BIO_free(bio);
    return fail("tls_failed", "TLS is not available in this process");
  }
  BIO_set_data(bio, &impl->wire);
  BIO_set_init(bio, 1);
  SSL_set_bio(impl->ssl.get(), bio, bio);  // owned by the SSL object from here on
  SSL_set_connect_state(impl->ssl.get());
  if (!expect_host(impl->ssl.get(), host)) {
    ERR_clear_error();
    return fail("tls_failed",
                "the host in the address cannot be in a certificate. Next: correct the address");
  }
  return std::unique_ptr<TlsSession>(new TlsSession(std::move(impl)));
}

TlsSession::Step TlsSession::handshake() {
  ERR_clear_error();
  SSL* ssl = impl_->ssl.get();
  const int result = SSL_do_handshake(ssl);
  if (result == 1) return Step::kDone;
  switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ:
      return Step::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Step::kWantWrite;
    default:
      impl_->error = handshake_error(ssl, impl_->wire.ended);
      ERR_clear_error();
      return Step::kFailed;
  }
}

Error TlsSession::error() const { return impl_->error; }

ssize_t TlsSession::receive(std::span<char> room) {
  size_t total = 0;
  while (total < room.size()) {
    ERR_clear_error();
    size_t count = 0;
    const int result =
        SSL_read_ex(impl_->ssl.get(), room.data() + total, room.size() - total, &count);
    if (result != 1) {
      // After some bytes, the next call says the same again.
      if (total > 0) break;
      return impl_->refused(result);
    }
    total += count;
  }
  return static_cast<ssize_t>(total);
}

ssize_t TlsSession::send(std::string_view bytes) {
  size_t total = 0;
  while (total < bytes.size()) {
    ERR_clear_error();
    // One record at a time: OpenSSL insists that a record refused before is offered whole again.
    const size_t record = std::min<size_t>(bytes.size() - total, SSL3_RT_MAX_PLAIN_LENGTH);
    size_t count = 0;
    const int result = SSL_write_ex(impl_->ssl.get(), bytes.data() + total, record, &count);
    if (result != 1) {
      if (total > 0) break;
      const ssize_t said = impl_->refused(result);
      return said == 0 ? -1 : said;
    }
    total += count;
  }
  return static_cast<ssize_t>(total);
}

bool TlsSession::has_buffered() const { return SSL_pending(impl_->ssl.get()) > 0; }

void TlsSession::close() {
  ERR_clear_error();
  SSL_shutdown(impl_->ssl.get());
  ERR_clear_error();
}

ssize_t receive(int socket, TlsSession* tls, std::span<char> room) {
  return tls != nullptr ? tls->receive(room)
                        : ::recv(socket, room.data(), room.size(), MSG_DONTWAIT);
}

ssize_t transmit(int socket, TlsSession* tls, std::string_view bytes) {
  return tls != nullptr ? tls->send(bytes)
                        : ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace iii::net
