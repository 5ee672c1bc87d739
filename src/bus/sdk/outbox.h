// Frames that wait until the engine is there and ready; bounded in bytes.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "bus/sdk/bindings.h"
#include "foundation/base/uuid.h"

namespace iii::sdk {

class Outbox {
 public:
  struct Item {
    std::optional<Uuid> call;  // set for calls that want an answer: they may time out while waiting
    std::string text;
    Bound bound = {};  // set for what is fired to a binding, which may end while this waits
  };

  explicit Outbox(size_t max_bytes) : max_bytes_(max_bytes) {}

  // False, and nothing kept, when the frame does not fit any more.
  bool push(Item item) {
    if (item.text.size() > max_bytes_ - bytes_) return false;
    bytes_ += item.text.size();
    items_.push_back(std::move(item));
    return true;
  }
  // Oldest first; nothing when empty.
  std::optional<Item> pop() {
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    bytes_ -= item.text.size();
    return item;
  }
  void clear() {
    items_.clear();
    bytes_ = 0;
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t max_bytes_;
  size_t bytes_ = 0;
  std::deque<Item> items_;
};

}  // namespace iii::sdk
