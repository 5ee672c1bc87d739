// completion/complete: values of prompt arguments and of the variables in resource templates.
#pragma once

#include "faces/mcp/callable.h"
#include "faces/mcp/feature.h"
#include "faces/mcp/host.h"
#include "faces/mcp/prompts.h"
#include "faces/mcp/skills.h"
#include "foundation/task/task.h"

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

  task::Task<Outcome> complete(json::Value params);

 private:
  task::Task<std::vector<std::string>> skill_ids(std::string begin);
  task::Task<std::vector<std::string>> function_ids(std::string begin);
  task::Task<std::vector<std::string>> paths(std::string begin);

  directory::Library& library_;
  directory::SkillSearch* const search_;
  Prompts& prompts_;
  Callables& callables_;
  Skills& skills_;
};

}  // namespace iii::mcp
