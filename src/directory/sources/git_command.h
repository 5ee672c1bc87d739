// git as a child program: cut off from the user's and the system's configuration, within bounds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/git.h"
#include "directory/sources/git_route.h"
#include "directory/sources/process.h"
#include "foundation/base/result.h"

namespace iii::sources {

// A temporary folder for git's objects: private, removed on every way out, and swept up after
// processes that died without removing theirs.
class Scratch {
 public:
  // Below `place`, or the system's place for temporary files when that is empty.
  static Result<Scratch> make(const std::filesystem::path& place);
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  const std::filesystem::path& path() const { return path_; }
  // What its files take up together.
  uint64_t bytes() const;

 private:
  Scratch(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_ = -1;  // held as long as this lives: that is how others see that it is in use
};

// Removes folders of this kind whose owner is gone. Called by Scratch::make.
void sweep_scratch(const std::filesystem::path& place);

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
