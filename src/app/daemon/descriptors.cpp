#include "app/daemon/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace iii::daemon {

Result<uint64_t> raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail("descriptors",
                std::string("the limit of open files cannot be read: ") + std::strerror(errno));
  }
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised{limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  if (limit.rlim_cur < kLeastDescriptors) {
    return fail("descriptors", "the limit of open files is " + std::to_string(limit.rlim_cur) +
                                   ", and at least " + std::to_string(kLeastDescriptors) +
                                   " are needed. Next: raise it (`ulimit -Hn` shows the most that "
                                   "this shell allows).");
  }
  return limit.rlim_cur;
}

size_t connections_that_fit(uint64_t descriptors, size_t wanted) {
  const uint64_t left = descriptors > kOwnDescriptors ? descriptors - kOwnDescriptors : 1;
  return static_cast<size_t>(std::min<uint64_t>(left, wanted));
}

}  // namespace iii::daemon
