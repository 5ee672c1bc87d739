// Every limit of the bus in one place. Defaults; `serve` documents and overrides them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace iii::protocol {

inline constexpr size_t kMaxFrameBytes = 16 * 1024 * 1024;    // inclusive, as the public engine
inline constexpr size_t kMaxMessageBytes = 64 * 1024 * 1024;  // inclusive, as the public engine
inline constexpr size_t kMaxDepth = 127;                      // levels, the frame object included
inline constexpr size_t kMaxWorkerText = 280;                 // characters of a worker's name

inline constexpr std::chrono::milliseconds kCallTimeout{30'000};  // a caller's, not the engine's
inline constexpr std::chrono::milliseconds kRegistrationGrace{5'000};  // wire §9.2
inline constexpr std::chrono::milliseconds kVerdictTimeout{10'000};    // wire §8.5
inline constexpr std::chrono::milliseconds kFunctionsPoll{5'000};      // wire §8.4
inline constexpr uint16_t kDefaultPort = 49134;

}  // namespace iii::protocol
