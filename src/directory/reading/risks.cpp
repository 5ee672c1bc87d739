#include "directory/reading/risks.h"

#include <algorithm>
#include <utility>

#include "directory/library/library.h"
#include "directory/risks/scan.h"

namespace iii::directory {

task::Task<Result<std::vector<RiskRow>>> document_risks(Library& library, View view,
                                                        content::Skill skill) {
  constexpr size_t kMaxRows = 50;
  Result<FileBytes> file = library.read_file(view, skill);
  if (!file) co_return std::unexpected(std::move(file.error()));
  auto work = [bytes = std::move(file->bytes), path = skill.file.path] {
    std::vector<risks::Risk> found = risks::scan(path, bytes);
    std::ranges::sort(found, [](const risks::Risk& a, const risks::Risk& b) {
      return a.severity != b.severity ? a.severity > b.severity : a.line < b.line;
    });
    if (found.size() > kMaxRows) found.resize(kMaxRows);
    std::vector<RiskRow> rows;
    for (risks::Risk& risk : found) rows.push_back(sources::file_risk({}, std::move(risk)));
    return rows;
  };
  co_return co_await library.on_answer_thread(std::move(work));
}

}  // namespace iii::directory
