// How a function is split into the fields of `function_profile()`.
#pragma once

#include <string_view>
#include <vector>

#include "directory/search/profile.h"

namespace iii::search {

struct FunctionText {
  struct Parameter {
    std::string_view name;
    std::string_view description;
  };
  std::string_view id;
  std::string_view description;
  std::vector<Parameter> parameters;  // the top-level properties of the request schema
};

Document function_document(const FunctionText& function);

// False for functions that are never an answer: those of the engine, the search itself, hooks that
// only an engine calls. Functions with `metadata.internal: true` are left out by the caller.
bool is_searchable_function(std::string_view id);

}  // namespace iii::search
