// III_CHECK: a condition that only a bug in this program can break. Logs and aborts.
#pragma once

#include <string_view>

namespace iii {

[[noreturn]] void check_failed(std::string_view condition, std::string_view file, int line);

}  // namespace iii

#define III_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::iii::check_failed(#condition, __FILE__, __LINE__))
