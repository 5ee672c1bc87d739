#include "directory/table/function.h"

#include <utility>

#include "bus/sdk/handler.h"
#include "directory/table/errors.h"

namespace iii::directory {

Answer answer_of_exception() {
  return std::unexpected(sdk::handler_detail::outcome_of_exception().error());
}

Result<void> Function::admit(size_t input_bytes) const {
  if (input_bytes <= info.max_input_bytes) return {};
  return std::unexpected(input_too_large(info.id, input_bytes, info.max_input_bytes));
}

Function::Started Function::start(const Context& context, std::string_view input) const {
  try {
    Result<Begin> begin = read(input);
    if (!begin) return Answer(std::unexpected(std::move(begin.error())));
    return (*begin)(context);
  } catch (...) {
    return answer_of_exception();
  }
}

task::Task<Answer> finish(task::Task<Answer> task) {
  try {
    co_return co_await task;
  } catch (...) {
    co_return answer_of_exception();
  }
}

}  // namespace iii::directory
