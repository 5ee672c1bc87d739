#pragma once

#include <string>

#include "directory/sources/source.h"
#include "foundation/json/describe.h"

namespace iii::sources {

// `{"kind":"registry","worker":…,"tag":…}`, as the published worker echoes it.
json::Raw source_json(const Source& source, const std::string& branch);

}  // namespace iii::sources
