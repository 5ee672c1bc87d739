// Findings about files as callers see them: of a document, of a download.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "directory/library/view.h"
#include "directory/risks/risk.h"
#include "directory/sources/bundle_risks.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"
#include "foundation/task/task.h"

namespace iii::directory {

class Library;

using RiskRow = sources::FileRisk;
using sources::kRisksHelp;

// Findings about documents, remembered by the stamp of their file, so that the same document is
// scanned once. On the loop thread.
class DocumentRisks {
 public:
  using Rows = std::shared_ptr<const std::vector<RiskRow>>;

  // Scans on an answer thread what is not remembered. Errors as of Library::read_file.
  task::Task<Result<Rows>> of(Library& library, View view, content::Skill skill);

  // At most this many documents, and findings of each.
  static constexpr size_t kMaxRemembered = 4'096;
  static constexpr size_t kMaxRows = 50;

 private:
  struct Known {
    uint64_t bytes = 0;
    int64_t mtime_ns = 0;
    content::FileVersion version;
    Rows rows;
  };
  std::unordered_map<std::string, Known> known_;  // by root and path
};

}  // namespace iii::directory
