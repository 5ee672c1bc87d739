#include "directory/sources/namespace_diff.h"

#include <map>

#include "directory/sources/journal.h"
#include "directory/sources/text_diff.h"
#include "foundation/base/files_writer.h"
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
  Differ(const FolderWriter& root, std::string name_space)
      : root_(root), name_(std::move(name_space)) {}

  // Null: not there.
  Result<void> compare(const std::string& path, bool here, const std::string* now) {
    std::string before;
    if (here) {
      auto bytes = root_.read(below(name_, path), uint64_t{1} << 30U);
      if (!bytes && bytes.error().code != "missing") {
        return fail("D330", "D330 read_failed: " + bytes.error().message +
                                ". Next: check the skills folder.");
      }
      here = bytes.has_value();
      if (bytes) before = std::move(*bytes);
    }
    if (!here && now == nullptr) return {};
    if (here && now != nullptr && before == *now) {
      ++out_.unchanged;
      return {};
    }
    FileDiff file{.path = path,
                  .kind = !here            ? FileDiff::Kind::kAdded
                          : now == nullptr ? FileDiff::Kind::kRemoved
                                           : FileDiff::Kind::kChanged,
                  .text = {},
                  .note = {}};
    describe(file, before, now == nullptr ? std::string_view() : std::string_view(*now));
    out_.files.push_back(std::move(file));
    return {};
  }

  NamespaceDiff take() { return std::move(out_); }

 private:
  void describe(FileDiff& file, std::string_view before, std::string_view now) {
    if (!is_text(before) || !is_text(now)) {
      file.note = "not text, or larger than " + std::to_string(kMaxComparedBytes) +
                  " bytes: " + std::to_string(before.size()) + " bytes here, " +
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
    file.text = std::move(diff.text);
    if (file.text.empty() && file.note.empty()) file.note = "only the last line break differs";
  }

  const FolderWriter& root_;
  const std::string name_;
  NamespaceDiff out_;
  size_t used_ = 0;
};

}  // namespace

Result<NamespaceDiff> diff_namespace(const std::filesystem::path& skills_folder,
                                     const VerifiedNamespace& installed, const Bundle& bundle,
                                     const std::optional<std::string>& path) {
  const Result<FolderWriter> root = FolderWriter::open(skills_folder);
  if (!root)
    return fail("D330",
                "D330 read_failed: " + root.error().message + ". Next: check the skills folder.");
  // Files that somebody put beside ours are not the source's concern, unless it has them now.
  std::map<std::string, const std::string*> paths;
  for (const auto& [name, file] : installed.locked.files) paths.emplace(name, nullptr);
  for (const BundleFile& file : bundle.files) paths[file.path] = &file.bytes;
  if (path && !paths.contains(*path)) {
    return fail("D310", "D310 not_found: neither the namespace nor its source has the file \"" +
                            printable(*path) +
                            "\". Next: call directory::lock::diff without `path` to see all.");
  }
  Differ differ(*root, installed.name_space);
  for (const auto& [name, bytes] : paths) {
    if (path && *path != name) continue;
    if (auto done = differ.compare(name, true, bytes); !done) return std::unexpected(done.error());
  }
  NamespaceDiff diff = differ.take();
  diff.name_space = installed.name_space;
  diff.current = installed.locked.resolved;
  diff.latest = bundle.resolved;
  return diff;
}

}  // namespace iii::sources
