// The functions that skills name, looked up on the bus.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "directory/discovery/function_catalog.h"
#include "directory/reading/skill_links.h"
#include "directory/sources/downloads.h"

namespace iii::directory {

class Library;

// On the loop thread. Everything it is given outlives it.
class BusSkillLinks final : public SkillLinks {
 public:
  BusSkillLinks(Library& library, FunctionCatalog& catalog,
                std::function<std::shared_ptr<sources::Downloads>()> downloads)
      : library_(library), catalog_(catalog), downloads_(std::move(downloads)) {}

  task::Task<std::vector<SkillFunction>> of(const content::Skill& skill) override;
  task::Task<std::vector<DoctorFinding>> broken(const View& view) override;

 private:
  Library& library_;
  FunctionCatalog& catalog_;
  const std::function<std::shared_ptr<sources::Downloads>()> downloads_;
};

}  // namespace iii::directory
