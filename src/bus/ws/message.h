// A whole message that belongs to whoever holds this object.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "bus/ws/block.h"
#include "foundation/base/shared_bytes.h"

namespace iii::ws {

// Has kPadding readable bytes behind it, also after share().
class OwnedMessage {
 public:
  OwnedMessage() = default;
  OwnedMessage(Block memory, size_t size) : memory_(std::move(memory)), size_(size) {}
  OwnedMessage(OwnedMessage&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  OwnedMessage& operator=(OwnedMessage&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::string_view view() const { return {memory_.data(), size_}; }
  // Leaves this object empty.
  SharedBytes share() && {
    const size_t size = std::exchange(size_, 0);
    auto memory = std::make_shared<const Block>(std::move(memory_));
    const std::string_view bytes(memory->data(), size);
    return {std::move(memory), bytes};
  }

 private:
  Block memory_;
  size_t size_ = 0;
};

}  // namespace iii::ws
