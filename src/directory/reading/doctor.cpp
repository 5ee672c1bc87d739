#include "directory/reading/doctor.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "directory/content/findings.h"
#include "directory/content/ids.h"
#include "directory/content/parse.h"
#include "directory/library/library.h"
#include "directory/reading/finding_details.h"
#include "directory/reading/installed.h"
#include "directory/reading/lock_findings.h"
#include "directory/reading/risks.h"
#include "directory/reading/skill_links.h"
#include "directory/reading/skill_types.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/counted.h"
#include "foundation/base/utf8.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct DoctorInput {
  std::optional<std::string> code;
  std::optional<std::string> severity;
  std::optional<std::string> prefix;
  std::optional<uint64_t> limit;
  std::optional<std::string> cursor;
  std::optional<bool> risks;
  std::optional<bool> details;
};

auto describe(json::Type<DoctorInput>) {
  using T = DoctorInput;
  return json::object<T>(
      "DoctorInput", "",
      json::field("code", &T::code, "Only findings of this kind, as `summary` names them."),
      json::field(
          "severity", &T::severity,
          "Only findings of this severity: `error` (a document is not served), `warning` or "
          "`info`."),
      json::field("prefix", &T::prefix,
                  "Only findings about files whose path, or whose id, starts with this text, for "
                  "example a namespace. The summary is about these files, too."),
      json::field("limit", &T::limit,
                  "Most findings to return, from 1 to 10000. Default 100. The summary is complete "
                  "all the same."),
      json::field("cursor", &T::cursor,
                  "`next_cursor` of the previous answer, with the same filters. First page when "
                  "absent. When files change between two pages, a finding may be missed or come "
                  "twice."),
      json::field("risks", &T::risks,
                  "true also reads every document and every other file of a skill and reports what "
                  "a reader should look at, with codes that begin with `risk_`. Default false.")
          .null_default(),
      json::field(
          "details", &T::details,
          "true adds to each finding its `key`, the lines around it, the patch as lines and "
          "the digest of the file, for people and for directory::doctor::apply. At most "
          "1000 findings then. Default false.")
          .null_default());
}

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

