// Where a verb gets its answers from: a running server, or the folders, read in this process.
// Either way it asks for functions of the table, by id.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "faces/cli/args.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::daemon {

class Directory;
struct ConfigReading;

class Caller {
 public:
  Caller() = default;
  virtual ~Caller() = default;
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // JSON text, or the error of the function.
  virtual Result<std::string> call(const std::string& function_id, const std::string& payload) = 0;
  virtual bool is_server() const = 0;
  // The directory in this process; null: a server answers.
  virtual const Directory* directory() const { return nullptr; }
  // `server ws://127.0.0.1:49134`, `folders /home/me/.iii/skills, …`
  virtual std::string where() const = 0;
  // How long one answer may take.
  virtual void set_timeout(std::chrono::milliseconds) {}
  // The folder that downloads are written to, when this process writes them.
  virtual std::optional<std::filesystem::path> skills_folder() const { return std::nullopt; }
  // What the terminal shows while an answer is awaited.
  void set_about(std::string about) { about_ = std::move(about); }

  Result<json::Value> ask(const std::string& function_id, const json::Object& input = {});

 protected:
  std::string about_;
};

// What a verb does with the answers.
enum class Use : uint8_t {
  kRead,
  kServer,   // there is nothing to answer from without a server
  kInstall,  // it takes long, and Ctrl-C cancels it (cli::catch_interrupts)
};
Result<std::unique_ptr<Caller>> caller_of(const cli::Args& args, Use use = Use::kRead);
// The server that is named, or found; null: it is to be done in this process.
Result<std::unique_ptr<Caller>> server_of(const cli::Args& args, Use use);
// The folders, in this process. To install it may read what the person at the terminal may read:
// local folders, and private repositories with the credential helpers of git.
Result<std::unique_ptr<Caller>> local_caller(const cli::Args& args, Use use = Use::kRead);
// The same for a configuration that was read.
std::unique_ptr<Caller> local_caller(const ConfigReading& reading, Use use);
// Whether an option or III_URL names the server, and no option names folders.
bool names_server(const cli::Args& args);

// Says on stderr where the answer comes from, when a person reads it.
void say_where(const Caller& caller, const cli::Args& args);

}  // namespace iii::daemon
