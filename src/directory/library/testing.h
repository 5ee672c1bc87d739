// A library in memory, for tests of the functions.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "directory/content/content.h"

namespace iii::directory {

struct TestSkill {
  std::string id;  // on-disk id
  std::string title = {};
  std::string description = {};
  std::optional<std::string> type = {};
};

inline content::GenerationPtr make_generation(std::vector<TestSkill> skills,
                                              const std::vector<std::string>& prompts = {}) {
  auto generation = std::make_shared<content::Generation>();
  generation->number = 1;
  generation->roots.push_back({content::RootKind::kGlobal, "global"});
  std::sort(skills.begin(), skills.end(),
            [](const TestSkill& a, const TestSkill& b) { return a.id < b.id; });
  for (const TestSkill& s : skills) {
    auto skill = std::make_shared<content::Skill>();
    skill->id = s.id;
    skill->file = {0, s.id + ".md"};
    skill->title = s.title;
    skill->description = s.description;
    skill->type = s.type;
    generation->skills.push_back(std::move(skill));
  }
  for (const std::string& name : prompts) {
    auto prompt = std::make_shared<content::Prompt>();
    prompt->name = name;
    generation->prompts.push_back(std::move(prompt));
  }
  return generation;
}

}  // namespace iii::directory
