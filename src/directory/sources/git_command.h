// git as a child program: cut off from the user's and the system's configuration, within bounds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/git.h"
#include "directory/sources/git_route.h"
#include "directory/sources/git_scratch.h"
#include "directory/sources/process.h"
#include "foundation/base/result.h"

namespace iii::sources {

// One conversation with one repository. Everything git writes goes below the scratch folder.
class Git {
 public:
  Git(const RepoSource& source, const GitOptions& options, const Job& job, const Scratch& scratch,
      Route route);

  struct Call {
    std::string step;  // for progress: `asking`, `fetching`, `checking`
    std::string input;
    uint64_t max_output = 16ULL * 1024 * 1024;
  };
  Ran run(const std::vector<std::string>& args, const Call& call) const;
  // The same, with a failure made into an error.
  Result<std::string> output(const std::vector<std::string>& args, const Call& call) const;
  // What a failed run means to the caller.
  Error explain(const Ran& ran) const;

  const std::string& url() const { return url_; }
  void set_url(std::string url) { url_ = std::move(url); }
  // The object store to work in, a folder below the scratch folder that `init` makes.
  void set_store(std::string_view name) { store_ = (scratch_.path() / name).native(); }

 private:
  std::vector<std::string> arguments(const std::vector<std::string>& args) const;
  std::vector<std::string> environment() const;

  const GitOptions& options_;
  const Job& job_;
  const Scratch& scratch_;
  const Route route_;
  std::string url_;
  std::string store_;
  std::chrono::milliseconds allowed_;  // what there was when this began, for messages
};

// Whether git reaches this URL through ssh.
bool uses_ssh(std::string_view url);

}  // namespace iii::sources
