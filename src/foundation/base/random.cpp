#include "foundation/base/random.h"

#include <sys/random.h>

#include <cerrno>

#include "foundation/base/check.h"

namespace iii {

void fill_random(void* out, size_t bytes) {
  auto* at = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::getrandom(at, bytes, 0);
    III_CHECK(got > 0 || errno == EINTR);
    if (got <= 0) continue;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
}

}  // namespace iii
