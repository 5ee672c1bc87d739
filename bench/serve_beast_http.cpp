// The same answers with Boost.Beast's own HTTP server, for comparison.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "roles.h"

namespace iii::bench {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<Tcp, Executor>;
using ErrorCode = boost::system::error_code;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Socket socket) : socket_(std::move(socket)) {}

  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_,
                     [self = shared_from_this()](ErrorCode error, size_t) {
                       if (!error) self->write();
                     });
  }

 private:
  void write() {
    response_ = {http::status::ok, 11};
    response_.set(http::field::content_type, "application/json");
    const std::string target(request_.target());
    if (target.starts_with("/bytes?")) {
      response_.body().assign(std::strtoul(target.c_str() + 7, nullptr, 10), 'x');
    } else {
      response_.body() = std::move(request_.body());
    }
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](ErrorCode error, size_t) {
      if (!error) self->read();
    });
  }

  Socket socket_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

using Acceptor = asio::basic_socket_acceptor<Tcp, Executor>;

void accept(Acceptor& acceptor) {
  acceptor.async_accept([&acceptor](ErrorCode error, Socket socket) {
    if (!error) {
      socket.set_option(Tcp::no_delay(true), error);
      std::make_shared<Session>(std::move(socket))->read();
    }
    accept(acceptor);
  });
}

}  // namespace

int serve_beast_http() {
  asio::io_context context{1};
  Acceptor acceptor(context, Tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::printf("port %d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  accept(acceptor);
  context.run();
  return 0;
}

}  // namespace iii::bench
