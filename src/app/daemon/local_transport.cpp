#include "app/daemon/local_transport.h"

#include <deque>
#include <string>
#include <utility>

namespace iii::daemon {
namespace {

// Parsers read (never use) a little beyond the end of a text.
constexpr size_t kReadableBehind = 64;
// Texts from this size on are handed over instead of shown.
constexpr size_t kSharedText = 1024 * 1024;

SharedBytes padded(std::string_view text) {
  auto kept = std::make_shared<std::string>();
  kept->reserve(text.size() + kReadableBehind);
  kept->append(text).append(kReadableBehind, '\0');
  const std::string_view bytes = std::string_view(*kept).substr(0, text.size());
  return {std::move(kept), bytes};
}

SharedBytes take(std::deque<SharedBytes>& frames) {
  SharedBytes first = std::move(frames.front());
  frames.pop_front();
  return first;
}

}  // namespace

// Both directions of one connection; the engine sees it as a link. Frames of one direction are
// delivered together on the next turn of the loop. Closed by either side once; after that nothing
// is delivered.
class LocalTransport::Line final : public engine::Link, public std::enable_shared_from_this<Line> {
 public:
  Line(net::Loop& loop, engine::Engine& engine, sdk::TransportEvents& events)
      : loop_(loop), engine_(engine), events_(&events) {}

  void connect() {
    loop_.post([self = shared_from_this()] {
      if (self->events_ == nullptr) return;
      self->worker_ = &self->engine_.connected(*self, "127.0.0.1");
      self->events_->on_open();
    });
  }

  // Engine to worker.
  void send(std::string_view frame) override {
    if (events_ == nullptr) return;
    to_worker_.push_back(padded(frame));
    if (std::exchange(to_worker_due_, true)) return;
    loop_.post([self = shared_from_this()] {
      self->to_worker_due_ = false;  // what is sent from here on comes in the next turn
      for (size_t left = self->to_worker_.size(); left > 0; --left) {
        const SharedBytes kept = take(self->to_worker_);
        if (self->events_ != nullptr) self->events_->on_text(kept.bytes);
      }
    });
  }
  bool pause() override { return paused_ = true; }
  void resume() override {
    paused_ = false;
    if (!to_engine_.empty()) deliver_soon();
  }
  // As when a socket is dropped: the worker sees the end and comes back.
  void ended(bool) override {
    worker_ = nullptr;
    loop_.post([self = shared_from_this()] { self->end("the engine ended the connection"); });
  }

  // Worker to engine.
  void send_to_engine(SharedBytes text) {
    if (events_ == nullptr || closing_) return;
    to_engine_.push_back(std::move(text));
    if (!paused_) deliver_soon();
  }
  void ping() {
    loop_.post([self = shared_from_this()] {
      if (self->events_ != nullptr) self->events_->on_alive();
    });
  }
  void close() {
    closing_ = true;
    loop_.post([self = shared_from_this()] {
      self->disconnect();
      self->end("closed");
    });
  }
  // At once, because the loop may not turn any more: this is also how a transport is destroyed.
  void abandon() {
    events_ = nullptr;
    disconnect();
  }

 private:
  void deliver_soon() {
    if (std::exchange(to_engine_due_, true)) return;
    loop_.post([self = shared_from_this()] {
      self->to_engine_due_ = false;
      while (!self->paused_ && !self->to_engine_.empty()) self->deliver_one();
    });
  }
  void deliver_one() {
    SharedBytes text = take(to_engine_);
    if (worker_ == nullptr) return;
    if (text.bytes.size() < kSharedText) return engine_.received(*worker_, text.bytes);
    engine_.received(*worker_, std::move(text));
  }
  // Who leaves is heard.
  void disconnect() {
    while (!to_engine_.empty()) deliver_one();
    if (worker_ != nullptr) engine_.disconnected(*std::exchange(worker_, nullptr));
  }
  void end(std::string_view why) {
    if (sdk::TransportEvents* events = std::exchange(events_, nullptr)) events->on_closed(why);
  }

  net::Loop& loop_;
  engine::Engine& engine_;
  sdk::TransportEvents* events_;      // null once the worker has left
  engine::Worker* worker_ = nullptr;  // null before and after it is connected
  bool closing_ = false;
  bool paused_ = false;  // the engine's end
  std::deque<SharedBytes> to_worker_;
  std::deque<SharedBytes> to_engine_;
  bool to_worker_due_ = false;  // a delivery is posted
  bool to_engine_due_ = false;
};

void LocalTransport::open(sdk::TransportEvents& events) {
  drop();
  line_ = std::make_shared<Line>(loop_, engine_, events);
  line_->connect();
}

void LocalTransport::send(std::string_view text) {
  if (line_) line_->send_to_engine(padded(text));
}

void LocalTransport::send_encoded(SharedBytes frame) {
  if (line_) line_->send_to_engine(std::move(frame));
}

void LocalTransport::ping() {
  if (line_) line_->ping();
}

void LocalTransport::close() {
  if (line_) line_->close();
}

void LocalTransport::drop() {
  if (const std::shared_ptr<Line> line = std::exchange(line_, nullptr)) line->abandon();
}

}  // namespace iii::daemon
