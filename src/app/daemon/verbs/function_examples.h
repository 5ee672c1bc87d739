// One example for each function that needs input, for the generated page of functions.
#pragma once

#include <span>
#include <string_view>

namespace iii::daemon {

struct FunctionExample {
  std::string_view id;
  std::string_view words;  // what follows `iii-directory trigger ID`, as one types it
};

std::span<const FunctionExample> function_examples();
// Empty: there is none.
std::string_view example_of(std::string_view id);

}  // namespace iii::daemon
