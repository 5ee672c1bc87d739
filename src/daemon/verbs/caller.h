// Where a verb gets its answers from: a running server, or the folders, read in this process.
// Either way it asks for functions of the table, by id.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/args.h"
#include "json/value.h"

namespace iii::daemon {

class Caller {
 public:
  Caller() = default;
  virtual ~Caller() = default;
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // JSON text, or the error of the function.
  virtual Result<std::string> call(const std::string& function_id, const std::string& payload) = 0;
  virtual bool is_server() const = 0;
  // `server ws://127.0.0.1:49134`, `folders /home/me/.iii/skills, …`
  virtual std::string where() const = 0;
  // How long one answer may take.
  virtual void set_timeout(std::chrono::milliseconds) {}

  Result<json::Value> ask(const std::string& function_id, const json::Object& input = {});
};

// `server_only`: there is nothing to answer from without one.
Result<std::unique_ptr<Caller>> caller_of(const cli::Args& args, bool server_only = false);
// The folders, in this process.
Result<std::unique_ptr<Caller>> local_caller(const cli::Args& args);

// Says on stderr where the answer comes from, when a person reads it.
void say_where(const Caller& caller, const cli::Args& args);

}  // namespace iii::daemon
