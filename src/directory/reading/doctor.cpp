#include "directory/reading/doctor.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <iterator>
#include <utility>

#include "directory/library/library.h"
#include "directory/reading/finding_details.h"
#include "directory/reading/installed.h"
#include "directory/reading/skill_links.h"
#include "directory/sources/lock_file.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/files.h"

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

// What a caller asked for, or why it cannot be had.
Result<DoctorQuery> query_of(const DoctorInput& in) {
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

std::optional<std::string> problem_of(const std::filesystem::path& folder) {
  const Result<FileStatus> status = path_status(folder);
  if (!status && status.error().code == "missing") return "does not exist";
  if (status && status->kind != EntryKind::kDirectory) return "is not a folder";
  const bool readable =
      status && ::faccessat(AT_FDCWD, folder.c_str(), R_OK | X_OK, AT_EACCESS) == 0;
  return readable ? std::nullopt : std::optional<std::string>("cannot be read");
}

// Looks at the folders.
void add_places(std::vector<DoctorRoot>& roots, const std::vector<RootPlace>& places,
                bool watching) {
  for (size_t i = 0; i < roots.size() && i < places.size(); ++i) {
    roots[i].folder = places[i].name;
    if (roots[i].on_disk) roots[i].problem = problem_of(places[i].path);
    roots[i].watching = watching || !roots[i].on_disk;
  }
}

// What is to say about directory.lock.
std::vector<DoctorFinding> lock_findings(const sources::Downloads& downloads) {
  std::vector<DoctorFinding> out;
  const auto add = [&out](std::string path, const char* severity, const char* code,
                          std::string message) {
    out.push_back({.root = "global",
                   .path = std::move(path),
                   .severity = severity,
                   .code = code,
                   .message = std::move(message)});
  };
  const Result<sources::LockPtr> lock = downloads.lock();
  if (!lock) {
    add(std::string(sources::kLockFileName), "error", "lock_unreadable", lock.error().message);
    return out;
  }
  for (const auto& [name, locked] : (*lock)->namespaces) {
    if (downloads.has(name)) continue;
    add(name, "warning", "namespace_missing",
        "directory.lock names this namespace (" + locked.resolved +
            "), but its folder does not exist; `iii-directory install` or directory::lock::restore "
            "brings it back");
  }
  return out;
}

// On the loop thread; what the host refers to outlives it.
class Examiner {
 public:
  explicit Examiner(DoctorHost host) : host_(std::move(host)) {}

  task::Task<Result<json::Raw>> answer(Context context, DoctorInput in) {
    const Result<DoctorQuery> query = query_of(in);
    if (!query) co_return std::unexpected(query.error());
    const View view = co_await host_.library.current();
    std::vector<DoctorFinding> more = co_await findings_of_others(view, context, in);
    std::vector<RootPlace> places;
    if (host_.places) places = host_.places(view.generation());
    auto make = [view, query = *query, details = in.details.value_or(false),
                 places = std::move(places), watching = host_.library.status().watching,
                 more = std::move(more)]() mutable {
      DoctorReport report = examine(view, query, std::move(more));
      add_places(report.roots, places, watching);
      if (details) {
        add_details(*view.snapshot().folders->content, view.generation(), report.findings);
      }
      return bounded(json::encode(report), "directory::doctor with a lower `limit`");
    };
    co_return co_await host_.library.on_answer_thread(std::move(make));
  }

 private:
  static ScanProgress told_as(const Context& context, const char* step) {
    if (!context.progress) return {};
    return [tell = context.progress, step](uint64_t done, uint64_t total) {
      tell({.step = step, .done = done, .total = total});
    };
  }

  // What other rooms say, what directory.lock says, and risks when they are asked for. Not on the
  // content thread: reading every file would keep all others waiting for it.
  task::Task<std::vector<DoctorFinding>> findings_of_others(View view, Context context,
                                                            DoctorInput in) {
    auto look = [view, more = host_.more, examining = told_as(context, "examine"),
                 downloads = host_.installed != nullptr ? host_.installed->downloads() : nullptr,
                 time = host_.scan_time, scanning = told_as(context, "scan"),
                 risks = in.risks.value_or(false)] {
      std::vector<DoctorFinding> out;
      const auto append = [&out](std::vector<DoctorFinding> list) {
        std::ranges::move(list, std::back_inserter(out));
      };
      if (more) append(more(view, examining));
      if (downloads == nullptr) return out;
      append(lock_findings(*downloads));
      if (!risks) return out;
      append(scan_folders(*view.snapshot().folders->content, *view.snapshot().files,
                          *downloads->lock().value_or(std::make_shared<const sources::Lock>()),
                          time, scanning));
      return out;
    };
    std::vector<DoctorFinding> out = host_.installed != nullptr
                                         ? co_await host_.installed->network().run(std::move(look))
                                         : co_await host_.library.on_answer_thread(std::move(look));
    if (host_.links == nullptr) co_return out;
    std::ranges::move(co_await host_.links->broken(view), std::back_inserter(out));
    co_return out;
  }

  const DoctorHost host_;
};

}  // namespace

void add_doctor(FunctionTable& table, DoctorHost host) {
  const auto examiner = std::make_shared<Examiner>(std::move(host));
  table.add<DoctorInput, DoctorReport>({.id = "directory::doctor",
                                        .title = "Examine the skill folders",
                                        .description = about::kDoctor,
                                        .hints = kReadOnly},
                                       [examiner](const Context& context, DoctorInput in) {
                                         return examiner->answer(context, std::move(in));
                                       });
}

}  // namespace iii::directory
