// "Did you mean": what a caller who named something that does not exist may have meant.
//
// Nothing is suggested for what is longer than kMaxSuggestedFor bytes. How many candidates there
// are is not bounded, so handlers use the forms that are tasks (Library::answer).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/library/library.h"
#include "directory/library/view.h"

namespace iii::directory {

// directory-read §6.1, at most three display ids; a lone misspelt segment gets one too.
std::vector<std::string> suggest_skills(const View& view, std::string_view missed);
task::Task<std::vector<std::string>> suggest_skills(Library& library, View view,
                                                    std::string missed);
// directory-read §6.2: the three nearest names.
std::vector<std::string> suggest_prompts(const content::Generation& generation,
                                         std::string_view missed);
task::Task<std::vector<std::string>> suggest_prompts(Library& library, View view,
                                                     std::string missed);
// nearest() (base/text.h) on a thread of the pool; empty: none is near.
task::Task<std::string> nearest_on(task::Pool& pool, std::string word,
                                   std::vector<std::string> candidates);
// Folders directly in a root that have an overview and whose name contains `part` (lower-case).
NameSet namespaces_like(const View& view, std::string_view part);

}  // namespace iii::directory
