// The version of this program, from the build.
#pragma once

namespace iii::daemon {

inline constexpr const char* kVersion = III_VERSION;

}  // namespace iii::daemon
