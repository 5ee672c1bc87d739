// Latencies in buckets less than 1 % wide: recording one must cost the load generator nothing.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace iii::bench {

class Histogram {
 public:
  void add(uint64_t nanoseconds) {
    ++buckets_[bucket_of(nanoseconds)];
    ++count_;
    if (nanoseconds > worst_) worst_ = nanoseconds;
  }
  void clear() {
    buckets_.fill(0);
    count_ = 0;
    worst_ = 0;
  }

  uint64_t count() const { return count_; }
  // In microseconds, exact.
  double worst() const { return static_cast<double>(worst_) / 1000.0; }

  // In microseconds; `share` from 0 to 1.
  double quantile(double share) const {
    uint64_t wanted = static_cast<uint64_t>(share * static_cast<double>(count_));
    for (size_t i = 0; i < buckets_.size(); ++i) {
      if (wanted < buckets_[i]) return middle_of(i) / 1000.0;
      wanted -= buckets_[i];
    }
    return 0;
  }

 private:
  static constexpr unsigned kBits = 7;  // buckets per power of two: 2^kBits
  static constexpr uint64_t kLongest = uint64_t{1} << 36;

  static size_t bucket_of(uint64_t value) {
    if (value >= kLongest) value = kLongest - 1;
    if (value < (1U << kBits)) return static_cast<size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kBits;
    return (static_cast<size_t>(shift + 1) << kBits) + ((value >> shift) & ((1U << kBits) - 1));
  }
  static double middle_of(size_t bucket) {
    if (bucket < (1U << kBits)) return static_cast<double>(bucket);
    const size_t shift = (bucket >> kBits) - 1;
    const uint64_t low = ((uint64_t{1} << kBits) + (bucket & ((1U << kBits) - 1))) << shift;
    return static_cast<double>(low) + static_cast<double>(uint64_t{1} << shift) / 2;
  }

  std::array<uint32_t, (36 - kBits + 1) << kBits> buckets_{};
  uint64_t count_ = 0;
  uint64_t worst_ = 0;
};

}  // namespace iii::bench
