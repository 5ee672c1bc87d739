// The version of this program, from the build.
#pragma once

namespace iii::daemon {

inline constexpr const char* kVersion = III_VERSION;
// The commit that was built; `-dirty` with changes, `unknown` without git. In a file of its own,
// because it changes with every commit.
extern const char* const kCommit;

}  // namespace iii::daemon
