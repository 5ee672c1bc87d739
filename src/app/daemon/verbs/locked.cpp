// Verbs about what directory.lock records: verify, outdated, update, restore, diff, remove.
#include "app/daemon/verbs/installing.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/shapes.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/ask.h"
#include "faces/cli/interrupt.h"
#include "faces/cli/next_step.h"
#include "faces/cli/output.h"
#include "foundation/base/counted.h"
#include "foundation/base/text.h"

namespace iii::daemon {

namespace {

// What comes from a local folder has no version.
std::string with_version(const std::string& name, const std::string& version) {
  return version.empty() ? name : name + " " + short_version(version);
}

}  // namespace

int run_verify(const cli::Args& args) {
  auto to = Installing::begin(args);
  if (!to) return cli::complain(to.error());
  const auto verified =
      to->ask<directory::VerifyOutput>("verify", "directory::lock::verify", to->fields());
  if (!verified) return to->complain(verified.error());
  if (args.has("json")) {
    cli::print_json(json::encode(*verified));
    return verified->ok ? 0 : 1;
  }
  to->say_whose();
  for (const sources::VerifiedNamespace& row : verified->namespaces) {
    cli::print("{}: {} intact\n", with_version(row.name_space, row.resolved), row.intact);
    for (const sources::VerifiedFile& file : row.files) {
      cli::print("  {:7} {}\n", sources::word_of(file.state), file.path);
    }
  }
  if (verified->namespaces.empty()) cli::print_text("directory.lock is empty\n");
  return verified->ok ? 0 : 1;
}

namespace {

std::string note_of(const sources::OutdatedRow& row) {
  if (row.error) return cli::as_commands(*row.error);
  if (row.is_gone()) return "gone upstream; it stays as it is here";
  if (row.pinned) return "pinned";
  if (!row.outdated) return "up to date";
  const auto source = json::parse(row.source.text);
  if (source && text_at(*source, "kind") == "folder") return "changed";
  return row.latest ? "-> " + short_version(*row.latest) : "unknown upstream";
}

}  // namespace

int run_outdated(const cli::Args& args) {
  constexpr const char* kFunction = "directory::lock::outdated";
  auto to = Installing::begin(args);
  if (!to) return cli::complain(to.error());
  auto found = to->ask<directory::OutdatedOutput>("outdated", kFunction, to->fields());
  if (!found) return to->complain(found.error());
  to->complete_here(*found, kFunction, to->fields());
  bool differs = false;
  for (const auto& row : found->namespaces) {
    differs = differs || row.outdated || row.error || !row.kept.empty();
  }
  if (args.has("json")) {
    cli::print_json(json::encode(*found));
    return differs ? 1 : 0;
  }
  to->say_whose();
  if (found->namespaces.empty()) {
    cli::print_text("directory.lock is empty: nothing is installed\n");
  }
  for (const sources::OutdatedRow& row : found->namespaces) {
    cli::print("{} {}{}\n", with_version(row.name_space, row.current), note_of(row),
               row.kept.empty() ? "" : ", except files that were kept:");
    for (const std::string& path : row.kept) {
      cli::print("  kept    {} (edited here, older than {}; update --force replaces it)\n", path,
                 row.current.empty() ? "its source" : short_version(row.current));
    }
  }
  return differs ? 1 : 0;
}

namespace {

int run_again(const cli::Args& args, const std::string& what, bool files) {
  const std::string function_id = "directory::lock::" + what;
  auto to = Installing::begin(args);
  if (!to) return cli::complain(to.error());
  const Result<bool> may_replace = to->may_replace_edits(to->name());
  if (!may_replace) return to->complain(may_replace.error());
  if (!*may_replace) return not_done("Nothing was changed.", 1);
  auto outcomes =
      to->install<directory::OutcomesOutput>(to->name().value_or(what), function_id, to->fields());
  if (!outcomes) return to->complain(outcomes.error());
  to->complete_here(*outcomes, function_id, to->fields());
  return to->print(*outcomes, files);
}

}  // namespace

int run_update(const cli::Args& args) { return run_again(args, "update", true); }

int run_restore(const cli::Args& args) { return run_again(args, "restore", false); }

int run_diff(const cli::Args& args) {
  auto to = Installing::begin(args);
  if (!to) return cli::complain(to.error());
  json::Object input = to->fields();
  if (const auto file = args.value("file")) input.emplace("path", *file);
  const auto ask = [&] {
    return to->ask<sources::NamespaceDiff>(*to->name(), "directory::lock::diff", input);
  };
  auto diff = ask();
  if (!diff && to->is_server() && is_local_only(diff.error().message) && !names_server(args)) {
    to = Installing::begin(args, true);
    if (!to) return cli::complain(to.error());
    diff = ask();
  }
  if (!diff) return to->complain(diff.error());
  const bool differs = !diff->files.empty();
  if (args.has("json")) {
    cli::print_json(json::encode(*diff));
    return differs ? 1 : 0;
  }
  to->say_whose();
  for (const sources::FileDiff& file : diff->files) {
    cli::print("--- {}\n+++ {}\n", file.change == "added" ? "/dev/null" : "here/" + file.path,
               file.change == "removed" ? "/dev/null" : "source/" + file.path);
    if (!file.note.empty()) cli::print("({})\n", file.note);
    cli::print_text(file.diff);
  }
  if (!differs) cli::print("{}: no differences\n", diff->name_space);
  return differs ? 1 : 0;
}

namespace {

// What would go, and whether it may.
bool confirm_removal(const cli::Args& args, const sources::RemoveReport& plan) {
  cli::note("{}: {} will be removed", plan.name_space, counted(plan.removed.size(), "file"));
  cli::note_text(plan.kept.empty() ? "\n" : "; edited or added here, and kept:\n");
  for (const std::string& path : plan.kept) cli::note("  {}\n", path);
  return args.has("yes") || cli::ask("Remove?");
}

}  // namespace

int run_remove(const cli::Args& args) {
  constexpr const char* kFunction = "directory::skills::remove";
  auto to = Installing::begin(args);
  if (!to) return cli::complain(to.error());
  if (to->is_server()) to->say_whose();
  RemoveShape shape;
  std::vector<std::string> gone;
  for (const std::string& name : args.positionals()) {
    json::Object input{{"namespace", name}};
    if (args.has("force")) input.emplace("force", true);
    json::Object question = input;
    question.emplace("dry_run", true);
    const auto plan = to->ask<sources::RemoveReport>(name, kFunction, question);
    if (!plan) return to->complain(plan.error());
    if (!args.has("yes") && !cli::can_ask()) {
      return cli::complain(
          {"usage", "nobody can be asked here whether to remove " + name + ". Next: pass --yes."});
    }
    if (!confirm_removal(args, *plan)) return not_done("Nothing of " + name + " was removed.", 1);
    auto removed = to->ask<sources::RemoveReport>(name, kFunction, input);
    if (!removed) return to->complain(removed.error());
    if (removed->kept.empty()) gone.push_back(name);
    if (!args.has("json")) {
      cli::print("{}: {} removed\n", name, counted(removed->removed.size(), "file"));
    }
    shape.namespaces.push_back(std::move(*removed));
  }
  if (args.has("json")) cli::print_json(pretty_json(shape));
  to->say_changed(gone, true);
  return 0;
}

}  // namespace iii::daemon
