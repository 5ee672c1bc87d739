// Channels: a stream of messages between two workers, beside the calls (wire §12). One
// writes, one reads. References to the ends travel in payloads: put a ChannelRef into your
// described struct.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/net/client.h"
#include "bus/sdk/task.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"

namespace iii::sdk {

enum class ChannelDirection { kRead, kWrite };
inline auto describe(json::Type<ChannelDirection>) {
  return json::enumeration<ChannelDirection>(
      "ChannelDirection", {{ChannelDirection::kRead, "read"}, {ChannelDirection::kWrite, "write"}});
}

struct ChannelRef {
  std::string channel_id;
  std::string access_key;
  ChannelDirection direction = ChannelDirection::kRead;

  bool operator==(const ChannelRef&) const = default;
};
inline auto describe(json::Type<ChannelRef>) {
  return json::object<ChannelRef>(
      "ChannelRef", "One end of a channel.",
      json::field("channel_id", &ChannelRef::channel_id, "Which channel."),
      json::field("access_key", &ChannelRef::access_key, "Secret that permits attaching."),
      json::field("direction", &ChannelRef::direction, "Which end."));
}

struct Channel {
  ChannelRef writer;
  ChannelRef reader;
};
inline auto describe(json::Type<Channel>) {
  return json::object<Channel>("Channel", "Both ends of a new channel.",
                               json::field("writer", &Channel::writer, "To write to."),
                               json::field("reader", &Channel::reader, "To read from."));
}

// Every reference anywhere in a payload, in text order. `payload` is valid JSON.
std::vector<ChannelRef> find_channel_refs(std::string_view payload);

// Where the end of a channel is, next to the engine at `engine`.
net::Url channel_url(const net::Url& engine, const ChannelRef& ref);

struct ChannelItem {
  bool is_text = false;  // text is for control messages, binary for the stream's bytes
  std::string data;
};

namespace channel_detail {
class Socket;
}

// Opens on first use. Single reader: one next() at a time. Destroying it drops the connection.
class ChannelReader {
 public:
  explicit ChannelReader(std::shared_ptr<channel_detail::Socket> socket);
  ChannelReader(ChannelReader&&) noexcept = default;
  ~ChannelReader();

  // The next item; nothing at the end of the stream.
  Task<Result<std::optional<ChannelItem>>> next();
  // The bytes of all binary items up to the end, if they are at most `most`.
  Task<Result<std::string>> read_all(size_t most);

 private:
  std::shared_ptr<channel_detail::Socket> socket_;
};

// Opens on first use. One write at a time. close() (or destruction) tells the reader that this was
// all.
class ChannelWriter {
 public:
  static constexpr size_t kChunk = 64 * 1024;

  explicit ChannelWriter(std::shared_ptr<channel_detail::Socket> socket);
  ChannelWriter(ChannelWriter&&) noexcept = default;
  ~ChannelWriter();

  // In binary messages of at most kChunk; returns when the socket has taken (almost) all of it, so
  // a slow reader slows the writer down.
  Task<Result<void>> write(std::string bytes);
  Task<Result<void>> send_text(std::string text);
  void close();

 private:
  std::shared_ptr<channel_detail::Socket> socket_;
};

}  // namespace iii::sdk
