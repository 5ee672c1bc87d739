#include "foundation/base/check.h"

#include <cstdlib>

#include "foundation/base/log.h"

namespace iii {

void check_failed(std::string_view condition, std::string_view file, int line) {
  log_error("internal check failed: {} at {}:{}", condition, file, line);
  std::abort();
}

}  // namespace iii
