#include "directory/table/function_table.h"

#include <algorithm>

#include "directory/table/errors.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

Error unknown_function(std::string_view id, const std::vector<FunctionPtr>& functions) {
  std::vector<std::string> ids;
  for (const FunctionPtr& function : functions) {
    if (!function->info.hints.internal) ids.push_back(function->info.id);
  }
  const std::string_view near = nearest(id, ids);
  return {sdk::kFunctionNotFound,
          "There is no function `" + echoed(id) + "`." +
              (near.empty() ? "" : " Did you mean: " + std::string(near) + "?")};
}

// Keys that are compared with the fields, of those that are none: a caller may send any number.
constexpr size_t kMaxKeysCompared = 16;

// The first key of an input that is not a field and looks like one.
std::optional<MistypedKey> mistyped_key(const json::Codec& codec, json::Slice input) {
  if (codec.shape != json::Shape::kObject || json::kind_of(input) != json::Kind::kObject) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const json::FieldDescription& field : codec.object().fields) {
    names.emplace_back(field.name);
    if (!field.second_name.empty()) names.emplace_back(field.second_name);
  }
  json::Walker walker(input);
  json::Slice key;
  json::Slice value;
  for (size_t compared = 0; compared < kMaxKeysCompared && walker.next(key, value);) {
    std::string name = json::string_of(key);
    if (std::ranges::find(names, name) != names.end()) continue;
    ++compared;
    if (const std::string_view near = nearest(name, names); !near.empty()) {
      return MistypedKey{.key = std::move(name), .meant = std::string(near)};
    }
  }
  return std::nullopt;
}

}  // namespace

namespace table_detail {

std::optional<std::string> request_schema(const FunctionInfo& info, const json::Codec& codec) {
  if (codec.shape == json::Shape::kRaw || codec.shape == json::Shape::kValue) return std::nullopt;
  return json::to_text(json::schema_of(codec, info.published ? json::kAnyLength : kMaxTextLength));
}

Result<void> read_input(const std::string& id, bool published, const json::Codec& codec,
                        std::string_view input, void* in) {
  const json::Slice value = sdk::lenient(codec, input);
  if (const auto text = json::long_text(codec, value, kMaxTextLength)) {
    return std::unexpected(text_too_long(id, *text));
  }
  const json::Problem problem = sdk::handler_detail::input_problem(codec, value, in);
  if (!problem) return {};
  if (published) return std::unexpected(sdk::handler_detail::unreadable_input(*problem));
  return std::unexpected(wrong_input(id, *problem, mistyped_key(codec, value)));
}

Answer answer_of_text(Result<std::string> text) {
  if (!text) return std::unexpected(std::move(text.error()));
  return json::Raw{std::move(*text)};
}

}  // namespace table_detail

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

task::Task<Result<Function::Begin>> FunctionTable::read(FunctionPtr function,
                                                        std::string input) const {
  if (pool_ == nullptr || input.size() <= kLargeInput) co_return function->read(input);
  co_return co_await pool_->run(
      [function, text = std::move(input)] { return function->read(text); });
}

task::Task<Answer> FunctionTable::call(std::string id, Context context, json::Raw input) const {
  const FunctionPtr function = find(id);
  if (function == nullptr) co_return std::unexpected(unknown_function(id, functions_));
  if (auto admitted = function->admit(input.text.size()); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
  }
  try {
    Result<Function::Begin> begin = co_await read(function, std::move(input.text));
    if (!begin) co_return std::unexpected(std::move(begin.error()));
    Function::Started started = (*begin)(context);
    if (auto* answer = std::get_if<Answer>(&started)) co_return std::move(*answer);
    co_return co_await std::get<task::Task<Answer>>(started);
  } catch (...) {
    co_return answer_of_exception();
  }
}

}  // namespace iii::directory
