// Findings about files as callers see them: of a document, of a download.
#pragma once

#include <vector>

#include "directory/library/view.h"
#include "directory/sources/bundle_risks.h"
#include "foundation/base/result.h"
#include "foundation/task/task.h"

namespace iii::directory {

class Library;

using RiskRow = sources::FileRisk;
using sources::kRisksHelp;

// Findings about a document, the worst first, at most 50. Scans on an answer thread. Errors as of
// Library::read_file.
task::Task<Result<std::vector<RiskRow>>> document_risks(Library& library, View view,
                                                        content::Skill skill);

}  // namespace iii::directory
