// Verbs about what directory.lock records: verify, outdated, update, restore, diff, remove.
#include "base/counted.h"
#include "base/text.h"
#include "cli/ask.h"
#include "cli/interrupt.h"
#include "cli/next_step.h"
#include "cli/output.h"
#include "daemon/verbs/session.h"
#include "daemon/verbs/shapes.h"
#include "daemon/verbs/verbs.h"
#include "daemon/verbs/written.h"
#include "functions/lock.h"
#include "sources/installer_remove.h"

namespace iii::daemon {

namespace {

using sources::FileState;

}  // namespace

int run_verify(const cli::Args& args) {
  const auto begun = Session::begin(args);
  if (!begun) return cli::complain(begun.error());
  Session& session = **begun;
  const auto verified = session.downloads().verify(session.name());
  if (!verified) return session.complain(verified.error());
  bool ok = true;
  for (const sources::VerifiedNamespace& one : *verified) {
    for (const sources::VerifiedFile& file : one.files) {
      ok = ok && (file.state == FileState::kIntact || file.state == FileState::kExtra);
    }
  }
  if (args.has("json")) {
    cli::print_json(directory::verify_json(*verified));
    return ok ? 0 : 1;
  }
  for (const sources::VerifiedNamespace& one : *verified) {
    size_t intact = 0;
    for (const sources::VerifiedFile& file : one.files) intact += file.state == FileState::kIntact;
    cli::print("{} {}: {} intact\n", one.name_space, one.locked.resolved, intact);
    for (const sources::VerifiedFile& file : one.files) {
      if (file.state == FileState::kIntact) continue;
      const std::string_view state = file.state == FileState::kEdited    ? "edited"
                                     : file.state == FileState::kMissing ? "missing"
                                     : file.state == FileState::kMode    ? "mode"
                                                                         : "extra";
      cli::print("  {:7} {}\n", state, file.path);
    }
  }
  if (verified->empty()) cli::print_text("directory.lock is empty\n");
  return ok ? 0 : 1;
}

int run_outdated(const cli::Args& args) {
  const auto begun = Session::begin(args);
  if (!begun) return cli::complain(begun.error());
  Session& session = **begun;
  const auto rows = session.downloads().outdated(session.name(), session.job(""));
  if (!rows) return session.complain(rows.error());
  bool differs = false;
  for (const sources::OutdatedRow& row : *rows) differs = differs || row.outdated || row.error;
  if (args.has("json")) {
    cli::print_json(directory::outdated_json(*rows));
    return differs ? 1 : 0;
  }
  if (rows->empty()) cli::print_text("directory.lock is empty: nothing is installed\n");
  for (const sources::OutdatedRow& row : *rows) {
    const std::string note = row.error       ? cli::as_commands(row.error->message)
                             : row.pinned    ? "pinned"
                             : !row.outdated ? "up to date"
                             : !row.kept.empty() && row.latest == row.current ? "up to date"
                             : is_local(row.source)                           ? "changed"
                             : row.latest.empty()                             ? "unknown upstream"
                                                                              : "-> " + row.latest;
    cli::print("{} {} {}{}\n", row.name_space, row.current, note,
               row.kept.empty() ? "" : ", except files that were kept:");
    for (const std::string& path : row.kept) {
      cli::print("  kept    {} (edited here, older than {}; update --force replaces it)\n", path,
                 row.current);
    }
  }
  return differs ? 1 : 0;
}

int run_update(const cli::Args& args) {
  const auto begun = Session::begin(args);
  if (!begun) return cli::complain(begun.error());
  Session& session = **begun;
  return session.print_outcomes(
      session.downloads().update(session.name(), args.has("force"), session.job("update")), true);
}

int run_restore(const cli::Args& args) {
  const auto begun = Session::begin(args);
  if (!begun) return cli::complain(begun.error());
  Session& session = **begun;
  if (!session.downloads().has_lock_file()) {
    return cli::complain(
        {"D310",
         "D310 not_found: there is no directory.lock in the skills folder, so there "
         "is nothing to install from. Next: name a source, for example "
         "`iii-directory add WORKER`."});
  }
  return session.print_outcomes(
      session.downloads().restore(session.name(), args.has("force"), session.job("restore")));
}

int run_diff(const cli::Args& args) {
  const auto begun = Session::begin(args);
  if (!begun) return cli::complain(begun.error());
  Session& session = **begun;
  auto diff = session.downloads().diff(*session.name(), args.value("file"), session.job(""));
  if (!diff) return session.complain(diff.error());
  const bool differs = !diff->files.empty();
  if (args.has("json")) {
    cli::print_json(directory::diff_json(std::move(*diff)));
    return differs ? 1 : 0;
  }
  for (const sources::FileDiff& file : diff->files) {
    const bool added = file.kind == sources::FileDiff::Kind::kAdded;
    const bool removed = file.kind == sources::FileDiff::Kind::kRemoved;
    cli::print("--- {}\n+++ {}\n", added ? "/dev/null" : "here/" + file.path,
               removed ? "/dev/null" : "source/" + file.path);
    if (!file.note.empty()) cli::print("({})\n", file.note);
    cli::print_text(file.text);
  }
  if (!differs) cli::print("{}: no differences\n", diff->name_space);
  return differs ? 1 : 0;
}

namespace {

// What would go, and whether it may.
bool confirm_removal(const Session& session, const sources::RemoveReport& report) {
  cli::note("{}: {} will be removed", report.name_space, counted(report.removed.size(), "file"));
  cli::note_text(report.kept.empty() ? "\n" : "; edited or added here, and kept:\n");
  for (const std::string& path : report.kept) cli::note("  {}\n", path);
  if (session.args().has("yes")) return true;
  return cli::can_ask() && cli::ask("Remove?");
}

}  // namespace

int run_remove(const cli::Args& args) {
  const auto begun = Session::begin(args);
  if (!begun) return cli::complain(begun.error());
  Session& session = **begun;
  const std::filesystem::path& folder = session.downloads().options().skills_folder;
  const bool force = args.has("force");
  RemoveShape shape;
  for (const std::string& name : args.positionals()) {
    const auto planned = sources::plan_removal(folder, name, force);
    if (!planned) return session.complain(planned.error());
    if (!args.has("yes") && !cli::can_ask()) {
      return cli::complain(
          {"usage", "nobody can be asked here whether to remove " + name + ". Next: pass --yes."});
    }
    if (!confirm_removal(session, *planned)) {
      if (cli::was_interrupted()) return session.complain({"interrupted", ""});
      cli::note_text("Nothing was removed.\n");
      return 1;
    }
    auto removed = sources::remove_namespace(folder, name, force, session.job(name));
    if (!removed) return session.complain(removed.error());
    shape.namespaces.push_back(
        {removed->name_space, std::move(removed->removed), std::move(removed->kept)});
    if (args.has("json")) continue;
    const RemovedShape& done = shape.namespaces.back();
    cli::print("{}: {} removed\n", name, counted(done.removed.size(), "file"));
  }
  if (args.has("json")) cli::print_json(pretty_json(shape));
  std::vector<std::string> gone;
  for (const RemovedShape& each : shape.namespaces) {
    if (each.kept.empty()) gone.push_back(each.name_space);
  }
  say_written(args, folder, gone, true);
  return 0;
}

}  // namespace iii::daemon
