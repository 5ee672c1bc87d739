// Stream channels: one writer, one reader, order and message boundaries kept, the writer slowed
// down to the reader's pace (wire §12).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bus/engine/engine.h"
#include "bus/net/connection.h"
#include "bus/net/memory_budget.h"
#include "foundation/base/result.h"
#include "foundation/base/timers.h"
#include "foundation/base/uuid.h"

namespace iii::engine {

struct ChannelLimits {
  size_t max_channels = 10'000;
  size_t max_channels_per_worker = 2'000;  // that were made by one connection and are not over
  // Bytes held for a reader that is slow or not there yet; then the writer is not read any more.
  // One message of the largest size is read whole when the reader is ready for it.
  size_t max_held_bytes = 1024 * 1024;
  std::chrono::milliseconds sweep_interval{60'000};
  std::chrono::milliseconds unattached_age{300'000};  // both ends must have come by then
};

enum class ChannelSide { kRead, kWrite };

class Channel;

// Owns all channels. Everything on the loop thread. Hears of workers that leave: what they made and
// nobody uses makes room for others.
class ChannelTable final : public WorkerEvents {
 public:
  static constexpr size_t kDefaultItems = 64;
  static constexpr size_t kMostItems = 1024;

  // What channels hold counts in `memory`, if there is one.
  ChannelTable(Timers& timers, IdSource& ids, ChannelLimits limits,
               std::shared_ptr<net::MemoryBudget> memory = nullptr);
  ~ChannelTable() override;

  struct Ref {
    std::string channel_id;
    std::string access_key;
  };
  // `buffer_items` is brought into 1…1024. `owner` is the worker that asks, if one does.
  Result<Ref> create(uint64_t buffer_items, const std::optional<Uuid>& owner = {});

  // Null when there is no such channel or the key is wrong.
  std::shared_ptr<Channel> find(std::string_view channel_id, std::string_view access_key) const;
  // Takes an end of the channel for this connection. An end that was taken before is refused: the
  // connection is closed without a code.
  std::unique_ptr<net::ConnectionEvents> attach(const std::shared_ptr<Channel>& channel,
                                                ChannelSide side,
                                                std::shared_ptr<net::Connection> connection);

  void on_worker(std::string_view event, const Worker& worker, bool first_announce) override;
  void owner_gone(const Uuid& owner);

  // Including those that are over: an end that attaches late must get a clear answer.
  size_t size() const { return channels_.size(); }

 private:
  friend Channel;

  void retire(Channel& channel);
  void make_room();
  void schedule_sweep();
  void sweep();

  Timers& timers_;
  IdSource& ids_;
  const ChannelLimits limits_;
  const std::shared_ptr<net::MemoryBudget> memory_;
  TimerId sweep_timer_ = 0;
  std::map<std::string, std::shared_ptr<Channel>, std::less<>> channels_;
  size_t live_ = 0;                                // of them are not over
  std::deque<std::string> retired_;                // the others, oldest first
  std::map<Uuid, std::set<const Channel*>> made_;  // the live ones of each worker that is there
  std::deque<std::string> orphans_;                // live ones whose maker has left, oldest first
};

}  // namespace iii::engine
