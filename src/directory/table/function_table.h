// What the directory offers, as values: every function with its texts, hints, schemas and handler.
// The bus (bus.h) reads this table; so can a command line, a protocol bridge or a reference.
//
//   table.add<Person, Greeting>({.id = "hello::greet", .title = "Greet",
//                                .description = "Greets somebody by name."},
//                               [](const Context&, Person who) { return greeting_for(who); });
//
// A handler takes (In) or (const Context&, In) and gives Out, Result<Out>, or a Task of either. It
// may give its answer as json::Raw, which is already written; the schema is that of Out all the
// same. json::Raw as In or Out means that there is no schema.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bus/sdk/handler.h"
#include "directory/table/context.h"
#include "directory/table/function.h"
#include "foundation/base/result.h"
#include "foundation/task/pool.h"
#include "foundation/task/task.h"

namespace iii::directory {

class FunctionTable {
 public:
  // An id that is already in the table is refused, and logged.
  template <typename In, typename Out, typename Handler>
  bool add(FunctionInfo info, Handler handler);
  bool add(Function function);

  // In the order in which they were added.
  const std::vector<FunctionPtr>& functions() const { return functions_; }
  // Null when there is none.
  FunctionPtr find(std::string_view id) const;

  // Calls a function directly, with the same checks and errors as on the bus. The table outlives
  // the task.
  task::Task<Answer> call(std::string id, Context context, json::Raw input) const;

  // Input of direct calls that is longer than this is read on these threads: the loop does not wait
  // for what a caller sends.
  static constexpr size_t kLargeInput = 64 * 1024;
  void read_large_on(task::Pool& pool) { pool_ = &pool; }

 private:
  task::Task<Result<Function::Begin>> read(FunctionPtr function, std::string input) const;

  task::Pool* pool_ = nullptr;
  std::vector<FunctionPtr> functions_;
  std::map<std::string, FunctionPtr, std::less<>> by_id_;
};

namespace table_detail {

Answer answer_of_text(Result<std::string> text);

// The schema to publish; nothing for types that say nothing about themselves.
std::optional<std::string> request_schema(const FunctionInfo& info, const json::Codec& codec);
// Decodes `input` into `in`, a value of the codec's type.
Result<void> read_input(const std::string& id, bool published, const json::Codec& codec,
                        std::string_view input, void* in);

inline Answer answer_of(json::Raw text) { return text; }
inline Answer answer_of(Answer answer) { return answer; }
template <typename T>
Answer answer_of(const T& value) {
  return answer_of_text(sdk::encode_payload(value));
}
template <typename T>
Answer answer_of(const Result<T>& result) {
  if (!result) return std::unexpected(result.error());
  return answer_of_text(sdk::encode_payload(*result));
}

template <typename T>
task::Task<Answer> encoded(task::Task<T> task) {
  co_return answer_of(co_await task);
}

template <typename T>
Function::Started started(T returned) {
  return answer_of(std::move(returned));
}
template <typename T>
Function::Started started(task::Task<T> task) {
  if constexpr (std::is_same_v<T, Answer>) {
    return task;
  } else {
    return encoded(std::move(task));
  }
}

}  // namespace table_detail

template <typename In, typename Out, typename Handler>
bool FunctionTable::add(FunctionInfo info, Handler handler) {
  auto read = [shared = std::make_shared<Handler>(std::move(handler)), id = info.id,
               published = info.published](std::string_view input) -> Result<Function::Begin> {
    In in{};
    if (auto done = table_detail::read_input(id, published, json::kCodec<In>, input, &in); !done) {
      return std::unexpected(std::move(done.error()));
    }
    return [shared, in = std::move(in)](const Context& context) mutable -> Function::Started {
      if constexpr (std::is_invocable_v<Handler&, const Context&, In>) {
        return table_detail::started((*shared)(context, std::move(in)));
      } else {
        return table_detail::started((*shared)(std::move(in)));
      }
    };
  };
  std::optional<std::string> schema = table_detail::request_schema(info, json::kCodec<In>);
  return add(Function{.info = std::move(info),
                      .request_schema = std::move(schema),
                      .response_schema = sdk::handler_detail::schema_text<Out>(),
                      .read = std::move(read)});
}

}  // namespace iii::directory
