// Output buffers that connections of one loop hand to each other, so that an idle one holds none.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace iii::net {

class OutputPool {
 public:
  std::string take() {
    if (spare_.empty()) return {};
    std::string buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }

  void give(std::string buffer) {
    // A buffer that once held a large message is not worth keeping, nor are very many.
    if (buffer.capacity() > kMaxBytes || buffer.capacity() < kMinBytes || spare_.size() >= kKept)
      return;
    buffer.clear();
    spare_.push_back(std::move(buffer));
  }

 private:
  static constexpr size_t kMinBytes = 64;
  static constexpr size_t kMaxBytes = 512 * 1024;
  static constexpr size_t kKept = 64;
  std::vector<std::string> spare_;
};

}  // namespace iii::net
