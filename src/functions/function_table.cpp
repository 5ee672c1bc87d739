#include "functions/function_table.h"

#include "base/log.h"
#include "base/text.h"

namespace iii::directory {

namespace {

// Only from inside a catch block.
Answer answer_of_exception() {
  return std::unexpected(sdk::handler_detail::outcome_of_exception().error());
}

Error unknown_function(std::string_view id, const std::vector<FunctionPtr>& functions) {
  std::vector<std::string> ids;
  for (const FunctionPtr& function : functions) {
    if (!function->info.hints.internal) ids.push_back(function->info.id);
  }
  const std::string_view near = nearest(id, ids);
  return {sdk::kFunctionNotFound,
          "There is no function `" + std::string(id) + "`." +
              (near.empty() ? "" : " Did you mean: " + std::string(near) + "?")};
}

}  // namespace

namespace table_detail {

Answer answer_of_text(Result<std::string> text) {
  if (!text) return std::unexpected(std::move(text.error()));
  return json::Raw{std::move(*text)};
}

}  // namespace table_detail

Function::Started Function::start(const Context& context, std::string_view input) const {
  try {
    Result<Begin> begin = read(input);
    if (!begin) return Answer(std::unexpected(std::move(begin.error())));
    return (*begin)(context);
  } catch (...) {
    return answer_of_exception();
  }
}

sdk::Task<Answer> finish(sdk::Task<Answer> task) {
  try {
    co_return co_await task;
  } catch (...) {
    co_return answer_of_exception();
  }
}

bool FunctionTable::add(Function function) {
  auto shared = std::make_shared<const Function>(std::move(function));
  if (!by_id_.emplace(shared->info.id, shared).second) {
    log_error("function {} is defined twice; the first definition is used", shared->info.id);
    return false;
  }
  functions_.push_back(std::move(shared));
  return true;
}

FunctionPtr FunctionTable::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found != by_id_.end() ? found->second : nullptr;
}

sdk::Task<Result<Function::Begin>> FunctionTable::read(FunctionPtr function,
                                                       std::string input) const {
  if (pool_ == nullptr || input.size() <= kLargeInput) co_return function->read(input);
  co_return co_await pool_->run(
      [function, text = std::move(input)] { return function->read(text); });
}

sdk::Task<Answer> FunctionTable::call(std::string id, Context context, json::Raw input) const {
  const FunctionPtr function = find(id);
  if (function == nullptr) co_return std::unexpected(unknown_function(id, functions_));
  try {
    Result<Function::Begin> begin = co_await read(function, std::move(input.text));
    if (!begin) co_return std::unexpected(std::move(begin.error()));
    Function::Started started = (*begin)(context);
    if (auto* answer = std::get_if<Answer>(&started)) co_return std::move(*answer);
    co_return co_await std::get<sdk::Task<Answer>>(started);
  } catch (...) {
    co_return answer_of_exception();
  }
}

}  // namespace iii::directory
