// The limit of open files, which is also one of connections.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foundation/base/result.h"

namespace iii::daemon {

// Files, watches, downloads and the standard streams.
inline constexpr uint64_t kOwnDescriptors = 48;
inline constexpr uint64_t kLeastDescriptors = 64;

// Raises the soft limit to the hard one and gives it. An error when that is not enough to run.
Result<uint64_t> raise_descriptor_limit();
// At most `wanted`.
size_t connections_that_fit(uint64_t descriptors, size_t wanted);

}  // namespace iii::daemon
