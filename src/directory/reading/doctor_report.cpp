#include "directory/reading/doctor_report.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "directory/content/findings.h"
#include "directory/reading/skill_types.h"
#include "directory/table/errors.h"
#include "foundation/base/counted.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

std::string severity_word(content::Severity severity) {
  switch (severity) {
    case content::Severity::kInfo:
      return "info";
    case content::Severity::kWarning:
      return "warning";
    case content::Severity::kError:
      return "error";
  }
  return "warning";
}

}  // namespace

static auto describe(json::Type<DoctorFix>) {
  using T = DoctorFix;
  return json::object<T>(
      "DoctorFix", "", json::field("offset", &T::offset, "First byte to replace, counted from 0."),
      json::field("length", &T::length, "Number of bytes to replace."),
      json::field("text", &T::text, "Text to put there."));
}
json::ObjectDescription describe(json::Type<DoctorFinding>) {
  using T = DoctorFinding;
  return json::object<T>(
      "DoctorFinding", "",
      json::field("root", &T::root,
                  "Folder: `local`, `global`, `extra-N`, `builtin` or `registered`."),
      json::field("path", &T::path, "Path below the root; for a registration, its id."),
      json::field("severity", &T::severity,
                  "`error` (the document is not served or cannot be read), `warning` or `info`."),
      json::field("code", &T::code, "Kind of finding; stable."),
      json::field("line", &T::line, "Line in the file, from 1; absent for whole files."),
      json::field("column", &T::column, "Column in that line, from 1."),
      json::field("message", &T::message, "What is wrong."),
      json::field("served_as", &T::served_as,
                  "Id or name under which the file is served nevertheless."),
      json::field("fix", &T::fix,
                  "Replacement of bytes that repairs it; absent when no repair is safe."),
      json::field("key", &T::key, "Names the finding: `code:root:path:line`. With `details`."),
      json::field("excerpt", &T::excerpt,
                  "Lines around it, each as [number, text]. With `details`."),
      json::field("patch", &T::patch,
                  "What the repair does, line by line, each as [mark, text]; the mark is ` `, `-` "
                  "or `+`. With `details`."),
      json::field("digest", &T::digest,
                  "SHA-256 of the file that excerpt and patch belong to. With `details`."));
}
static auto describe(json::Type<DoctorKind>) {
  using T = DoctorKind;
  return json::object<T>(
      "DoctorKind", "", json::field("code", &T::code, "Kind of finding; stable."),
      json::field("severity", &T::severity, "`error` (not served), `warning` or `info`."),
      json::field("count", &T::count, "How many findings of this kind there are."),
      json::field("fixable", &T::fixable, "How many of them have a ready patch."),
      json::field("example", &T::example, "Place of one of them: folder, `:`, path."),
      json::field("message", &T::message, "What is wrong there."));
}
static auto describe(json::Type<DoctorRoot>) {
  using T = DoctorRoot;
  return json::object<T>(
      "DoctorRoot", "", json::field("root", &T::root, "Label of the folder."),
      json::field("folder", &T::folder, "The folder as people write it."),
      json::field("on_disk", &T::on_disk,
                  "false: compiled in, or registered; not in the sums of this answer."),
      json::field("problem", &T::problem,
                  "Why nothing can be read from it: `does not exist`, `is not a folder` or `cannot "
                  "be read`; absent when it can."),
      json::field("files", &T::files, "The sum of the next four."),
      json::field("skills", &T::skills, "Served as skills."),
      json::field("prompts", &T::prompts, "Served as prompts."),
      json::field("supporting", &T::supporting, "Not documents, such as scripts and images."),
      json::field("skipped", &T::skipped, "Documents that are not served."),
      json::field("hidden", &T::hidden,
                  "Of the skills: their worker is not installed, so the filter hides them."),
      json::field("unreadable", &T::unreadable,
                  "Of the skills: lists keep them, but their files cannot be read."),
      json::field("watching", &T::watching,
                  "false: changes are found by comparing stamps at every call."),
      json::field("reasons", &T::reasons,
                  "Why documents are not served: pairs of a code and a count, the most frequent "
                  "first."));
}
json::ObjectDescription describe(json::Type<DoctorReport>) {
  using T = DoctorReport;
  return json::object<T>(
      "DoctorReport", "",
      json::field("files", &T::files, "Files in all folders: the sum of the next four."),
      json::field("skills", &T::skills, "Files served as skills."),
      json::field("prompts", &T::prompts, "Files served as prompts."),
      json::field("supporting", &T::supporting,
                  "Files that are not documents, such as scripts and images."),
      json::field("skipped", &T::skipped, "Documents that are not served; each has a finding."),
      json::field("hidden", &T::hidden,
                  "Skills that `filter_unregistered` hides, because their worker is not installed; "
                  "each namespace has a finding."),
      json::field("summary", &T::summary,
                  "All findings by kind, errors first, then the most frequent."),
      json::field("matching", &T::matching,
                  "How many findings `code`, `severity` and `prefix` select."),
      json::field("findings", &T::findings,
                  "What was noticed about files: those that are selected, one page of them."),
      json::field("next_cursor", &T::next_cursor, kNextCursorHelp),
      json::field("truncated", &T::truncated, "There are more findings after these."),
      json::field("roots", &T::roots, "The folders, in order of precedence.").optional(),
      json::field("generation", &T::generation, "The state of the folders that this answer shows.")
          .optional());
}