inline auto describe(json::Type<DoctorFix>) {
  using T = DoctorFix;
  return json::object<T>(
      "DoctorFix", "", json::field("offset", &T::offset, "First byte to replace, counted from 0."),
      json::field("length", &T::length, "Number of bytes to replace."),
      json::field("text", &T::text, "Text to put there."));
}
inline auto describe(json::Type<DoctorFinding>) {
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
inline auto describe(json::Type<DoctorKind>) {
  using T = DoctorKind;
  return json::object<T>(
      "DoctorKind", "", json::field("code", &T::code, "Kind of finding; stable."),
      json::field("severity", &T::severity, "`error` (not served), `warning` or `info`."),
      json::field("count", &T::count, "How many findings of this kind there are."),
      json::field("fixable", &T::fixable, "How many of them have a ready patch."),
      json::field("example", &T::example, "Place of one of them: folder, `:`, path."),
      json::field("message", &T::message, "What is wrong there."));
}
inline auto describe(json::Type<DoctorReport>) {
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
      json::field("truncated", &T::truncated, "There are more findings after these."));
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

// Files on disk; what is compiled in or registered is not counted.
void fill_counts(DoctorReport& out, const View& view) {
  const std::vector<Counts> counts = view.counts();
  for (size_t i = 0; i < counts.size(); ++i) {
    out.hidden += counts[i].hidden;
    const content::RootKind kind = view.generation().roots[i].kind;
    if (kind == content::RootKind::kBuiltin || kind == content::RootKind::kRegistered) continue;
    out.files += counts[i].files();
    out.skills += counts[i].served();
    out.prompts += counts[i].prompts;
    out.supporting += counts[i].supporting;
    out.skipped += counts[i].unserved;
  }
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
  fill_counts(out, view);
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

// What a caller asked for, or why it cannot be had.
static Result<DoctorQuery> query_of(const DoctorInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::doctor"));
  if (auto known = check_severity(in.severity); !known) return std::unexpected(known.error());
  DoctorQuery out{.code = in.code, .severity = in.severity, .prefix = in.prefix};
  out.limit = static_cast<size_t>(std::min<uint64_t>(
      in.limit.value_or(kFindingsPage), in.details.value_or(false) ? kMaxDetailed : kMaxFindings));
  if (!in.cursor) return out;
  const char* end = in.cursor->data() + in.cursor->size();
  const auto [stop, error] = std::from_chars(in.cursor->data(), end, out.skip);
  if (error != std::errc() || stop != end) return std::unexpected(unknown_cursor(*in.cursor));
  return out;
}

static void append(std::vector<DoctorFinding>& out, std::vector<DoctorFinding> more) {
  std::ranges::move(more, std::back_inserter(out));
}

static task::Task<Result<json::Raw>> examine_now(Library& library, Installed* installed,
                                                 SkillLinks* links, MoreFindings others,
                                                 DoctorInput in) {
  const Result<DoctorQuery> query = query_of(in);
  if (!query) co_return std::unexpected(query.error());
  const View view = co_await library.current();
  std::vector<DoctorFinding> more;
  if (others) {
    auto list = [view, others = std::move(others)] { return others(view); };
    more = installed != nullptr ? co_await installed->network().run(std::move(list))
                                : co_await library.on_answer_thread(std::move(list));
  }
  if (installed != nullptr) {
    auto look = [downloads = installed->downloads()] { return lock_findings(*downloads); };
    append(more, co_await installed->network().run(std::move(look)));
  }
  if (links != nullptr) append(more, co_await links->broken(view));
  if (installed != nullptr && in.risks.value_or(false)) {
    // Not on the content thread: reading every file would keep all others waiting for it.
    auto scan = [snapshot = view.shared_snapshot(), downloads = installed->downloads()] {
      return scan_folders(*snapshot->folders->content, *snapshot->files,
                          *downloads->lock().value_or(std::make_shared<const sources::Lock>()), {});
    };
    append(more, co_await installed->network().run(std::move(scan)));
  }
  auto make = [view, query = *query, details = in.details.value_or(false),
               more = std::move(more)]() mutable {
    DoctorReport report = examine(view, query, std::move(more));
    if (details) {
      add_details(*view.snapshot().folders->content, view.generation(), report.findings);
    }
    return bounded(json::encode(report), "directory::doctor with a lower `limit`");
  };
  co_return co_await library.on_answer_thread(std::move(make));
}

std::string report_json(const DoctorReport& report) { return json::encode(report); }

Result<DoctorReport> report_of(std::string_view json) { return json::decode<DoctorReport>(json); }

DoctorFinding doctor_finding(const content::Generation& generation,
                             const content::Finding& finding) {
  DoctorFinding out{.root = generation.roots[finding.file.root].label,
                    .path = finding.file.path,
                    .severity = severity_word(finding.severity),
                    .code = finding.code,
                    .line = finding.line,
                    .column = finding.column,
                    .message = finding.message,
                    .served_as = {},
                    .fix = {}};
  if (finding.served_as) out.served_as = content::display_id(generation, *finding.served_as);
  if (finding.fix) out.fix = DoctorFix{finding.fix->offset, finding.fix->length, finding.fix->text};
  return out;
}

std::string finding_json(const DoctorFinding& finding) { return json::encode(finding); }

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

void add_doctor(FunctionTable& table, Library& library, Installed* installed, SkillLinks* links,
                const MoreFindings& more) {
  table.add<DoctorInput, DoctorReport>({.id = "directory::doctor",
                                        .title = "Examine the skill folders",
                                        .description = about::kDoctor,
                                        .hints = kReadOnly},
                                       [&library, installed, links, more](DoctorInput in) {
                                         return examine_now(library, installed, links, more,
                                                            std::move(in));
                                       });
}

}  // namespace iii::directory
