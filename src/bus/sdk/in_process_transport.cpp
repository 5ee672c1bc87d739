#include "bus/sdk/in_process_transport.h"

#include <deque>
#include <utility>

namespace iii::sdk {
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

// Frames in one direction, delivered together on the next turn of the loop.
using Conveyor = std::deque<SharedBytes>;

SharedBytes take(Conveyor& frames) {
  SharedBytes first = std::move(frames.front());
  frames.pop_front();
  return first;
}

}  // namespace

// Both directions of one connection. Closed by either side once; after that nothing is delivered.
class InProcessTransport::Line final : public InProcessLine,
                                       public std::enable_shared_from_this<Line> {
 public:
  Line(net::Loop& loop, TransportEvents& events) : loop_(loop), events_(&events) {}

  void attach(const Attach& attach) {
    loop_.post([self = shared_from_this(), attach] {
      if (self->events_ == nullptr) return;
      self->peer_ = attach(self);
      self->events_->on_open();
    });
  }

  // Engine to worker.
  void send(std::string_view text) override {
    if (events_ == nullptr) return;
    to_worker_.push_back(padded(text));
    if (std::exchange(to_worker_due_, true)) return;
    loop_.post([self = shared_from_this()] {
      self->to_worker_due_ = false;  // what is sent from here on comes in the next turn
      for (size_t left = self->to_worker_.size(); left > 0; --left) {
        const SharedBytes kept = take(self->to_worker_);
        if (self->events_ != nullptr) self->events_->on_text(kept.bytes);
      }
    });
  }
  void pause() override { paused_ = true; }
  void resume() override {
    paused_ = false;
    if (!to_engine_.empty()) deliver_soon();
  }
  void drop() override {
    loop_.post([self = shared_from_this()] {
      self->peer_.reset();
      if (TransportEvents* events = std::exchange(self->events_, nullptr)) {
        events->on_closed("the engine ended the connection");
      }
    });
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
      self->deliver_the_rest();
      self->end_engine_side();
      if (TransportEvents* events = std::exchange(self->events_, nullptr)) {
        events->on_closed("closed");
      }
    });
  }
  // At once, because the loop may not turn any more: this is also how a transport is destroyed.
  void abandon() {
    events_ = nullptr;
    deliver_the_rest();
    end_engine_side();
  }

 private:
  void deliver_soon() {
    if (std::exchange(to_engine_due_, true)) return;
    loop_.post([self = shared_from_this()] {
      self->to_engine_due_ = false;
      while (!self->paused_ && !self->to_engine_.empty()) self->deliver_one();
    });
  }
  void deliver_the_rest() {
    while (!to_engine_.empty()) deliver_one();
  }
  void deliver_one() {
    SharedBytes text = take(to_engine_);
    if (!peer_) return;
    if (text.bytes.size() < kSharedText) return peer_->on_text(text.bytes);
    peer_->on_shared_text(std::move(text));
  }
  void end_engine_side() {
    if (const std::unique_ptr<InProcessPeer> peer = std::move(peer_)) peer->on_closed();
  }

  net::Loop& loop_;
  TransportEvents* events_;
  bool closing_ = false;
  bool paused_ = false;  // the engine's end
  std::unique_ptr<InProcessPeer> peer_;
  Conveyor to_worker_;
  Conveyor to_engine_;
  bool to_worker_due_ = false;  // a delivery is posted
  bool to_engine_due_ = false;
};

void InProcessTransport::open(TransportEvents& events) {
  drop();
  line_ = std::make_shared<Line>(loop_, events);
  line_->attach(attach_);
}

void InProcessTransport::send(std::string_view text) {
  if (line_) line_->send_to_engine(padded(text));
}

void InProcessTransport::send_encoded(SharedBytes frame) {
  if (line_) line_->send_to_engine(std::move(frame));
}

void InProcessTransport::ping() {
  if (line_) line_->ping();
}

void InProcessTransport::close() {
  if (line_) line_->close();
}

void InProcessTransport::drop() {
  if (const std::shared_ptr<Line> line = std::exchange(line_, nullptr)) line->abandon();
}

}  // namespace iii::sdk
