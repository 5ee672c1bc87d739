// Growable bytes for the decoder, and a small store of used ones.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace iii::ws {

// Large blocks are mapped: they grow without being copied, take memory only for the bytes that were
// written, and give it back to the system soon (base/discard.h). Small ones come from malloc.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    if (this == &other) return *this;
    reset();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Block() { reset(); }

  size_t size() const { return size_; }
  char* data() const { return data_; }
  // Keeps the first min(old, new) bytes; what is behind them is not initialised. `size` is not 0.
  void resize(size_t size);
  void reset();

 private:
  char* data_ = nullptr;
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
