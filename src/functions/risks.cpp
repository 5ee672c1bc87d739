#include "functions/risks.h"

#include <algorithm>
#include <utility>

#include "risks/scan.h"

namespace iii::directory {

namespace {

DoctorFinding finding_of(const content::Generation& generation, const content::FileRef& file,
                         const risks::Risk& risk) {
  const bool low = risk.severity == risks::Severity::kLow;
  return {.root = generation.roots[file.root].label,
          .path = file.path,
          .severity = low ? "info" : "warning",
          .code = "risk_" + risk.code,
          .line = risk.line == 0 ? std::nullopt : std::optional(risk.line),
          .column = risk.column,
          .message = risk.message + " (" + std::string(severity_word(risk.severity)) +
                     "): " + risk.excerpt,
          .served_as = {},
          .fix = {}};
}

// The codes that were accepted for these bytes; null: none. Only downloads are in the lock.
const std::set<std::string>* accepted_for(const sources::Lock& lock, const content::FileRef& file,
                                          std::string_view bytes) {
  const auto entry = lock.namespaces.find(file.path.substr(0, file.path.find('/')));
  if (entry == lock.namespaces.end() || entry->second.accepted.empty()) return nullptr;
  const auto codes = entry->second.accepted.find(sources::sha256_hex(bytes));
  return codes == entry->second.accepted.end() ? nullptr : &codes->second;
}

}  // namespace

RiskRow row_of(const risks::Risk& risk) {
  const risks::CodeInfo* info = risks::find_code(risk.code);
  return {.path = {},
          .code = risk.code,
          .severity = std::string(severity_word(risk.severity)),
          .line = risk.line == 0 ? std::nullopt : std::optional(risk.line),
          .column = risk.column,
          .excerpt = risk.excerpt,
          .message = risk.message,
          .why = info != nullptr ? std::string(info->why) : std::string()};
}

std::vector<RiskRow> rows_of(const std::vector<sources::FileRisk>& risks) {
  std::vector<RiskRow> out;
  for (const sources::FileRisk& risk : risks) {
    out.push_back(row_of(risk.risk));
    if (!risk.path.empty()) out.back().path = risk.path;
  }
  return out;
}

sdk::Task<Result<DocumentRisks::Rows>> DocumentRisks::of(Library& library, View view,
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
    for (const risks::Risk& risk : found) rows->push_back(row_of(risk));
    return Rows(std::move(rows));
  };
  Rows rows = co_await library.on_content_thread(std::move(work));
  if (known_.size() >= kMaxRemembered) known_.clear();
  if (stamped) known_[key] = {skill.bytes, skill.mtime_ns, skill.version, rows};
  co_return rows;
}

std::vector<DoctorFinding> scan_documents(content::Content& content,
                                          const content::Generation& generation,
                                          const sources::Lock& lock) {
  std::vector<DoctorFinding> out;
  const auto look = [&](const content::FileRef& file) {
    const content::RootKind kind = generation.roots[file.root].kind;
    if (kind == content::RootKind::kBuiltin || kind == content::RootKind::kRegistered) return;
    const Result<FileBytes> bytes = content.read(generation, file);
    if (!bytes) return;  // a finding of its own says why
    const std::vector<risks::Risk> found = risks::scan(file.path, bytes->bytes);
    if (found.empty()) return;
    const auto* accepted =
        kind == content::RootKind::kGlobal ? accepted_for(lock, file, bytes->bytes) : nullptr;
    for (const risks::Risk& risk : found) {
      if (accepted != nullptr && accepted->contains(risk.code)) continue;
      out.push_back(finding_of(generation, file, risk));
    }
  };
  for (const content::SkillPtr& skill : generation.skills) look(skill->file);
  for (const content::PromptPtr& prompt : generation.prompts) look(prompt->file);
  return out;
}

}  // namespace iii::directory
