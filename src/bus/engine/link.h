// The engine's view of a connection: frames out, and two ways to end it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/shared_bytes.h"

namespace iii::engine {

// Nothing here calls back into the engine before it returns.
class Link {
 public:
  virtual ~Link() = default;

  // One protocol message. Queued.
  virtual void send(std::string_view frame) = 0;
  // The same for a message made of several parts, of which those with an owner need not be copied.
  virtual void send_parts(std::span<const SharedBytes> parts) {
    std::string whole;
    for (const SharedBytes& part : parts) whole += part.bytes;
    send(whole);
  }
  // False when the connection is over, although the engine has not been notified yet.
  virtual bool open() const { return true; }
  // Bytes that were sent and that the peer has not fetched yet.
  virtual size_t queued_bytes() const { return 0; }
  // How much more may be sent to it before it is disconnected as one that does not read.
  virtual size_t room() const { return SIZE_MAX; }
  // No message of the peer comes in between these two. False: this link cannot wait.
  virtual bool pause() { return false; }
  virtual void resume() {}
  // The engine keeps so much more for the peer, or so much less: it counts as held by the
  // connection.
  virtual void charge(ptrdiff_t) {}
  // The engine has forgotten this connection by itself (evicted, refused): what still arrives on it
  // is nobody's. With `politely` the peer gets a Close frame without a code, else TCP just ends.
  virtual void ended(bool politely) = 0;
};

// The link of a worker, for as long as there is one: what is sent after its end is dropped.
class WorkerLink {
 public:
  explicit WorkerLink(Link& link) : link_(&link) {}

  void send(std::string_view frame) {
    if (link_ != nullptr) link_->send(frame);
  }
  void send_parts(std::span<const SharedBytes> parts) {
    if (link_ != nullptr) link_->send_parts(parts);
  }
  bool open() const { return link_ != nullptr && link_->open(); }
  size_t queued_bytes() const { return link_ != nullptr ? link_->queued_bytes() : 0; }
  size_t room() const { return link_ != nullptr ? link_->room() : SIZE_MAX; }
  void charge(ptrdiff_t bytes) {
    if (link_ != nullptr) link_->charge(bytes);
  }
  // Counted: as many resumes as pauses let messages in again.
  bool pause() {
    if (link_ == nullptr || (pauses_ == 0 && !link_->pause())) return false;
    ++pauses_;
    return true;
  }
  void resume() {
    if (--pauses_ == 0 && link_ != nullptr) link_->resume();
  }
  // From now on there is none.
  Link& release() { return *std::exchange(link_, nullptr); }

 private:
  Link* link_;
  size_t pauses_ = 0;
};

}  // namespace iii::engine
