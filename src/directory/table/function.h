// A function as a value: its texts, hints, schemas and handler. Most are made by FunctionTable::add
// (function_table.h), which only those that add functions or look them up include: it is expensive.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "directory/table/context.h"
#include "directory/table/limits.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"
#include "foundation/task/task.h"

namespace iii::directory {

// What a caller may expect before it calls.
struct Hints {
  bool read_only = false;    // changes nothing
  bool destructive = false;  // may remove or overwrite what cannot be had back
  bool idempotent = false;   // a second call with the same input changes nothing more
  bool network = false;      // reaches beyond this machine and this bus
  bool internal = false;     // not for callers: the engine calls it
  // About the server itself, for whoever runs it: agents reach it only when the configuration says
  // so (`mcp_allow`).
  bool operators_only = false;

  bool operator==(const Hints&) const = default;
};
// The common case.
inline constexpr Hints kReadOnly{.read_only = true, .idempotent = true};

struct FunctionInfo {
  std::string id;
  std::string title;  // a few words
  std::string description;
  Hints hints = {};
  std::string tool_label = {};  // `tool.label` of its metadata on the bus, where it has one
  bool listed = false;          // shown in an engine's list although it is internal
  // What its input may have as JSON. Every caller is refused more, before anything reads it.
  size_t max_input_bytes = kMaxInputBytes;
  // An earlier version had it: its schema does not limit texts, and errors about input that does
  // not fit are worded as they were then.
  bool published = false;
};

using Answer = Result<json::Raw>;

struct Function {
  FunctionInfo info;
  std::optional<std::string> request_schema;  // JSON text; none: anything
  std::optional<std::string> response_schema;
  // The answer, or the task that gives it.
  using Started = std::variant<Answer, task::Task<Answer>>;
  // A call whose input has been read; begins it, once, on the loop thread.
  using Begin = std::move_only_function<Started(const Context&)>;
  // Reads the input, which is valid JSON, on any thread. Input that does not fit is refused.
  std::function<Result<Begin>(std::string_view input)> read;

  // Whether it takes an input of so many bytes; asked before the input is read.
  Result<void> admit(size_t input_bytes) const;
  // Reads an input that was admitted, and begins. An exception that leaves the handler becomes an
  // error.
  Started start(const Context& context, std::string_view input) const;
};
using FunctionPtr = std::shared_ptr<const Function>;

// The end of what start() began; an exception becomes an error here, too.
task::Task<Answer> finish(task::Task<Answer> task);

// What an exception that left a handler becomes. Only from inside a catch block.
Answer answer_of_exception();

}  // namespace iii::directory
