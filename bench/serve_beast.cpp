// The same echo with Boost.Beast, for comparison. The only file here that includes its WebSocket.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <cstdio>
#include <memory>

#include "roles.h"

namespace iii::bench {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<Tcp, Executor>;
using ErrorCode = boost::system::error_code;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Socket socket) : stream_(std::move(socket)) { stream_.text(true); }

  void start() {
    stream_.async_accept([self = shared_from_this()](ErrorCode error) {
      if (!error) self->read();
    });
  }

 private:
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](ErrorCode error, size_t) {
      if (!error) self->write();
    });
  }
  void write() {
    stream_.async_write(buffer_.data(), [self = shared_from_this()](ErrorCode error, size_t) {
      if (error) return;
      self->buffer_.clear();
      self->read();
    });
  }

  boost::beast::websocket::stream<Socket> stream_;
  boost::beast::flat_buffer buffer_;
};

using Acceptor = asio::basic_socket_acceptor<Tcp, Executor>;

void accept(Acceptor& acceptor) {
  acceptor.async_accept([&acceptor](ErrorCode error, Socket socket) {
    if (!error) {
      socket.set_option(Tcp::no_delay(true), error);
      std::make_shared<Session>(std::move(socket))->start();
    }
    accept(acceptor);
  });
}

}  // namespace

int serve_beast_echo() {
  asio::io_context context{1};
  Acceptor acceptor(context, Tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::printf("port %d\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  accept(acceptor);
  context.run();
  return 0;
}

}  // namespace iii::bench
