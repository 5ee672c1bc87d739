#include "bus/ws/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "foundation/base/check.h"
#include "foundation/base/discard.h"

namespace iii::ws {
namespace {

// Above this a block is mapped. malloc's own border moves, and below it realloc copies.
constexpr size_t kMapped = 512 * 1024;

char* map(size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  III_CHECK(memory != MAP_FAILED);
  return static_cast<char*>(memory);
}

}  // namespace

void Block::resize(size_t size) {
  const bool mapped = size_ > kMapped;
  if (mapped && size > kMapped) {
    void* moved = ::mremap(data_, size_, size, MREMAP_MAYMOVE);
    III_CHECK(moved != MAP_FAILED);
    data_ = static_cast<char*>(moved);
  } else if (!mapped && size <= kMapped) {
    char* moved = static_cast<char*>(std::realloc(data_, size));
    III_CHECK(moved != nullptr);
    data_ = moved;
  } else {
    Block other;
    other.data_ = size > kMapped ? map(size) : static_cast<char*>(std::malloc(size));
    III_CHECK(other.data_ != nullptr);
    other.size_ = size;
    if (size_ > 0) std::memcpy(other.data_, data_, std::min(size_, size));
    *this = std::move(other);
  }
  size_ = size;
}

void Block::reset() {
  char* const data = std::exchange(data_, nullptr);
  const size_t size = std::exchange(size_, 0);
  if (size < kDiscardBytes) return std::free(data);
  run_discard([data, size] {
    if (size > kMapped) {
      ::munmap(data, size);
    } else {
      std::free(data);
    }
  });
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
