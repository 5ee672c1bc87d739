// What workers register at run time (skills 0.1.x): kept in `state::*` of whichever engine we are
// connected to, so that it outlives us. The stored JSON is that of the published worker
// (skills-legacy §3).
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/sdk/worker.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"
#include "foundation/task/pool.h"

namespace iii::directory {

// `state::list` gives a whole scope in one message, and an engine refuses messages above 64 MiB.
// What could not be listed would be lost, so registrations end below that; the rest is room for
// framing and for records of others.
inline constexpr size_t kMaxRegisteredBytes = 48 * 1024 * 1024;
// Code of the error.
inline constexpr const char* kScopeFull = "scope_full";

struct RegistrationStoreOptions {
  std::string skills_scope = "skills";
  std::string prompts_scope = "prompts";
  std::chrono::milliseconds timeout{
      10'000};  // `state_timeout_ms`: of every call to state, sections and handlers
  size_t max_bytes = kMaxRegisteredBytes;  // of all records of a scope, as JSON

  bool operator==(const RegistrationStoreOptions&) const = default;
};

struct RegisteredSkill {
  std::string id;
  std::string skill;  // the markdown
  std::string registered_at;
};

struct PromptArgument {
  std::string name;
  std::optional<std::string> description;
  bool required = false;
};

inline auto describe(json::Type<PromptArgument>) {
  using T = PromptArgument;
  return json::object<T>(
      "PromptArgument", "", json::field("name", &T::name, "Name; unique within the prompt."),
      json::field("description", &T::description, "What to give, for people.")
          .length(json::kAnyLength),
      json::field("required", &T::required, "Must be given. Default false.").optional());
}

struct RegisteredPrompt {
  std::string name;
  std::string description;
  std::vector<PromptArgument> arguments;
  std::string function_id;
  std::string registered_at;
};

// As stored.
inline auto describe(json::Type<RegisteredSkill>) {
  using T = RegisteredSkill;
  return json::object<T>("StoredSkill", "", json::field("id", &T::id, ""),
                         json::field("skill", &T::skill, ""),
                         json::field("registered_at", &T::registered_at, ""));
}
inline auto describe(json::Type<RegisteredPrompt>) {
  using T = RegisteredPrompt;
  return json::object<T>("StoredPrompt", "", json::field("name", &T::name, ""),
                         json::field("description", &T::description, ""),
                         json::field("arguments", &T::arguments, "").optional(),
                         json::field("function_id", &T::function_id, ""),
                         json::field("registered_at", &T::registered_at, ""));
}

// On the loop thread. No cache: every call asks the engine. Errors carry the cause (remote code and
// message, time-out), or say kScopeFull.
class RegistrationStore {
 public:
  // Large lists are decoded by `thread`.
  RegistrationStore(sdk::Worker& worker, task::Pool& thread, RegistrationStoreOptions options);

  task::Task<Result<void>> put(RegisteredSkill skill);
  task::Task<Result<void>> put(RegisteredPrompt prompt);
  // Whether there was something.
  task::Task<Result<bool>> remove_skill(std::string id);
  task::Task<Result<bool>> remove_prompt(std::string name);
  task::Task<Result<std::optional<RegisteredSkill>>> skill(std::string id);
  task::Task<Result<std::optional<RegisteredPrompt>>> prompt(std::string name);
  // Sorted by id or name; records that cannot be read are left out.
  task::Task<Result<std::vector<RegisteredSkill>>> skills();
  task::Task<Result<std::vector<RegisteredPrompt>>> prompts();

  const RegistrationStoreOptions& options() const { return options_; }
  void set_options(RegistrationStoreOptions options) { options_ = std::move(options); }

 private:
  // How large the records of a scope are, as far as we know: what the last list showed, and what we
  // did since.
  class Usage {
   public:
    size_t total() const { return total_; }
    // Gives the size before.
    size_t replace(const std::string& key, size_t bytes);

   private:
    std::map<std::string, size_t> by_key_;
    size_t total_ = 0;
  };

  task::Task<Result<void>> put(std::string scope, std::string key, std::string record,
                               Usage& usage);
  task::Task<Result<bool>> remove(std::string scope, std::string key, Usage& usage);
  template <typename T>
  task::Task<Result<std::vector<T>>> list(std::string scope, std::string T::* key, Usage& usage);

  sdk::Worker& worker_;
  task::Pool& thread_;
  Usage skills_usage_;
  Usage prompts_usage_;
  RegistrationStoreOptions options_;
};

}  // namespace iii::directory
