#include "engine/channels.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace iii::engine {

// Handed to the reader's socket ahead of what it has taken. More than a connection ever keeps back
// when its socket is not full: so whoever stops here is sure to be told when the queue has drained.
constexpr size_t kReaderQueue = 1024 * 1024;

// What passes between the two ends. An end's connection is forgotten as soon as it is closed.
class Channel {
 public:
  Channel(std::string key, size_t items, size_t held_bytes,
          std::chrono::steady_clock::time_point now)
      : access_key(std::move(key)), most_items_(items), most_bytes_(held_bytes), created(now) {}

  // False when that end was taken before.
  bool take(ChannelSide side, std::shared_ptr<net::Connection> connection) {
    auto& taken = side == ChannelSide::kRead ? reader_taken_ : writer_taken_;
    if (std::exchange(taken, true)) return false;
    if (side == ChannelSide::kRead) {
      reader_ = std::move(connection);
      reader_->allow_stalls();
      pump();
    } else {
      writer_ = std::move(connection);
      if (reader_gone_) writer_->drop();
    }
    return true;
  }

  void written(ws::Opcode kind, std::string_view payload) {
    if (reader_gone_) {
      // As in the public engine, the writer learns of it at its next message.
      if (writer_) std::exchange(writer_, nullptr)->drop();
      return;
    }
    items_.push_back({kind, std::string(payload)});
    held_bytes_ += payload.size();
    pump();
  }

  void writer_closed() {
    writer_.reset();
    writer_done_ = true;
    pump();
  }

  void reader_closed() {
    reader_.reset();
    reader_gone_ = true;
    items_.clear();
    held_bytes_ = 0;
    // A paused writer would never say anything again, so it would never notice.
    if (writer_paused_) resume_writer();
  }

  // Hands over what the reader can take now, and keeps the writer's pace.
  void pump() {
    while (reader_ && !items_.empty() && reader_->queued_bytes() < kReaderQueue) {
      reader_->send(items_.front().kind, items_.front().payload);
      held_bytes_ -= items_.front().payload.size();
      items_.pop_front();
    }
    if (writer_done_ && items_.empty() && reader_) {
      std::exchange(reader_, nullptr)->close(ws::kCloseNone, "");
      return;
    }
    const bool full = items_.size() >= most_items_ || held_bytes_ >= most_bytes_;
    if (full && writer_ && !writer_paused_) {
      writer_paused_ = true;
      writer_->pause_reading();
    } else if (!full && writer_paused_) {
      resume_writer();
    }
  }

  // Nobody can complete it any more: the end that came is not left waiting.
  void expire() {
    items_.clear();
    held_bytes_ = 0;
    reader_gone_ = true;
    if (writer_) std::exchange(writer_, nullptr)->drop();
    if (reader_) std::exchange(reader_, nullptr)->drop();
  }

  bool finished() const { return writer_done_ && reader_taken_ && !reader_; }
  bool never_complete() const { return !reader_taken_ || !writer_taken_; }

  const std::string access_key;

 private:
  struct Item {
    ws::Opcode kind;
    std::string payload;
  };

  void resume_writer() {
    writer_paused_ = false;
    if (writer_) writer_->resume_reading();
  }

  const size_t most_items_;
  const size_t most_bytes_;
  std::deque<Item> items_;
  size_t held_bytes_ = 0;
  std::shared_ptr<net::Connection> writer_;
  std::shared_ptr<net::Connection> reader_;
  bool writer_taken_ = false;
  bool reader_taken_ = false;
  bool writer_done_ = false;
  bool writer_paused_ = false;
  bool reader_gone_ = false;

 public:
  const std::chrono::steady_clock::time_point created;
};

namespace {

class WriterEnd final : public net::ConnectionEvents {
 public:
  explicit WriterEnd(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
  void on_message(ws::Opcode kind, std::string_view payload) override {
    channel_->written(kind, payload);
  }
  void on_closed(const net::CloseInfo&) override { channel_->writer_closed(); }

 private:
  std::shared_ptr<Channel> channel_;
};

class ReaderEnd final : public net::ConnectionEvents {
 public:
  explicit ReaderEnd(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
  void on_message(ws::Opcode, std::string_view) override {}  // what a reader says goes nowhere
  void on_drained() override { channel_->pump(); }
  void on_closed(const net::CloseInfo&) override { channel_->reader_closed(); }

 private:
  std::shared_ptr<Channel> channel_;
};

// An end that was taken already.
class RefusedEnd final : public net::ConnectionEvents {
 public:
  void on_message(ws::Opcode, std::string_view) override {}
  void on_closed(const net::CloseInfo&) override {}
};

}  // namespace

ChannelTable::ChannelTable(Timers& timers, IdSource& ids, ChannelLimits limits)
    : timers_(timers), ids_(ids), limits_(limits) {
  schedule_sweep();
}

ChannelTable::~ChannelTable() { timers_.cancel(sweep_timer_); }

Result<ChannelTable::Ref> ChannelTable::create(size_t buffer_items) {
  if (channels_.size() >= limits_.max_channels) sweep();
  if (channels_.size() >= limits_.max_channels) {
    return fail("too_many_channels",
                "The engine has " + std::to_string(channels_.size()) +
                    " open channels, the most it keeps. Next: close channels that "
                    "are no longer used.");
  }
  Ref ref{ids_.next().to_string(), ids_.next().to_string()};
  channels_.emplace(
      ref.channel_id,
      std::make_shared<Channel>(ref.access_key, std::clamp<size_t>(buffer_items, 1, kMostItems),
                                limits_.max_held_bytes, timers_.now()));
  return ref;
}

std::shared_ptr<Channel> ChannelTable::find(std::string_view channel_id,
                                            std::string_view access_key) const {
  const auto it = channels_.find(channel_id);
  if (it == channels_.end()) return nullptr;
  // Compared without an early end, so that timing does not tell how much of a guess was right.
  const std::string& key = it->second->access_key;
  unsigned char difference = key.size() == access_key.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(key.size(), access_key.size()); ++i) {
    difference |= static_cast<unsigned char>(key[i] ^ access_key[i]);
  }
  return difference == 0 ? it->second : nullptr;
}

std::unique_ptr<net::ConnectionEvents> ChannelTable::attach(
    const std::shared_ptr<Channel>& channel, ChannelSide side,
    std::shared_ptr<net::Connection> connection) {
  if (!channel->take(side, connection)) {
    connection->close(ws::kCloseNone, "");
    return std::make_unique<RefusedEnd>();
  }
  if (side == ChannelSide::kRead) return std::make_unique<ReaderEnd>(channel);
  return std::make_unique<WriterEnd>(channel);
}

void ChannelTable::schedule_sweep() {
  sweep_timer_ = timers_.after(limits_.sweep_interval, [this] {
    sweep();
    schedule_sweep();
  });
}

// Channels that are over, or whose other end never came.
void ChannelTable::sweep() {
  const auto now = timers_.now();
  std::erase_if(channels_, [&](const auto& entry) {
    Channel& channel = *entry.second;
    const bool expired = channel.never_complete() && now - channel.created > limits_.unattached_age;
    if (expired) channel.expire();
    return expired || channel.finished();
  });
}

}  // namespace iii::engine
