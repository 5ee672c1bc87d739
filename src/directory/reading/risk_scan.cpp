#include "directory/reading/risk_scan.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "directory/content/kinds.h"
#include "directory/reading/skill_files.h"
#include "directory/risks/scan.h"
#include "foundation/base/counted.h"
#include "foundation/base/sha256.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

using Clock = std::chrono::steady_clock;

DoctorFinding finding_of(std::string root, std::string path, const risks::Risk& risk) {
  const bool low = risk.severity == risks::Severity::kLow;
  return {.root = std::move(root),
          .path = std::move(path),
          .severity = low ? "info" : "warning",
          .code = "risk_" + risk.code,
          .line = risk.line == 0 ? std::nullopt : std::optional(risk.line),
          .column = risk.column,
          .message = risk.message + " (" + std::string(severity_word(risk.severity)) +
                     (risk.excerpt.empty() ? ")" : "): " + risk.excerpt)};
}

// The codes that were accepted for these bytes; null: none. Only downloads are in the lock.
const std::set<std::string>* accepted_for(const sources::Lock& lock, const content::FileRef& file,
                                          std::string_view bytes) {
  const auto entry = lock.namespaces.find(file.path.substr(0, file.path.find('/')));
  if (entry == lock.namespaces.end() || entry->second.accepted.empty()) return nullptr;
  const auto codes = entry->second.accepted.find(sha256_hex(bytes));
  return codes == entry->second.accepted.end() ? nullptr : &codes->second;
}

class FolderScan {
 public:
  FolderScan(content::Content& content, const content::Generation& generation,
             const sources::Lock& lock, std::chrono::milliseconds time,
             const ScanProgress& progress)
      : content_(content),
        generation_(generation),
        lock_(lock),
        progress_(progress),
        end_(Clock::now() + time) {}

  std::vector<DoctorFinding> run() {
    for (const content::SkillPtr& skill : generation_.skills) look_at_document(skill->file);
    for (const content::PromptPtr& prompt : generation_.prompts) look_at_document(prompt->file);
    for (const content::SkillPtr& skill : generation_.skills) {
      if (content::is_skill_file(skill->file.path)) look_beside(skill->file);
    }
    if (left_out_ > 0) add_incomplete();
    return std::move(findings_);
  }

 private:
  bool is_file(const content::FileRef& file) const {
    return is_on_disk(generation_.roots[file.root].kind);
  }
  // How many there are at least: what lies beside skills is not known before.
  uint64_t documents() const {
    return std::max<uint64_t>(files_, generation_.skills.size() + generation_.prompts.size());
  }
  static std::string key_of(const content::FileRef& file) {
    return std::to_string(file.root) + ":" + file.path;
  }

  // Counts a file; false: the time is over.
  bool may_look() {
    const bool may = Clock::now() < end_;
    ++(may ? files_ : left_out_);
    if (progress_) progress_(files_, documents());
    return may;
  }

  void look_at_document(const content::FileRef& file) {
    if (!is_file(file) || !may_look()) return;
    seen_.insert(key_of(file));
    const Result<FileBytes> bytes = content_.read(generation_, file);
    if (bytes) look_at(file, bytes->bytes);  // else a finding of its own says why
  }

  // The files of a skill that are no documents.
  void look_beside(const content::FileRef& main) {
    const auto root = is_file(main) ? content_.folder_of(main) : nullptr;
    if (root == nullptr) return;
    if (Clock::now() >= end_) {
      ++left_out_;  // at least
      return;
    }
    const size_t slash = main.path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : main.path.substr(0, slash);
    // One byte more than is examined, so that the scan says that there is more.
    const uint64_t most = risks::ScanOptions().max_bytes + 1;
    for (const std::string& path : skill_file_paths(*root, folder)) {
      const content::FileRef file{main.root, join_path(folder, path)};
      if (!seen_.insert(key_of(file)).second || !may_look()) continue;
      if (const Result<FileBytes> bytes = root->read_head(file.path, most)) {
        look_at(file, bytes->bytes);
      }
    }
  }

  void look_at(const content::FileRef& file, std::string_view bytes) {
    const std::vector<risks::Risk> found = risks::scan(file.path, bytes);
    if (found.empty()) return;
    const auto& root = generation_.roots[file.root];
    const auto* accepted =
        root.kind == content::RootKind::kGlobal ? accepted_for(lock_, file, bytes) : nullptr;
    for (const risks::Risk& risk : found) {
      if (accepted != nullptr && accepted->contains(risk.code)) continue;
      findings_.push_back(finding_of(root.label, file.path, risk));
    }
  }

  void add_incomplete() {
    risks::Risk risk;
    risk.code = "scan_incomplete";
    risk.severity = risks::Severity::kMedium;
    risk.message = "At least " + counted(left_out_, "file") +
                   " more, because the scan reached its limit of time, " +
                   (left_out_ == 1 ? "was" : "were") +
                   " not examined. Next: run `iii-directory doctor`, which has more time";
    findings_.push_back(finding_of("global", "", risk));
  }

  content::Content& content_;
  const content::Generation& generation_;
  const sources::Lock& lock_;
  const ScanProgress& progress_;
  const Clock::time_point end_;
  uint64_t files_ = 0;
  uint64_t left_out_ = 0;
  std::unordered_set<std::string> seen_;
  std::vector<DoctorFinding> findings_;
};

}  // namespace

std::vector<DoctorFinding> scan_folders(content::Content& content,
                                        const content::Generation& generation,
                                        const sources::Lock& lock, std::chrono::milliseconds time,
                                        const ScanProgress& progress) {
  return FolderScan(content, generation, lock, time, progress).run();
}

}  // namespace iii::directory
