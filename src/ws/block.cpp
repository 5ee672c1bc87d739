#include "ws/block.h"

#include <utility>

#include "base/check.h"

namespace iii::ws {

void Block::resize(size_t size) {
  char* moved = static_cast<char*>(std::realloc(data_.get(), size));
  III_CHECK(moved != nullptr);
  static_cast<void>(data_.release());
  data_.reset(moved);
  size_ = size;
}

Block BlockPool::take() {
  if (!spare_.empty()) {
    Block block = std::move(spare_.back());
    spare_.pop_back();
    return block;
  }
  Block block;
  block.resize(kBlockSize);
  return block;
}

void BlockPool::give(Block block) {
  if (block.size() == kBlockSize && spare_.size() < kKept) spare_.push_back(std::move(block));
}

}  // namespace iii::ws