namespace {

// Counts findings by kind and keeps those that a query selects.
class Selection {
 public:
  Selection(const DoctorQuery& query, DoctorReport& report) : query_(query), report_(report) {}

  void add(const content::Generation& generation, const content::Finding& finding) {
    count(generation.roots[finding.file.root].label, finding.file.path,
          finding.served_as ? std::string_view(*finding.served_as) : std::string_view(),
          severity_word(finding.severity), finding.code, finding.message, finding.fix.has_value(),
          [&] { return doctor_finding(generation, finding); });
  }
  void add(DoctorFinding finding) {
    count(finding.root, finding.path, finding.served_as.value_or(""), finding.severity,
          finding.code, finding.message, finding.fix.has_value(),
          [&] { return std::move(finding); });
  }
  void finish() {
    for (auto& [key, kind] : kinds_) report_.summary.push_back(std::move(kind));
    const auto rank = [](const DoctorKind& kind) {
      return kind.severity == "error" ? 0 : kind.severity == "warning" ? 1 : 2;
    };
    std::ranges::sort(report_.summary, [&rank](const DoctorKind& a, const DoctorKind& b) {
      return std::tuple(rank(a), b.count, a.code) < std::tuple(rank(b), a.count, b.code);
    });
    if (report_.truncated) {
      report_.next_cursor = std::to_string(query_.skip + report_.findings.size());
    }
  }

 private:
  // `make` gives the whole finding; it is asked only for those that are shown.
  template <typename Make>
  void count(std::string_view root, std::string_view path, std::string_view served_as,
             std::string_view severity, std::string_view code, std::string_view message,
             bool fixable, const Make& make) {
    const bool here =
        !query_.prefix || path.starts_with(*query_.prefix) || served_as.starts_with(*query_.prefix);
    if (!here) return;
    const std::pair<std::string, std::string> key(code, severity);
    const auto [kind, is_new] = kinds_.try_emplace(key);
    if (is_new) {
      kind->second.code = code;
      kind->second.severity = severity;
      kind->second.example = std::string(root) + ":" + std::string(path);
      kind->second.message = message;
    }
    ++kind->second.count;
    kind->second.fixable += fixable ? 1 : 0;
    if (query_.code && *query_.code != code) return;
    if (query_.severity && *query_.severity != severity) return;
    ++report_.matching;
    if (report_.matching <= query_.skip) return;
    report_.truncated |= report_.findings.size() >= query_.limit;
    if (!report_.truncated) report_.findings.push_back(make());
  }

  const DoctorQuery& query_;
  DoctorReport& report_;
  std::map<std::pair<std::string, std::string>, DoctorKind> kinds_;
};

std::vector<std::vector<json::Value>> by_frequency(const std::map<std::string, uint64_t>& counts) {
  std::vector<std::pair<std::string, uint64_t>> rows(counts.begin(), counts.end());
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  std::vector<std::vector<json::Value>> out;
  for (const auto& [code, count] : rows) out.push_back({json::Value(code), json::Value(count)});
  return out;
}

FileNumbers numbers_of(const Counts& counts) {
  return {.files = counts.files(),
          .skills = counts.documents(),
          .prompts = counts.prompts,
          .supporting = counts.supporting,
          .skipped = counts.unserved,
          .hidden = counts.hidden};
}

void count_roots(DoctorReport& out, const View& view) {
  const std::vector<Counts> counts = view.counts();
  const auto& roots = view.generation().roots;
  for (size_t i = 0; i < counts.size(); ++i) {
    DoctorRoot& root = out.roots.emplace_back();
    static_cast<FileNumbers&>(root) = numbers_of(counts[i]);
    root.root = roots[i].label;
    root.on_disk = is_on_disk(roots[i].kind);
  }
  std::vector<std::map<std::string, uint64_t>> reasons(roots.size());
  const DocumentTablePtr table = view.table();
  for (const DocumentRow& row : table->rows()) {
    if (row.skill != nullptr) {
      out.roots[row.root].unreadable += row.state == DocumentState::kMissing ? 1 : 0;
    } else if (row.unserved->kind != "folder") {
      ++reasons[row.root][row.unserved->reason().code];
    }
  }
  for (size_t i = 0; i < reasons.size(); ++i) out.roots[i].reasons = by_frequency(reasons[i]);
}

DoctorFinding hidden_finding(const std::string& name, const std::string& root, uint64_t skills) {
  DoctorFinding out;
  out.root = root;
  out.path = name + "/";
  out.severity = severity_word(content::Severity::kWarning);
  out.code = content::findings::kHiddenByFilter;
  out.message =
      std::to_string(skills) + (skills == 1 ? " skill is" : " skills are") +
      " hidden: `filter_unregistered` is on, and worker::list does not name the worker `" + name +
      "`. Install it, or set `filter_unregistered: false` to show " +
      (skills == 1 ? "it." : "them.");
  return out;
}

// One finding for each namespace that the filter hides.
void add_hidden(Selection& selection, const View& view) {
  if (view.installed() == nullptr) return;
  struct Hidden {
    uint16_t root = 0;
    uint64_t skills = 0;
  };
  std::map<std::string, Hidden, std::less<>> hidden;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (view.shows(skill->id)) continue;
    Hidden& found = hidden[skill->id.substr(0, skill->id.find('/'))];
    if (found.skills++ == 0) found.root = skill->file.root;
  }
  for (const auto& [name, found] : hidden) {
    selection.add(hidden_finding(name, view.generation().roots[found.root].label, found.skills));
  }
}

}  // namespace

