// Functions of earlier versions that change nothing.
#pragma once

#include <string>
#include <utility>

#include "directory/table/function_table.h"

namespace iii::directory {

template <typename In, typename Out, typename Handler>
void add_read(FunctionTable& table, const char* id, const char* title, std::string description,
              Handler handler) {
  table.add<In, Out>({.id = id,
                      .title = title,
                      .description = std::move(description),
                      .hints = kReadOnly,
                      .published = true},
                     std::move(handler));
}

}  // namespace iii::directory
