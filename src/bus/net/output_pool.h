// Output buffers that connections of one loop hand to each other, so that an idle one holds none.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "foundation/base/discard.h"

namespace iii::net {

class OutputPool {
 public:
  std::string take() {
    if (spare_.empty()) return {};
    std::string buffer = std::move(spare_.back());
    spare_.pop_back();
    bytes_ -= buffer.capacity();
    return buffer;
  }

  void give(std::string buffer) {
    const size_t size = buffer.capacity();
    if (size < kMinBytes) return;
    if (size > kMaxBytes || bytes_ + size > kKeptBytes) {
      if (size >= kDiscardBytes) discard(std::move(buffer));
      return;
    }
    buffer.clear();
    bytes_ += size;
    spare_.push_back(std::move(buffer));
  }

 private:
  static constexpr size_t kMinBytes = 64;  // less is the string's own
  static constexpr size_t kMaxBytes = 2 * 1024 * 1024;
  static constexpr size_t kKeptBytes = 8 * 1024 * 1024;
  size_t bytes_ = 0;
  std::vector<std::string> spare_;
};

}  // namespace iii::net
