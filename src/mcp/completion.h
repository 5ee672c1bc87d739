// completion/complete: values of prompt arguments and of the variables in resource templates.
#pragma once

#include "mcp/callable.h"
#include "mcp/feature.h"
#include "mcp/host.h"
#include "mcp/prompts.h"
#include "mcp/skills.h"
#include "sdk/task.h"

namespace iii::mcp {

inline constexpr size_t kMaxCompletions = 100;

class Completion {
 public:
  Completion(const Host& host, Prompts& prompts, Callables& callables, Skills& skills)
      : library_(*host.library),
        search_(host.search),
        prompts_(prompts),
        callables_(callables),
        skills_(skills) {}

  sdk::Task<Outcome> complete(json::Value params);

 private:
  sdk::Task<std::vector<std::string>> skill_ids(std::string begin);
  sdk::Task<std::vector<std::string>> function_ids(std::string begin);
  sdk::Task<std::vector<std::string>> paths(std::string begin);

  directory::Library& library_;
  directory::SkillSearch* const search_;
  Prompts& prompts_;
  Callables& callables_;
  Skills& skills_;
};

}  // namespace iii::mcp
