// What verbs about installations share: whom they ask, questions about findings, Ctrl-C, and how
// answers are printed. A server and this process give the same answers.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "app/daemon/verbs/caller.h"
#include "directory/installing/lock_types.h"
#include "faces/cli/args.h"

namespace iii::daemon {

class Installing {
 public:
  // Ctrl-C from now on cancels what is running. `here`: in this process, whatever runs.
  static Result<Installing> begin(const cli::Args& args, bool here = false);

  const cli::Args& args() const { return *args_; }
  bool is_server() const { return caller_->is_server(); }
  // The namespace that was named, if one was.
  std::optional<std::string> name() const;
  // Fields of functions that take one: the namespace, and --force.
  json::Object fields() const;

  // `about`: what the terminal shows meanwhile.
  template <typename Output>
  Result<Output> ask(const std::string& about, const std::string& function_id,
                     const json::Object& input) {
    return decoded<Output>(call(about, function_id, input));
  }
  // The same for what writes files: findings are shown, and asked about where somebody can answer,
  // before anything is written.
  template <typename Output>
  Result<Output> install(const std::string& about, const std::string& function_id,
                         json::Object input) {
    return decoded<Output>(call_asking(about, function_id, std::move(input)));
  }
  // Before --force replaces what was edited here: the files are named, and somebody is asked, where
  // somebody can be. False: they are to stay. Each file is asked about once.
  Result<bool> may_replace_edits(const std::optional<std::string>& name_space);
  // A server does not read local folders. What it says so about is asked of this process, unless
  // somebody named the server: the folders may be the same.
  template <typename Output>
  void complete_here(Output& output, const std::string& function_id, const json::Object& input);

  // The exit code of an error; after Ctrl-C it is 130, whatever the error says.
  int complain(const Error& error) const;
  int print(const sources::InstallReport& output) const;
  // Several namespaces, each with its own end. `files`: also what came and what changed, by name.
  int print(const directory::OutcomesOutput& output, bool files = false) const;
  // Whose folders they are, for a person: before an answer is printed, or after this process wrote.
  // A server that was found is also named to a script, which did not ask for it.
  void say_whose() const;
  void say_changed(const std::vector<std::string>& skills, bool gone = false) const;

 private:
  Installing(const cli::Args& args, std::unique_ptr<Caller> caller)
      : args_(&args), caller_(std::move(caller)) {}

  template <typename Output>
  static Result<Output> decoded(const Result<std::string>& answer) {
    return answer ? json::decode<Output>(*answer) : std::unexpected(answer.error());
  }
  Result<std::string> call(const std::string& about, const std::string& function_id,
                           const json::Object& input);
  Result<std::string> call_asking(const std::string& about, const std::string& function_id,
                                  json::Object input);
  void print_files(const sources::InstallReport& output, bool files) const;
  void tell_risks(const std::vector<sources::FileRisk>& risks) const;

  const cli::Args* args_;
  std::unique_ptr<Caller> caller_;
  bool confirmed_ = false;                // the findings were shown before
  bool all_here_ = false;                 // the server had no part in the answer
  std::set<std::string> replaced_edits_;  // namespace, `/`, path: those that somebody gave away
};

// A version for people: of a commit the beginning.
std::string short_version(const std::string& resolved);

// Somebody said no, or pressed Ctrl-C, before anything was done; `what` says so. The exit code:
// `code`, or that of an interruption.
int not_done(const std::string& what, int code);

// Whether this is the error of a server about a source that only a command may read.
bool is_local_only(const std::string& message);

template <typename Output>
void Installing::complete_here(Output& output, const std::string& function_id,
                               const json::Object& input) {
  if (!is_server() || names_server(*args_)) return;
  std::optional<Installing> here;
  size_t answered = 0;
  for (auto& row : output.namespaces) {
    if (!row.error || !is_local_only(*row.error)) continue;
    if (!here) {
      Result<Installing> begun = begin(*args_, true);
      if (!begun) return;
      here = std::move(*begun);
      here->replaced_edits_ = replaced_edits_;
    }
    if (!here->may_replace_edits(row.name_space).value_or(false)) continue;
    json::Object own = input;
    own.insert_or_assign("namespace", row.name_space);
    auto answer = here->install<Output>(row.name_space, function_id, std::move(own));
    if (!answer || answer->namespaces.size() != 1) continue;  // another folder may not have it
    if (answered++ == 0) here->say_whose();
    row = std::move(answer->namespaces.front());
  }
  all_here_ = answered > 0 && answered == output.namespaces.size();
}

}  // namespace iii::daemon
