#include "sdk/in_process_transport.h"

#include <utility>

namespace iii::sdk {
namespace {

// Parsers read (never use) a little beyond the end of a text.
constexpr size_t kReadableBehind = 64;

// Frames in one direction, delivered together on the next turn of the loop.
class Conveyor {
 public:
  // True when a delivery has to be arranged.
  bool put(std::string_view text) {
    std::string& kept = waiting_.emplace_back();
    kept.reserve(text.size() + kReadableBehind);
    kept.append(text).append(kReadableBehind, '\0');
    return waiting_.size() == 1;
  }
  std::vector<std::string> take() { return std::exchange(waiting_, {}); }
  static std::string_view text_of(const std::string& kept) {
    return std::string_view(kept).substr(0, kept.size() - kReadableBehind);
  }

 private:
  std::vector<std::string> waiting_;
};

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
    if (events_ == nullptr || !to_worker_.put(text)) return;
    loop_.post([self = shared_from_this()] {
      for (const std::string& kept : self->to_worker_.take()) {
        if (self->events_ != nullptr) self->events_->on_text(Conveyor::text_of(kept));
      }
    });
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
  void send_to_engine(std::string_view text) {
    if (events_ == nullptr || closing_ || !to_engine_.put(text)) return;
    loop_.post([self = shared_from_this()] { self->deliver_to_engine(); });
  }
  void ping() {
    loop_.post([self = shared_from_this()] {
      if (self->events_ != nullptr) self->events_->on_alive();
    });
  }
  void close() {
    closing_ = true;
    loop_.post([self = shared_from_this()] {
      self->deliver_to_engine();
      self->end_engine_side();
      if (TransportEvents* events = std::exchange(self->events_, nullptr)) {
        events->on_closed("closed");
      }
    });
  }
  // At once, because the loop may not turn any more: this is also how a transport is destroyed.
  void abandon() {
    events_ = nullptr;
    deliver_to_engine();
    end_engine_side();
  }

 private:
  void deliver_to_engine() {
    for (const std::string& kept : to_engine_.take()) {
      if (peer_) peer_->on_text(Conveyor::text_of(kept));
    }
  }
  void end_engine_side() {
    if (const std::unique_ptr<InProcessPeer> peer = std::move(peer_)) peer->on_closed();
  }

  net::Loop& loop_;
  TransportEvents* events_;
  bool closing_ = false;
  std::unique_ptr<InProcessPeer> peer_;
  Conveyor to_worker_;
  Conveyor to_engine_;
};

void InProcessTransport::open(TransportEvents& events) {
  drop();
  line_ = std::make_shared<Line>(loop_, events);
  line_->attach(attach_);
}

void InProcessTransport::send(std::string_view text) {
  if (line_) line_->send_to_engine(text);
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
