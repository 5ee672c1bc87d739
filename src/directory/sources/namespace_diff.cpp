#include "directory/sources/namespace_diff.h"

#include <algorithm>
#include <map>

#include "directory/sources/installer_plan.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

using Lines = std::vector<std::string_view>;

// Without the line breaks; the last line may have none.
Lines lines_of(std::string_view text, size_t max_lines, bool& complete) {
  Lines lines;
  while (!text.empty()) {
    if (lines.size() == max_lines) {
      complete = false;
      break;
    }
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Edit {
  char sign;  // ' ', '-', '+'
  std::string_view line;
};

// The shortest list of edits, or nothing when there are more than `max_edits`.
class Myers {
 public:
  Myers(const Lines& before, const Lines& after, size_t max_edits)
      : a_(before),
        b_(after),
        most_(static_cast<int>(std::min(max_edits, a_.size() + b_.size()))) {}

  bool find() {
    std::vector<int> furthest(2 * static_cast<size_t>(most_) + 3, 0);
    const int offset = most_ + 1;
    for (int d = 0; d <= most_; ++d) {
      trace_.emplace_back(furthest.begin() + offset - d - 1, furthest.begin() + offset + d + 2);
      for (int k = -d; k <= d; k += 2) {
        const auto at = furthest.begin() + offset + k;
        const bool down = k == -d || (k != d && at[-1] < at[1]);
        int x = down ? at[1] : at[-1] + 1;
        int y = x - k;
        while (x < size(a_) && y < size(b_) &&
               a_[static_cast<size_t>(x)] == b_[static_cast<size_t>(y)]) {
          ++x;
          ++y;
        }
        *at = x;
        if (x >= size(a_) && y >= size(b_)) return true;
      }
    }
    return false;
  }

  std::vector<Edit> edits() const {
    std::vector<Edit> out;
    int x = size(a_);
    int y = size(b_);
    for (int d = static_cast<int>(trace_.size()) - 1; d >= 0; --d) {
      // What was known before this round: index 0 is diagonal -d-1.
      const std::vector<int>& furthest = trace_[static_cast<size_t>(d)];
      const auto reach = [&](int k) { return furthest.begin()[k + d + 1]; };
      const int k = x - y;
      const bool down = k == -d || (k != d && reach(k - 1) < reach(k + 1));
      const int from = down ? k + 1 : k - 1;
      const int start_x = d == 0 ? 0 : reach(from);
      const int start_y = d == 0 ? 0 : start_x - from;
      const int after_x = d == 0 ? 0 : (down ? start_x : start_x + 1);
      while (x > after_x) {
        --x;
        --y;
        out.push_back({' ', a_[static_cast<size_t>(x)]});
      }
      if (d == 0) break;
      if (down) {
        out.push_back({'+', b_[static_cast<size_t>(--y)]});
      } else {
        out.push_back({'-', a_[static_cast<size_t>(--x)]});
      }
      x = start_x;
      y = start_y;
    }
    std::ranges::reverse(out);
    return out;
  }

 private:
  static int size(const Lines& lines) { return static_cast<int>(lines.size()); }

  const Lines& a_;
  const Lines& b_;
  const int most_;
  std::vector<std::vector<int>> trace_;
};

// Groups of edits with the lines around them.
class Writer {
 public:
  Writer(const std::vector<Edit>& edits, const TextDiffLimits& limits)
      : edits_(edits), limits_(limits) {}

  TextDiff write() {
    size_t before = 1;
    size_t after = 1;
    size_t at = 0;
    while (at < edits_.size()) {
      const size_t change = next_change(at);
      if (change == edits_.size()) break;
      const size_t begin = change - std::min(limits_.context, change - at);
      before += begin - at;  // unchanged lines only
      after += begin - at;
      const size_t end = end_of_hunk(change);
      if (!hunk(begin, end, before, after)) break;
      at = end;
    }
    return std::move(out_);
  }

 private:
  size_t next_change(size_t at) const {
    while (at < edits_.size() && edits_[at].sign == ' ') ++at;
    return at;
  }

  // Changes that are closer than twice the context share a hunk.
  size_t end_of_hunk(size_t change) const {
    size_t end = change;
    for (;;) {
      while (end < edits_.size() && edits_[end].sign != ' ') ++end;
      const size_t next = next_change(end);
      if (next == edits_.size() || next - end > 2 * limits_.context) {
        return std::min(end + limits_.context, edits_.size());
      }
      end = next;
    }
  }

  bool hunk(size_t begin, size_t end, size_t& before, size_t& after) {
    size_t removed = 0;
    size_t added = 0;
    std::string text;
    for (size_t i = begin; i < end; ++i) {
      removed += edits_[i].sign != '+';
      added += edits_[i].sign != '-';
      text += edits_[i].sign;
      text += edits_[i].line;
      text += '\n';
    }
    const auto range = [](size_t start, size_t count) {
      return std::to_string(count == 0 ? start - 1 : start) + "," + std::to_string(count);
    };
    const std::string head = "@@ -" + range(before, removed) + " +" + range(after, added) + " @@\n";
    before += removed;
    after += added;
    if (out_.text.size() + head.size() + text.size() > limits_.max_bytes) {
      out_.complete = false;
      return false;
    }
    out_.text += head + text;
    return true;
  }

  const std::vector<Edit>& edits_;
  const TextDiffLimits& limits_;
  TextDiff out_;
};

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

TextDiff diff_text(std::string_view before, std::string_view after, const TextDiffLimits& limits) {
  bool complete = true;
  const Lines a = lines_of(before, limits.max_lines, complete);
  const Lines b = lines_of(after, limits.max_lines, complete);
  Myers myers(a, b, limits.max_edits);
  std::vector<Edit> edits;
  if (myers.find()) {
    edits = myers.edits();
  } else {
    for (const std::string_view line : a) edits.push_back({'-', line});
    for (const std::string_view line : b) edits.push_back({'+', line});
    complete = false;
  }
  TextDiff diff = Writer(edits, limits).write();
  diff.complete = diff.complete && complete;
  return diff;
}

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
