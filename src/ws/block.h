// Growable bytes for the decoder, and a small store of used ones.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace iii::ws {

// Memory from malloc, because realloc moves large blocks by remapping pages instead of copying
// them.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  size_t size() const { return size_; }
  char* data() const { return data_.get(); }
  // Keeps the first min(old, new) bytes; what is behind them is not initialised.
  void resize(size_t size);
  void reset() {
    data_.reset();
    size_ = 0;
  }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
};

// Read buffers that connections of one thread hand to each other: a connection holds one only while
// bytes of it are being looked at, so ten thousand idle connections need none. Outlives its
// decoders.
class BlockPool {
 public:
  // Holds a 64 KiB message, which is what streams are cut into, and stays below malloc's border to
  // mmap.
  static constexpr size_t kBlockSize = 96 * 1024;

  Block take();
  void give(Block block);

 private:
  static constexpr size_t kKept = 8;
  std::vector<Block> spare_;
};

}  // namespace iii::ws
