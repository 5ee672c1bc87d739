// Large memory is freed on a thread of its own.
//
// Giving pages back to the system takes about 0.15 ms per MiB: too long for a loop thread that
// frees 60 MiB of one connection, or of many connections at once. What is discarded here is freed
// soon, in order, by a thread that does nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace iii {

// What is smaller is freed where it is.
inline constexpr size_t kDiscardBytes = 256 * 1024;

// Runs `destroy` on the discarding thread, which is started by the first call. From any thread.
void run_discard(std::move_only_function<void()> destroy);

// Destroys `value` on the discarding thread, so its destructor may touch nothing but memory.
template <typename T>
void discard(T value) {
  run_discard([gone = std::move(value)]() mutable { T(std::move(gone)); });
}

struct DiscardDelete {
  template <typename T>
  void operator()(T* object) const {
    discard(std::unique_ptr<T>(object));
  }
};
template <typename T>
using Discarded = std::unique_ptr<T, DiscardDelete>;

// A text for several holders; the last one never waits for its memory to be freed.
inline std::shared_ptr<const std::string> shared_text(std::string text) {
  if (text.capacity() < kDiscardBytes) return std::make_shared<const std::string>(std::move(text));
  return Discarded<const std::string>(new std::string(std::move(text)));
}

// For a program with a loop thread, at its start: sets malloc so that large memory has mappings of
// its own, and so that the heap is given back to the system in small steps. Without it a large
// block in the heap is freed by moving the heap's end, and every thread that touches the heap
// meanwhile waits.
void set_up_malloc();

// Returns when everything that was discarded before is freed. For tests.
void wait_for_discards();

}  // namespace iii
