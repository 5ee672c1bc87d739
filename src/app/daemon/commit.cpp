#include "commit.h"  // written by the build (cmake/commit.cmake)

#include "app/daemon/version.h"

namespace iii::daemon {

const char* const kCommit = III_COMMIT;

}  // namespace iii::daemon
