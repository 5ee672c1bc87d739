#include "app/daemon/verbs/installing.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "app/daemon/verbs/written.h"
#include "faces/cli/ask.h"
#include "faces/cli/interrupt.h"
#include "faces/cli/next_step.h"
#include "faces/cli/output.h"
#include "foundation/base/counted.h"
#include "foundation/base/text.h"
#include "foundation/json/describe.h"

namespace iii::daemon {

namespace {

std::atomic<bool> stop_installing = false;

// Of a server that has no access to a repository.
constexpr std::string_view kNeedsCredentials = "git_credential_helper";

// The message of such a server, and what this process could do instead.
std::string with_own_credentials(std::string message) {
  if (message.ends_with('.')) message.pop_back();
  if (message.ends_with(" in the configuration")) message += " of the server";
  return message +
         "; or pass --skills FOLDER: then this process installs into that folder, with your own "
         "git credentials";
}

bool wrote_files(const sources::InstallReport& output) {
  return !(output.skills_written.empty() && output.prompts_written.empty() &&
           output.assets_written.empty());
}

}  // namespace

std::string short_version(const std::string& resolved) {
  constexpr size_t kCommitDigits = 40;
  constexpr size_t kShown = 12;
  const bool commit = resolved.size() >= kCommitDigits &&
                      resolved.find_first_not_of("0123456789abcdef") == std::string::npos;
  return commit ? resolved.substr(0, kShown) : resolved;
}

int not_done(const std::string& what, int code) {
  const bool interrupted = cli::was_interrupted();
  cli::note("{}{}\n", interrupted ? "Interrupted. " : "", what);
  return interrupted ? cli::kInterrupted : code;
}

bool is_local_only(const std::string& message) { return message.starts_with("D339 "); }

Result<Installing> Installing::begin(const cli::Args& args, bool here) {
  auto caller = here ? local_caller(args, Use::kInstall) : caller_of(args, Use::kInstall);
  if (!caller) return std::unexpected(caller.error());
  cli::catch_interrupts(stop_installing);
  return Installing(args, std::move(*caller));
}

std::optional<std::string> Installing::name() const {
  if (args_->positionals().empty()) return std::nullopt;
  return args_->positionals().front();
}

json::Object Installing::fields() const {
  json::Object out;
  if (const auto named = name()) out.emplace("namespace", *named);
  if (args_->has("force")) out.emplace("force", true);
  return out;
}

Result<std::string> Installing::call(const std::string& about, const std::string& function_id,
                                     const json::Object& input) {
  caller_->set_about(about);
  Result<std::string> answer = caller_->call(function_id, json::to_text(input));
  if (answer || !is_server()) return answer;
  std::string& message = answer.error().message;
  if (message.find(kNeedsCredentials) != std::string::npos) message = with_own_credentials(message);
  return answer;
}

Result<std::string> Installing::call_asking(const std::string& about,
                                            const std::string& function_id, json::Object input) {
  if (args_->has("yes") || args_->has("accept-risks") || !cli::can_ask()) {
    return call(about, function_id, input);
  }
  input.insert_or_assign("stop_at_risks", true);
  Result<std::string> answer = call(about, function_id, input);
  constexpr std::string_view kUnconfirmed = "D338 risks_unconfirmed: ";
  if (answer || !answer.error().message.starts_with(kUnconfirmed)) return answer;
  // The last line says what a program should do next.
  const std::string& text = answer.error().message;
  cli::note_text(text.substr(kUnconfirmed.size(), text.rfind('\n') + 1 - kUnconfirmed.size()));
  if (!cli::ask("Install nevertheless?")) {
    return fail("D336", "D336 risks_found: the installation was declined. Nothing was written.");
  }
  confirmed_ = true;
  input.erase("stop_at_risks");
  return call(about, function_id, input);
}

Result<bool> Installing::may_replace_edits(const std::optional<std::string>& name_space) {
  if (!args_->has("force") || args_->has("yes") || !cli::can_ask()) return true;
  json::Object input;
  if (name_space) input.emplace("namespace", *name_space);
  const auto verified = ask<directory::VerifyOutput>("verify", "directory::lock::verify", input);
  if (!verified) return std::unexpected(verified.error());
  std::vector<std::string> edited;
  for (const sources::VerifiedNamespace& row : verified->namespaces) {
    for (const sources::VerifiedFile& file : row.files) {
      std::string path = row.name_space + "/" + file.path;
      if (file.state == sources::FileState::kEdited && replaced_edits_.insert(path).second) {
        edited.push_back(std::move(path));
      }
    }
  }
  if (edited.empty()) return true;
  cli::note("{} edited here:\n", edited.size() == 1 ? "This file was" : "These files were");
  for (const std::string& path : edited) cli::note("  {}\n", path);
  return cli::ask(edited.size() == 1 ? "Replace it?" : "Replace them?");
}

int Installing::complain(const Error& error) const {
  if (!cli::was_interrupted()) return cli::complain(error);
  cli::note_text(is_server() ? "Interrupted. The server cancels what it has not written yet.\n"
                             : "Interrupted. What was not finished has changed nothing.\n");
  return cli::kInterrupted;
}

void Installing::say_whose() const {
  if (all_here_) return;
  const bool found = is_server() && !names_server(*args_);
  if (!found) return say_where(*caller_, *args_);
  if (!args_->has("json")) cli::note("({})\n", caller_->where());
}

void Installing::tell_risks(const std::vector<sources::FileRisk>& risks) const {
  if (risks.empty() || confirmed_) return;
  cli::note("{} to look at before trusting these files:\n", counted(risks.size(), "finding"));
  for (const sources::FileRisk& risk : risks) {
    cli::note("  {}{}{} {} ({}): {}{}{}\n", risk.path.value_or(""), risk.line ? ":" : "",
              risk.line ? std::to_string(*risk.line) : "", risk.code, risk.severity, risk.message,
              risk.excerpt.empty() ? "" : ": ", risk.excerpt);
  }
}

namespace {

// The first ones of many.
std::string shown_names(std::vector<std::string> names) {
  constexpr size_t kShown = 5;
  const size_t count = names.size();
  if (count > kShown) names.resize(kShown);
  return join(names, ", ") +
         (count > kShown ? " and " + std::to_string(count - kShown) + " more" : "");
}

void print_copies(const std::vector<directory::CopyRow>& copies) {
  if (copies.empty()) return;
  std::vector<std::string> shown;
  for (const directory::CopyRow& copy : copies) shown.push_back(copy.path + " = " + copy.copy_of);
  cli::note("{} not installed: {}\n", counted(copies.size(), "identical copy", "identical copies"),
            shown_names(std::move(shown)));
}

}  // namespace

void Installing::print_files(const sources::InstallReport& output, bool files) const {
  // A local folder has no version.
  const std::string resolved = short_version(output.resolved.value_or(""));
  cli::print("{}{}{}: {}, {} and {} written; {} unchanged\n", output.name_space,
             resolved.empty() ? "" : " ", resolved, counted(output.skills_written.size(), "skill"),
             counted(output.prompts_written.size(), "prompt"),
             counted(output.assets_written.size(), "other file"), output.unchanged.size());
  if (const auto folder = caller_->skills_folder(); folder && wrote_files(output)) {
    cli::print("  in      {}\n", (*folder / output.name_space).string());
  }
  if (!output.moved_from.empty()) {
    cli::print("  moved   in the repository, from {}\n", output.moved_from);
  }
  if (files) {
    for (const std::string& path : output.added) cli::print("  added   {}\n", path);
    for (const std::string& path : output.changed) cli::print("  changed {}\n", path);
  }
  if (!output.executable.empty()) {
    cli::print("  executable: {}\n", join(output.executable, ", "));
  }
  if (!output.executable_dropped.empty()) {
    cli::print("  not executable here (keep_executable_bits is off): {}\n",
               join(output.executable_dropped, ", "));
  }
  for (const std::string& path : output.pruned) {
    cli::print("  removed {} (dropped upstream)\n", path);
  }
  for (const std::string& path : output.conflicts) {
    cli::print("  kept    {} (edited here, or not downloaded before; --force overwrites)\n", path);
  }
  for (const std::string& path : output.overwritten) {
    cli::print("  replaced {} (edited here, or not downloaded before)\n", path);
  }
  for (const sources::SkippedFile& file : output.skipped) {
    cli::print("  skipped {}: {}\n", file.path, file.reason);
  }
}

void Installing::say_changed(const std::vector<std::string>& skills, bool gone) const {
  const auto folder = caller_->skills_folder();
  if (folder) say_written(*args_, *folder, skills, gone);
}

int Installing::print(const sources::InstallReport& output) const {
  tell_risks(output.risks);
  if (args_->has("json")) {
    cli::print_json(json::encode(output));
    return 0;
  }
  const bool wrote = !output.skills_written.empty();
  if (is_server() || !wrote) say_whose();
  print_files(output, false);
  if (wrote) say_changed({output.name_space});
  return 0;
}

int Installing::print(const directory::OutcomesOutput& output, bool files) const {
  std::vector<std::string> written;
  for (const sources::NamespaceResult& row : output.namespaces) {
    if (!row.report) continue;
    if (!row.report->skills_written.empty()) written.push_back(row.name_space);
    std::vector<sources::FileRisk> risks = row.report->risks;
    for (auto& risk : risks) risk.path = row.name_space + "/" + risk.path.value_or("");
    tell_risks(risks);
  }
  const bool ok = std::ranges::all_of(output.namespaces, &sources::NamespaceResult::ok);
  if (args_->has("json")) {
    directory::OutcomesOutput shown = output;
    shown.ok = ok;
    cli::print_json(json::encode(shown));
    return ok ? 0 : 1;
  }
  if (is_server() || written.empty()) say_whose();
  if (output.namespaces.empty()) {
    cli::print_text("directory.lock is empty: there is nothing to do\n");
  }
  // By what went wrong: a source that fails does so for all its namespaces.
  std::map<std::string, std::vector<std::string>> failed;
  size_t failures = 0;
  for (const sources::NamespaceResult& row : output.namespaces) {
    if (row.report) {
      print_files(*row.report, files);
    } else {
      failed[row.error.value_or("")].push_back(row.name_space);
      ++failures;
    }
  }
  for (const auto& [error, names] : failed) {
    cli::note("{}: {}\n", shown_names(names), cli::as_commands(error));
  }
  print_copies(output.copies);
  if (output.namespaces.size() > 1) {
    cli::note("{}: {} with new files, {} as before, {} failed\n",
              counted(output.namespaces.size(), "skill folder"), written.size(),
              output.namespaces.size() - written.size() - failures, failures);
  }
  if (cli::was_interrupted()) return cli::kInterrupted;
  if (!written.empty()) say_changed(written);
  return ok ? 0 : 1;
}

}  // namespace iii::daemon
