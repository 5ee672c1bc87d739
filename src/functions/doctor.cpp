#include "functions/doctor.h"

#include <map>

#include "base/counted.h"
#include "content/findings.h"
#include "content/ids.h"
#include "content/parse.h"
#include "functions/descriptions.h"
#include "functions/downloader.h"
#include "functions/lock.h"
#include "functions/risks.h"
#include "json/describe.h"

namespace iii::directory {

namespace {

struct DoctorInput {
  std::optional<bool> risks;
};

auto describe(json::Type<DoctorInput>) {
  return json::object<DoctorInput>(
      "DoctorInput", "",
      json::field("risks", &DoctorInput::risks,
                  "true also reads every document and reports what a reader should look at, with "
                  "codes that begin with `risk_`. Default false.")
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

DoctorFinding told(const content::Generation& generation, const content::Finding& finding) {
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
      json::field("severity", &T::severity, "`info`, `warning` or `error`."),
      json::field("code", &T::code, "Kind of finding; stable."),
      json::field("line", &T::line, "Line in the file, from 1; absent for whole files."),
      json::field("column", &T::column, "Column in that line, from 1."),
      json::field("message", &T::message, "What is wrong."),
      json::field("served_as", &T::served_as,
                  "Id or name under which the file is served nevertheless."),
      json::field("fix", &T::fix,
                  "Replacement of bytes that repairs it; absent when no repair is safe."));
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
      json::field("findings", &T::findings, "What was noticed about files."),
      json::field("truncated", &T::truncated, "There are more findings than shown."));
}

DoctorReport examine(const content::Generation& generation, size_t max_findings) {
  const content::Accounting& a = generation.accounting;
  DoctorReport out{.files = a.files,
                   .skills = a.skills,
                   .prompts = a.prompts,
                   .supporting = a.supporting,
                   .skipped = a.skipped,
                   .hidden = 0,
                   .findings = {}};
  for (const content::FindingsPtr& list : generation.findings) {
    for (const content::Finding& finding : *list) {
      if (out.findings.size() >= max_findings) {
        out.truncated = true;
        return out;
      }
      out.findings.push_back(told(generation, finding));
    }
  }
  return out;
}

void add_hidden(DoctorReport& report, const View& view) {
  struct Namespace {
    uint16_t root = 0;
    uint64_t skills = 0;
  };
  std::map<std::string, Namespace> hidden;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (view.shows(skill->id)) continue;
    Namespace& found = hidden[skill->id.substr(0, skill->id.find('/'))];
    if (found.skills++ == 0) found.root = skill->file.root;
    ++report.hidden;
  }
  std::vector<DoctorFinding> findings;
  for (const auto& [name, found] : hidden) {
    findings.push_back(
        {.root = view.generation().roots[found.root].label,
         .path = name + "/",
         .severity = severity_word(content::Severity::kWarning),
         .code = std::string(content::findings::kHiddenByFilter),
         .line = {},
         .column = {},
         .message =
             std::to_string(found.skills) + (found.skills == 1 ? " skill is" : " skills are") +
             " hidden: `filter_unregistered` is on, and worker::list does not name the worker `" +
             name + "`. Install it, or set `filter_unregistered: false` to show " +
             (found.skills == 1 ? "it." : "them."),
         .served_as = {},
         .fix = {}});
  }
  add_findings(report, std::move(findings));
}

static sdk::Task<DoctorReport> examine_now(Library& library, Downloader* downloader, bool risks) {
  const View view = co_await library.current();
  DoctorReport report = examine(view.generation());
  add_hidden(report, view);
  if (downloader == nullptr) co_return report;
  auto look = [downloads = downloader->downloads()] { return lock_findings(*downloads); };
  std::vector<DoctorFinding> more = co_await downloader->local().run(std::move(look));
  add_findings(report, std::move(more));
  if (!risks) co_return report;
  // Not on the content thread: reading every file would keep all others waiting for it.
  auto scan = [snapshot = library.latest(), downloads = downloader->downloads()] {
    return scan_documents(*snapshot->folders->content, *snapshot->files,
                          downloads->lock().value_or(sources::Lock{}));
  };
  std::vector<DoctorFinding> found = co_await downloader->local().run(std::move(scan));
  add_findings(report, std::move(found));
  co_return report;
}

FixOutcome apply_ready_fixes(content::Content& content) {
  FixOutcome out;
  const content::GenerationPtr generation = content.fresh();
  for (const content::FindingsPtr& list : generation->findings) {
    bool any = false;
    for (const content::Finding& finding : *list) any |= finding.fix.has_value();
    if (!any) continue;
    const content::FileRef& file = list->front().file;
    const auto now = content.read(*generation, file);
    if (!now) {
      out.failures.push_back(file.path + ": " + now.error().message);
      continue;
    }
    // Patches belong to the bytes they were made for, so they are made again for what is there now.
    const content::ParseOptions options{.prompt = content::is_prompt_path(file.path)};
    const content::ParsedDocument document = content::parse_document(now->bytes, options);
    const std::string mended = content::apply_fixes(now->bytes, document.findings);
    if (mended == now->bytes) continue;  // somebody was quicker
    const auto written = content.write(*generation, file, mended);
    if (written) {
      ++out.fixed_files;
      if (generation->roots[file.root].kind == content::RootKind::kGlobal) {
        out.in_skills_folder.push_back({.path = file.path,
                                        .before = sources::sha256_hex(now->bytes),
                                        .after = sources::sha256_hex(mended)});
      }
    } else {
      out.failures.push_back(file.path + ": " + written.error().message);
    }
  }
  return out;
}

std::string report_json(const DoctorReport& report) { return json::encode(report); }

std::string report_text(const DoctorReport& report) {
  std::string out;
  for (const DoctorFinding& f : report.findings) {
    out += f.severity + "  " + f.root + ":" + f.path;
    if (f.line) out += ":" + std::to_string(*f.line);
    if (f.line && f.column) out += ":" + std::to_string(*f.column);
    out += "  " + f.message + " [" + f.code + "]";
    if (f.served_as) out += " (served as " + *f.served_as + ")";
    if (f.fix) out += " (fixable)";
    out += '\n';
  }
  out += counted(report.files, "file") + ": " + counted(report.skills, "skill") + ", " +
         counted(report.prompts, "prompt") + ", " + counted(report.supporting, "supporting file") +
         ", " + std::to_string(report.skipped) + " skipped\n";
  return out;
}

void add_doctor(FunctionTable& table, Library& library, Downloader* downloader) {
  table.add<DoctorInput, DoctorReport>({.id = "directory::doctor",
                                        .title = "Examine the skill folders",
                                        .description = about::kDoctor,
                                        .hints = kReadOnly},
                                       [&library, downloader](const DoctorInput& in) {
                                         return examine_now(library, downloader,
                                                            in.risks.value_or(false));
                                       });
}

}  // namespace iii::directory
