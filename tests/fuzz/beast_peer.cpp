#include "beast_peer.h"

#include <simdjson.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <sstream>

#include "bus/ws/handshake.h"

namespace iii::ws {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using ErrorCode = boost::system::error_code;

constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";

// The bytes under test behind a handshake; what Beast writes is only looked at for the handshake.
struct Pipe {
  using executor_type = asio::io_context::executor_type;

  asio::io_context& context;
  std::string input = {};
  std::string frames = {};  // in the client role: follow once the request was seen
  bool answers = false;
  size_t position = 0;

  executor_type get_executor() { return context.get_executor(); }

  template <typename Buffers>
  size_t read_some(const Buffers& buffers, ErrorCode& error) {
    const size_t count =
        asio::buffer_copy(buffers, asio::buffer(input.data() + position, input.size() - position));
    position += count;
    error = {};
    if (count == 0 && asio::buffer_size(buffers) > 0) error = asio::error::eof;
    return count;
  }
  template <typename Buffers>
  size_t write_some(const Buffers& buffers, ErrorCode& error) {
    error = {};
    answer(beast::buffers_to_string(buffers));
    return asio::buffer_size(buffers);
  }
  // Beast insists on both forms.
  template <typename Buffers>
  size_t read_some(const Buffers& buffers) {
    ErrorCode ignored;
    return read_some(buffers, ignored);
  }
  template <typename Buffers>
  size_t write_some(const Buffers& buffers) {
    ErrorCode ignored;
    return write_some(buffers, ignored);
  }

 private:
  // Beast's client draws its own key: the answer can only be made when the request is known.
  void answer(const std::string& written) {
    RequestReader reader;
    size_t consumed = 0;
    if (!answers || reader.feed(written, consumed) != RequestReader::Status::kDone) return;
    input = switching_protocols(reader.request()) + frames;
    answers = false;
  }
};

void teardown(beast::role_type, Pipe&, ErrorCode& error) { error = {}; }

Seen seen_control(beast::websocket::frame_type kind, std::string_view payload) {
  const bool ping = kind == beast::websocket::frame_type::ping;
  return {ping ? EventKind::kPing : EventKind::kPong, std::string(payload), 0};
}

// Reads whole messages until something ends the stream.
template <typename Stream>
void read_all(Stream& stream, BeastResult& result) {
  for (;;) {
    beast::flat_buffer buffer;
    ErrorCode error;
    stream.read(buffer, error);
    if (!error) {
      const EventKind kind = stream.got_text() ? EventKind::kText : EventKind::kBinary;
      result.seen.push_back({kind, beast::buffers_to_string(buffer.data()), 0});
      continue;
    }
    if (error == beast::websocket::error::closed) {
      result.ending = Ending::kClosed;
      const auto& reason = stream.reason();
      result.seen.push_back({EventKind::kClose,
                             std::string(reason.reason.c_str(), reason.reason.size()),
                             reason.code == 0 ? uint16_t{kCloseNone} : uint16_t{reason.code}});
    } else if (error != asio::error::eof) {
      result.ending = Ending::kRefused;
      result.error = error.message();
    }
    return;
  }
}

Ending ending_of(const std::vector<Seen>& seen) {
  if (seen.empty()) return Ending::kEof;
  if (seen.back().kind == EventKind::kClose) return Ending::kClosed;
  return seen.back().kind == EventKind::kError ? Ending::kRefused : Ending::kEof;
}

bool is_prefix(const std::vector<Seen>& part, const std::vector<Seen>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// Beast and we differ over this close code on purpose.
bool disputed_close(const BeastResult& beast, const std::vector<Seen>& ours) {
  if (beast.ending == Ending::kClosed && beast.seen.back().code >= 5000) return true;
  return !ours.empty() && ours.back().kind == EventKind::kClose && ours.back().code == 1014;
}

// Beast does not see that the last character is cut short when a message ends with an empty frame.
bool cut_text_let_through(const BeastResult& beast, const std::vector<Seen>& ours) {
  if (!is_prefix(ours, beast.seen) || beast.seen.size() == ours.size()) return false;
  const Seen& next = beast.seen[ours.size()];
  return next.kind == EventKind::kText && !simdjson::validate_utf8(next.payload);
}

}  // namespace

BeastResult beast_decode(Role role, size_t max_message, std::string_view bytes) {
  BeastResult result;
  asio::io_context context;
  beast::websocket::stream<Pipe> stream(Pipe{.context = context});
  stream.read_message_max(max_message);
  stream.control_callback([&result](beast::websocket::frame_type kind, std::string_view payload) {
    if (kind != beast::websocket::frame_type::close)
      result.seen.push_back(seen_control(kind, payload));
  });
  ErrorCode error;
  if (role == Role::kServer) {
    stream.next_layer().input =
        upgrade_request({.host = "h", .target = "/", .key = std::string(kKey)}) +
        std::string(bytes);
    stream.accept(error);
  } else {
    stream.next_layer().frames = std::string(bytes);
    stream.next_layer().answers = true;
    stream.handshake("h", "/", error);
  }
  if (error) {
    result.ending = Ending::kRefused;
    result.error = "handshake: " + error.message();
    return result;
  }
  read_all(stream, result);
  return result;
}

std::string compare_with_beast(Role role, size_t max_message, std::string_view bytes) {
  const Limits limits{.max_frame = max_message, .max_message = max_message};
  std::vector<Seen> ours = decode(role, limits, bytes);
  const BeastResult beast = beast_decode(role, max_message, bytes);
  const Ending ending = ending_of(ours);
  if (disputed_close(beast, ours)) return {};
  if (ending == Ending::kRefused) ours.pop_back();
  if (ending == Ending::kRefused && beast.ending == Ending::kEof && ours == beast.seen) {
    // We judge a header byte by byte; Beast only a whole one: give it the rest of one.
    const std::string longer = std::string(bytes) + std::string(14, '\0');
    if (beast_decode(role, max_message, longer).ending == Ending::kRefused) return {};
  }

  if (ending == Ending::kRefused && cut_text_let_through(beast, ours)) return {};

  bool same = ending == beast.ending && ours == beast.seen;
  // It may have judged an unfinished text earlier than we do.
  const bool early = beast.ending == Ending::kRefused && is_prefix(beast.seen, ours);
  if (beast.error.find("payload") != std::string::npos) same = same || early;
  if (same) return {};
  std::ostringstream text;
  text << "ours ended as " << static_cast<int>(ending) << ":";
  for (const Seen& seen : ours) text << ' ' << seen;
  text << "\nBeast ended as " << static_cast<int>(beast.ending) << " (" << beast.error << "):";
  for (const Seen& seen : beast.seen) text << ' ' << seen;
  return text.str();
}

}  // namespace iii::ws
