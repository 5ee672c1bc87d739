// Random numbers that are the same on every machine, which those of the standard library are not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace iii::bench {

// splitmix64.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }
  size_t between(size_t low, size_t high) { return low + below(high - low + 1); }
  bool chance(double p) { return unit() < p; }
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(6.283185307179586 * unit());
  }
  // Of a log-normal distribution.
  double around(double median, double spread) { return median * std::exp(spread * normal()); }
  template <typename Words>
  std::string_view pick(const Words& words) {
    return words[below(std::size(words))];
  }

 private:
  uint64_t state_;
};

}  // namespace iii::bench
