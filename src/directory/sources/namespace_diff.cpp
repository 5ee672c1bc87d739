#include "directory/sources/namespace_diff.h"

#include <algorithm>
#include <map>

#include "directory/sources/installer_plan.h"
#include "directory/sources/text_diff.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr uint64_t kMaxComparedBytes = 1ULL << 20U;  // of one file
constexpr size_t kMaxDiffBytes = 512 * 1024;         // of all files together

bool is_text(std::string_view bytes) {
  return bytes.size() <= kMaxComparedBytes && is_utf8(bytes) &&
         bytes.find('\0') == std::string_view::npos;
}

class Differ {
 public:
  explicit Differ(const FolderWriter& root) : root_(root) {}

  // `now`: null when the source does not have it. `whole`: its path below the skills folder.
  FileDiff compare(std::string path, std::string change, const std::string& whole,
                   const std::string* now) {
    FileDiff file{.path = std::move(path), .change = std::move(change), .diff = {}, .note = {}};
    std::string before;
    if (file.change != "added") {
      const Result<FileStatus> status = root_.look(whole);
      file.size = status ? status->stamp.size : 0;
      const bool small = file.size <= kMaxComparedBytes;
      auto bytes = small ? root_.read(whole, kMaxComparedBytes) : Result<std::string>();
      // What is not a file, or was removed a moment ago, has no text.
      if (bytes) before = std::move(*bytes);
    }
    const uint64_t size_here = file.size;
    if (now != nullptr) file.size = now->size();
    describe(file, before, size_here, now == nullptr ? std::string_view() : *now);
    return file;
  }

 private:
  void describe(FileDiff& file, std::string_view before, uint64_t size_here, std::string_view now) {
    if (size_here > kMaxComparedBytes || !is_text(before) || !is_text(now)) {
      file.note = "not text, or larger than " + std::to_string(kMaxComparedBytes) +
                  " bytes: " + std::to_string(size_here) + " bytes here, " +
                  std::to_string(now.size()) + " in the source";
      return;
    }
    if (used_ >= kMaxDiffBytes) {
      file.note = "not shown: the differences are too large together; ask for this file alone";
      return;
    }
    TextDiff diff = diff_text(before, now);
    used_ += diff.text.size();
    if (!diff.complete) file.note = "the difference is too large to be shown line by line";
    file.diff = std::move(diff.text);
    if (!file.diff.empty() || !file.note.empty()) return;
    if (before != now) {
      file.note = "only the last line break differs";
    } else {
      file.note = before.empty() ? "the file is empty" : "only its executable bit differs";
    }
  }

  const FolderWriter& root_;
  size_t used_ = 0;
};

}  // namespace

std::vector<FileDiff> files_of(const FolderWriter& root, const Plan& plan, const Bundle& bundle,
                               const std::optional<std::string>& path) {
  struct Row {
    std::string change;
    const std::string* now = nullptr;
  };
  std::map<std::string, Row> rows;
  for (const Change& change : plan.changes) {
    const bool added = change.was == kAbsent || change.was == kFolderState;
    rows[*plan.inside(change.path)] = {
        .change = change.bytes == nullptr ? "removed" : (added ? "added" : "changed"),
        .now = change.bytes};
  }
  for (const std::string& kept : plan.report.conflicts) {
    const auto file = std::ranges::find(bundle.files, kept, &BundleFile::path);
    rows[kept] = {.change = "kept", .now = file == bundle.files.end() ? nullptr : &file->bytes};
  }
  rows.erase(std::string(kMarkerName));
  Differ differ(root);
  std::vector<FileDiff> out;
  for (const auto& [name, row] : rows) {
    if (path.value_or(name) != name) continue;
    out.push_back(differ.compare(name, row.change, below(plan.name_space, name), row.now));
  }
  return out;
}

}  // namespace iii::sources
