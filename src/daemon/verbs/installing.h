// What verbs that install begin with: configuration, the sources, progress, questions, Ctrl-C.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/args.h"
#include "cli/progress_line.h"
#include "functions/download.h"
#include "sources/downloads.h"

namespace iii::daemon {

class Session {
 public:
  // Ctrl-C from now on cancels what is running.
  static Result<std::unique_ptr<Session>> begin(const cli::Args& args);

  const cli::Args& args() const { return args_; }
  sources::Downloads& downloads() { return *downloads_; }
  // The namespace that was named, if one was.
  std::optional<std::string> name() const;
  // Reports progress under this name, and asks before files with findings are installed.
  sources::Job job(const std::string& name);
  cli::ProgressLine& line() { return line_; }

  // The exit code of an error; after Ctrl-C it is 130, whatever the error says.
  int complain(const Error& error);
  int print_report(const sources::Source& source, const sources::InstallReport& report);
  // Several namespaces, each with its own end. `files`: also what came and what changed, by name.
  int print_outcomes(Result<std::vector<sources::NamespaceResult>> outcomes, bool files = false);

 private:
  Session(const cli::Args& args, sources::DownloadsOptions options);
  void print_files(const sources::InstallReport& report, bool files) const;

  const cli::Args& args_;
  std::unique_ptr<sources::Downloads> downloads_;
  cli::ProgressLine line_;
};

}  // namespace iii::daemon
