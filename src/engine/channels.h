// Stream channels: one writer, one reader, order and message boundaries kept, the writer slowed
// down to the reader's pace (wire §12).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/timers.h"
#include "base/uuid.h"
#include "net/connection.h"

namespace iii::engine {

struct ChannelLimits {
  size_t max_channels = 10'000;
  // Bytes held for a reader that is slow or not there yet; then the writer is not read any more.
  // One message of the largest size always fits.
  size_t max_held_bytes = 1024 * 1024;
  std::chrono::milliseconds sweep_interval{60'000};
  std::chrono::milliseconds unattached_age{300'000};  // both ends must have come by then
};

enum class ChannelSide { kRead, kWrite };

class Channel;

// Owns all channels. Everything on the loop thread.
class ChannelTable {
 public:
  static constexpr size_t kDefaultItems = 64;
  static constexpr size_t kMostItems = 1024;

  ChannelTable(Timers& timers, IdSource& ids, ChannelLimits limits);
  ~ChannelTable();

  struct Ref {
    std::string channel_id;
    std::string access_key;
  };
  // `buffer_items` is brought into 1…1024.
  Result<Ref> create(size_t buffer_items);

  // Null when there is no such channel or the key is wrong.
  std::shared_ptr<Channel> find(std::string_view channel_id, std::string_view access_key) const;
  // Takes an end of the channel for this connection. An end that was taken before is refused: the
  // connection is closed without a code.
  std::unique_ptr<net::ConnectionEvents> attach(const std::shared_ptr<Channel>& channel,
                                                ChannelSide side,
                                                std::shared_ptr<net::Connection> connection);

  size_t size() const { return channels_.size(); }

 private:
  void schedule_sweep();
  void sweep();

  Timers& timers_;
  IdSource& ids_;
  ChannelLimits limits_;
  TimerId sweep_timer_ = 0;
  std::map<std::string, std::shared_ptr<Channel>, std::less<>> channels_;
};

}  // namespace iii::engine
