// Random bytes from the kernel.
#pragma once

#include <cstddef>

namespace iii {

// Never fails: without random bytes there are no safe ids, so the process ends instead.
void fill_random(void* out, size_t bytes);

}  // namespace iii