DoctorReport examine(const View& view, const DoctorQuery& query, std::vector<DoctorFinding> more) {
  DoctorReport out;
  static_cast<FileNumbers&>(out) = numbers_of(view.total_on_disk());
  out.hidden = view.total().hidden;
  out.generation = view.generation().number;
  count_roots(out, view);
  Selection selection(query, out);
  for (const content::FindingsPtr& list : view.generation().findings) {
    for (const content::Finding& finding : *list) selection.add(view.generation(), finding);
  }
  add_hidden(selection, view);
  for (DoctorFinding& each : more) selection.add(std::move(each));
  selection.finish();
  return out;
}

bool has_errors(const DoctorReport& report) {
  return std::ranges::any_of(report.summary,
                             [](const DoctorKind& kind) { return kind.severity == "error"; });
}

Result<void> check_severity(const std::optional<std::string>& severity) {
  if (!severity || *severity == "error" || *severity == "warning" || *severity == "info") return {};
  return std::unexpected(unknown_severity(*severity));
}

DoctorFinding doctor_finding(const content::Generation& generation,
                             const content::Finding& finding) {
  DoctorFinding out{.root = generation.roots[finding.file.root].label,
                    .path = finding.file.path,
                    .severity = severity_word(finding.severity),
                    .code = finding.code,
                    .line = finding.line,
                    .column = finding.column,
                    .message = finding.message};
  if (finding.served_as) out.served_as = content::display_id(generation, *finding.served_as);
  if (finding.fix) out.fix = DoctorFix{finding.fix->offset, finding.fix->length, finding.fix->text};
  return out;
}

std::string report_text(const DoctorReport& report, const FindingPlace& place) {
  std::string out;
  // Each kind and each finding is one line, whatever a file is called and whatever it says.
  const auto add = [&out](const std::string& line) { out += printable(line) + "\n"; };
  for (const DoctorKind& kind : report.summary) {
    std::string line = kind.severity + "  " + kind.code + ": " + counted(kind.count, "finding");
    if (kind.fixable > 0) line += ", " + std::to_string(kind.fixable) + " fixable";
    const size_t colon = std::min(kind.example.find(':'), kind.example.size() - 1);
    add(line + ", for example " +
        place(kind.example.substr(0, colon), kind.example.substr(colon + 1)));
  }
  if (!report.summary.empty() && !report.findings.empty()) out += '\n';
  for (const DoctorFinding& f : report.findings) {
    std::string line = f.severity + "  " + place(f.root, f.path);
    if (f.line) line += ":" + std::to_string(*f.line);
    if (f.line && f.column) line += ":" + std::to_string(*f.column);
    line += "  " + f.message + " [" + f.code + "]";
    // Who asks for what cannot be read gets an error, although the lists have it.
    const bool readable = f.severity != "error";
    if (f.served_as) line += (readable ? " (served as " : " (listed as ") + *f.served_as + ")";
    add(line + (f.fix ? " (fixable)" : ""));
  }
  add(counted(report.files, "file") + ": " + counted(report.skills, "skill") + ", " +
      counted(report.prompts, "prompt") + ", " + counted(report.supporting, "supporting file") +
      ", " + std::to_string(report.skipped) + " skipped");
  return out;
}

}  // namespace iii::directory
