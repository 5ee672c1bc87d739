// The functions that skills name, looked up on the bus.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
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

  task::Task<std::vector<SkillFunction>> of(const View& view, const content::Skill& skill) override;
  task::Task<std::vector<DoctorFinding>> broken(const View& view) override;

 private:
  // The ids of the functions on the bus, two seconds old at most. They are asked for without
  // schemas and without an index of them: a read does not wait for the whole bus.
  struct Existing {
    std::shared_ptr<const std::set<std::string>> ids;  // null: never asked
    bool live = false;
  };
  task::Task<Existing> existing();
  bool exists(const Existing& now, const std::string& id) const;

  Library& library_;
  FunctionCatalog& catalog_;
  const std::function<std::shared_ptr<sources::Downloads>()> downloads_;
  std::shared_ptr<const std::set<std::string>> ids_;
  std::chrono::steady_clock::time_point asked_ = {};
  uint64_t seen_changes_ = 0;  // of the catalogue, when `ids_` were asked for
};

}  // namespace iii::directory
