#include "bus/sdk/channel.h"

#include <algorithm>

#include "bus/sdk/channel_socket.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"

namespace iii::sdk {
namespace {

bool is_string(std::optional<json::Slice> value) {
  return value && json::kind_of(*value) == json::Kind::kString;
}

std::optional<ChannelRef> as_ref(json::Slice object) {
  // Cheap refusals first: nearly no object is a reference.
  if (!is_string(json::member(object, "channel_id")) ||
      !is_string(json::member(object, "access_key"))) {
    return std::nullopt;
  }
  auto ref = json::decode<ChannelRef>(object);
  if (!ref) return std::nullopt;
  return std::move(*ref);
}

void collect(json::Slice value, std::vector<ChannelRef>& found) {
  const json::Kind kind = json::kind_of(value);
  if (kind != json::Kind::kObject && kind != json::Kind::kArray) return;
  if (kind == json::Kind::kObject) {
    if (auto ref = as_ref(value)) {
      found.push_back(std::move(*ref));
      return;
    }
  }
  json::Walker walker(value);
  json::Slice key;
  json::Slice element;
  while (walker.next(key, element)) collect(element, found);
}

}  // namespace

std::vector<ChannelRef> find_channel_refs(std::string_view payload) {
  std::vector<ChannelRef> found;
  collect(json::trimmed(payload), found);
  return found;
}

net::Url channel_url(const net::Url& engine, const ChannelRef& ref) {
  net::Url url = engine;
  url.target = "/ws/channels/" + percent_encode(ref.channel_id) +
               "?key=" + percent_encode(ref.access_key) +
               "&dir=" + (ref.direction == ChannelDirection::kRead ? "read" : "write");
  return url;
}

ChannelReader::ChannelReader(std::shared_ptr<channel_detail::Socket> socket)
    : socket_(std::move(socket)) {}
// A reader's Close would go unnoticed on the public engine: it drops TCP.
ChannelReader::~ChannelReader() {
  if (socket_) socket_->drop();
}

Task<Result<std::optional<ChannelItem>>> ChannelReader::next() {
  const std::shared_ptr<channel_detail::Socket> socket = socket_;
  while (true) {
    if (auto item = socket->take_item()) co_return std::move(item);
    if (socket->error()) co_return std::unexpected(*socket->error());
    if (socket->is_closed()) co_return std::optional<ChannelItem>();
    socket->open();
    channel_detail::Change change(*socket);
    co_await change;
  }
}

Task<Result<std::string>> ChannelReader::read_all(size_t most) {
  std::string all;
  while (true) {
    Result<std::optional<ChannelItem>> item = co_await next();
    if (!item) co_return std::unexpected(item.error());
    if (!*item) co_return all;
    if ((*item)->is_text) continue;
    if ((*item)->data.size() > most - all.size()) {
      co_return fail("channel_too_long", "the channel carries more bytes than the reader allows");
    }
    all += (*item)->data;
  }
}

ChannelWriter::ChannelWriter(std::shared_ptr<channel_detail::Socket> socket)
    : socket_(std::move(socket)) {}
ChannelWriter::~ChannelWriter() { close(); }

void ChannelWriter::close() {
  if (socket_) socket_->close();
}

Task<Result<void>> ChannelWriter::write(std::string bytes) {
  const std::shared_ptr<channel_detail::Socket> socket = socket_;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    Result<void> sent =
        co_await socket->send(ws::Opcode::kBinary, std::string(rest.substr(0, kChunk)));
    if (!sent) co_return sent;
    rest.remove_prefix(std::min(rest.size(), kChunk));
  }
  co_return Result<void>();
}

Task<Result<void>> ChannelWriter::send_text(std::string text) {
  const std::shared_ptr<channel_detail::Socket> socket = socket_;
  Result<void> sent = co_await socket->send(ws::Opcode::kText, std::move(text));
  co_return sent;
}

}  // namespace iii::sdk
