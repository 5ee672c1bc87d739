// Search for the `find` tool: skills and functions by words. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "library/view.h"
#include "mcp/callable.h"

namespace iii::mcp {

struct FoundSkill {
  content::SkillPtr skill;
  int score = 0;
};
struct FoundFunction {
  CallablePtr function;
  int score = 0;
};

// Lower-case words, at most eight.
std::vector<std::string> search_words(std::string_view query);

// Best first, then by id. A row must have at least one of the words. Takes time for many skills: to
// be called off the loop.
std::vector<FoundSkill> find_skills(const directory::View& view,
                                    const std::vector<std::string>& words, size_t most);
std::vector<FoundFunction> find_functions(const CallableList& functions,
                                          const std::vector<std::string>& words, size_t most);

}  // namespace iii::mcp
