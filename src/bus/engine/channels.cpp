#include "bus/engine/channels.h"

#include <algorithm>
#include <utility>

#include "foundation/base/log.h"

namespace iii::engine {

// Handed to the reader's socket ahead of what it has taken. More than a connection ever keeps back
// when its socket is not full: so an end that stops here is notified when the queue has drained.
constexpr size_t kReaderQueue = 1024 * 1024;

// What passes between the two ends. An end's connection is forgotten as soon as it is closed.
class Channel final : private net::MemoryBudget::Holder {
 public:
  Channel(ChannelTable& table, ChannelTable::Ref ref, std::optional<Uuid> its_owner, size_t items)
      : id(std::move(ref.channel_id)),
        access_key(std::move(ref.access_key)),
        owner(its_owner),
        created(table.timers_.now()),
        table_(table),
        memory_(table.memory_),
        most_items_(items),
        most_bytes_(table.limits_.max_held_bytes) {}
  ~Channel() { clear(); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // False when that end was taken before.
  bool take(ChannelSide side, std::shared_ptr<net::Connection> connection) {
    auto& taken = side == ChannelSide::kRead ? reader_taken_ : writer_taken_;
    if (std::exchange(taken, true)) return false;
    if (side == ChannelSide::kRead) {
      reader_ = std::move(connection);
      reader_->allow_stalls();
    } else if (reader_gone_) {
      connection->drop();
    } else {
      writer_ = std::move(connection);
    }
    settle();
    return true;
  }

  // `payload` is a view, or a message that is ours to keep.
  template <typename Payload>
  void written(ws::Opcode kind, Payload payload) {
    if (reader_gone_) {
      // As in the public engine, the writer learns of it at its next message.
      if (writer_) std::exchange(writer_, nullptr)->drop();
      return;
    }
    if (flowing()) {
      pass(kind, std::move(payload));
    } else {
      hold(kind, std::move(payload));
    }
    settle();
  }

  // It has sent its last byte but was not being read. What is left is not more than its socket
  // holds: all of it is read, so that the socket can go.
  void writer_half_closed() {
    writer_ending_ = true;
    settle();
  }

  void writer_closed() {
    writer_.reset();
    writer_done_ = true;
    settle();
  }

  void reader_closed() {
    reader_.reset();
    reader_gone_ = true;
    clear();
    settle();  // a paused writer would never say anything again, so it would never notice
  }

  // Hands over what the reader can take now, and keeps the writer's pace.
  void settle() {
    while (reader_ && !items_.empty() && reader_->queued_bytes() < kReaderQueue) {
      Item item = std::move(items_.front());
      items_.pop_front();
      held_bytes_ -= item.payload.bytes.size();
      reader_->send_shared(item.kind, std::move(item.payload));
    }
    if (writer_done_ && items_.empty() && reader_) {
      std::exchange(reader_, nullptr)->close(ws::kCloseNone, "");
    }
    set_pace();
    account();
    if (writer_done_ && reader_taken_ && !reader_) retire();
  }

  // It cannot be completed any more: the end that is there does not wait.
  void expire() {
    clear();
    reader_gone_ = true;
    if (writer_) std::exchange(writer_, nullptr)->drop();
    if (reader_) std::exchange(reader_, nullptr)->drop();
    retire();
  }

  bool never_complete() const { return !reader_taken_ || !writer_taken_; }
  bool idle() const { return !reader_ && !writer_; }
  bool retired() const { return retired_; }

  const std::string id;
  const std::string access_key;
  const std::optional<Uuid> owner;
  const std::chrono::steady_clock::time_point created;

 private:
  struct Item {
    ws::Opcode kind;
    SharedBytes payload;
  };

  // Whether the next message goes straight to the reader.
  bool flowing() const {
    return reader_ && items_.empty() && reader_->queued_bytes() < kReaderQueue;
  }
  void pass(ws::Opcode kind, std::string_view payload) { reader_->send(kind, payload); }
  void pass(ws::Opcode kind, ws::OwnedMessage payload) {
    reader_->send_shared(kind, std::move(payload).share());
  }
  void hold(ws::Opcode kind, std::string_view payload) {
    auto copy = shared_text(std::string(payload));
    const std::string_view bytes = *copy;
    hold(kind, SharedBytes{std::move(copy), bytes});
  }
  void hold(ws::Opcode kind, ws::OwnedMessage payload) { hold(kind, std::move(payload).share()); }
  void hold(ws::Opcode kind, SharedBytes payload) {
    held_bytes_ += payload.bytes.size();
    items_.push_back({kind, std::move(payload)});
  }

  // A full channel's writer is not read. Of a message that the reader is not ready for, no more is
  // read than the channel may hold.
  void set_pace() {
    if (!writer_) return;
    bool full = false;
    size_t unfinished = SIZE_MAX;
    if (!writer_ending_ && !reader_gone_) {
      full = items_.size() >= most_items_ || held_bytes_ >= most_bytes_;
      if (!flowing()) unfinished = most_bytes_ - std::min(most_bytes_, held_bytes_);
    }
    if (std::exchange(unfinished_, unfinished) != unfinished) writer_->limit_unfinished(unfinished);
    if (std::exchange(writer_paused_, full) == full) return;
    if (full) {
      writer_->pause_reading();
    } else {
      writer_->resume_reading();
    }
  }

  void clear() {
    items_.clear();
    held_bytes_ = 0;
    account();
  }
  void account() {
    if (memory_) memory_->set(*this, held_bytes_, 0);
  }
  void give_up() override {
    log_warn(
        "a channel was ended: all connections together hold more memory than the limit allows");
    expire();
  }
  void retire() {
    if (!std::exchange(retired_, true)) table_.retire(*this);
  }

  ChannelTable& table_;
  const std::shared_ptr<net::MemoryBudget> memory_;
  const size_t most_items_;
  const size_t most_bytes_;
  std::deque<Item> items_;
  size_t held_bytes_ = 0;
  std::shared_ptr<net::Connection> writer_;
  std::shared_ptr<net::Connection> reader_;
  bool writer_taken_ = false;
  bool reader_taken_ = false;
  bool writer_ending_ = false;
  bool writer_done_ = false;
  bool writer_paused_ = false;
  size_t unfinished_ = SIZE_MAX;
  bool reader_gone_ = false;
  bool retired_ = false;
};

namespace {

class WriterEnd final : public net::ConnectionEvents {
 public:
  explicit WriterEnd(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
  void on_message(ws::Opcode kind, std::string_view payload) override {
    channel_->written(kind, payload);
  }
  void on_large_message(ws::Opcode kind, ws::OwnedMessage&& message) override {
    channel_->written(kind, std::move(message));
  }
  void on_half_closed() override { channel_->writer_half_closed(); }
  void on_closed(const net::CloseInfo&) override { channel_->writer_closed(); }

 private:
  std::shared_ptr<Channel> channel_;
};

class ReaderEnd final : public net::ConnectionEvents {
 public:
  explicit ReaderEnd(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
  void on_message(ws::Opcode, std::string_view) override {}  // what a reader says goes nowhere
  void on_drained() override { channel_->settle(); }
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

Error too_many(size_t count, std::string_view whose) {
  return Error{"too_many_channels", std::string(whose) + " has " + std::to_string(count) +
                                        " open channels, the most it may have. Next: close "
                                        "channels that are no longer used."};
}

}  // namespace

ChannelTable::ChannelTable(Timers& timers, IdSource& ids, ChannelLimits limits,
                           std::shared_ptr<net::MemoryBudget> memory)
    : timers_(timers), ids_(ids), limits_(limits), memory_(std::move(memory)) {
  schedule_sweep();
}

ChannelTable::~ChannelTable() { timers_.cancel(sweep_timer_); }

Result<ChannelTable::Ref> ChannelTable::create(uint64_t buffer_items,
                                               const std::optional<Uuid>& owner) {
  if (owner) {
    const auto made = made_.find(*owner);
    if (made != made_.end() && made->second.size() >= limits_.max_channels_per_worker) {
      return std::unexpected(too_many(made->second.size(), "This worker"));
    }
  }
  make_room();
  if (live_ >= limits_.max_channels) return std::unexpected(too_many(live_, "The engine"));
  Ref ref{ids_.next().to_string(), ids_.next().to_string()};
  const auto items = static_cast<size_t>(std::clamp<uint64_t>(buffer_items, 1, kMostItems));
  const auto channel = std::make_shared<Channel>(*this, ref, owner, items);
  channels_.emplace(ref.channel_id, channel);
  ++live_;
  if (owner) made_[*owner].insert(channel.get());
  return ref;
}

// Takes the place of channels whose maker has left and which nobody is attached to.
void ChannelTable::make_room() {
  while (live_ >= limits_.max_channels && !orphans_.empty()) {
    const auto it = channels_.find(orphans_.front());
    orphans_.pop_front();
    if (it != channels_.end() && it->second->idle()) it->second->expire();
  }
}

// A channel is over: it counts no more, and is kept for a while so that a late end is told.
void ChannelTable::retire(Channel& channel) {
  --live_;
  if (channel.owner) {
    const auto made = made_.find(*channel.owner);
    if (made != made_.end()) {
      made->second.erase(&channel);
      if (made->second.empty()) made_.erase(made);
    }
  }
  retired_.push_back(channel.id);
  if (retired_.size() <= limits_.max_channels) return;
  channels_.erase(retired_.front());
  retired_.pop_front();
}

void ChannelTable::on_worker(std::string_view event, const Worker& worker, bool) {
  if (event == "worker_disconnected") owner_gone(worker.id);
}

void ChannelTable::owner_gone(const Uuid& owner) {
  const auto made = made_.find(owner);
  if (made == made_.end()) return;
  for (const Channel* channel : made->second) orphans_.push_back(channel->id);
  made_.erase(made);
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
  for (const auto& [id, channel] : channels_) {
    if (channel->retired() || !channel->never_complete()) continue;
    if (now - channel->created > limits_.unattached_age) channel->expire();
  }
  for (const std::string& id : std::exchange(retired_, {})) channels_.erase(id);
  std::erase_if(orphans_, [this](const std::string& id) { return !channels_.contains(id); });
}

}  // namespace iii::engine
