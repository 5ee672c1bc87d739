#include "directory/reading/risks.h"

#include <algorithm>
#include <utility>

#include "directory/library/library.h"
#include "directory/risks/scan.h"

namespace iii::directory {

task::Task<Result<DocumentRisks::Rows>> DocumentRisks::of(Library& library, View view,
                                                          content::Skill skill) {
  const std::string key = std::to_string(skill.file.root) + ":" + skill.file.path;
  // Without an inode there is no file whose version could be told from another.
  const bool stamped = skill.version.inode != 0;
  if (const auto found = known_.find(key); stamped && found != known_.end()) {
    const Known& known = found->second;
    if (known.bytes == skill.bytes && known.mtime_ns == skill.mtime_ns &&
        known.version == skill.version) {
      co_return known.rows;
    }
  }
  Result<FileBytes> file = library.read_file(view, skill);
  if (!file) co_return std::unexpected(std::move(file.error()));
  auto work = [bytes = std::move(file->bytes), path = skill.file.path] {
    std::vector<risks::Risk> found = risks::scan(path, bytes);
    std::ranges::sort(found, [](const risks::Risk& a, const risks::Risk& b) {
      return a.severity != b.severity ? a.severity > b.severity : a.line < b.line;
    });
    if (found.size() > kMaxRows) found.resize(kMaxRows);
    auto rows = std::make_shared<std::vector<RiskRow>>();
    for (risks::Risk& risk : found) rows->push_back(sources::file_risk({}, std::move(risk)));
    return Rows(std::move(rows));
  };
  Rows rows = co_await library.on_answer_thread(std::move(work));
  if (known_.size() >= kMaxRemembered) known_.clear();
  if (stamped) known_[key] = {skill.bytes, skill.mtime_ns, skill.version, rows};
  co_return rows;
}

}  // namespace iii::directory
