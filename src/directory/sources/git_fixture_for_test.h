// Real repositories in temporary folders, for tests of the git source.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/git.h"
#include "directory/sources/process.h"
#include "foundation/base/temp_folder_for_test.h"
#include "foundation/base/text.h"

namespace iii::sources {

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// A program of our own in the place of git.
inline void write_program(const std::filesystem::path& path, std::string_view script) {
  write_file(path, "#!/bin/sh\n" + std::string(script));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

// A repository with a working tree. Serves partial fetches unless told otherwise.
class Repository {
 public:
  explicit Repository(const std::string& branch = "main", bool partial = true,
                      const std::vector<std::string>& more = {}) {
    std::vector<std::string> init = {"init", "-q", "-b", branch, "."};
    init.insert(init.end() - 1, more.begin(), more.end());
    git(init);
    if (partial) git({"config", "uploadpack.allowFilter", "true"});
  }

  std::string git(const std::vector<std::string>& args, const std::string& input = "") const {
    Command command{
        .argv = {"git", "-c", "protocol.file.allow=always"},
        .environment = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1",
                        "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
                        "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid",
                        "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
                        "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"},
        .folder = folder_.path().native(),
        .input = input};
    command.argv.insert(command.argv.end(), args.begin(), args.end());
    const Ran ran = run(command, {});
    EXPECT_TRUE(ran.ok()) << join(args, " ") << ": " << ran.errors;
    return std::string(trim(ran.output));
  }

  void put(const std::string& path, std::string_view bytes) const {
    write_file(folder_.path() / path, bytes);
  }
  void link(const std::string& path, const std::string& target) const {
    std::filesystem::create_directories((folder_.path() / path).parent_path());
    std::filesystem::create_symlink(target, folder_.path() / path);
  }
  std::string commit() const {
    git({"add", "-A", "-f"});
    git({"commit", "-q", "--allow-empty", "-m", "x"});
    return git({"rev-parse", "HEAD"});
  }
  // A commit whose top folder is the tree of this id, for trees no working tree can have.
  std::string commit_tree(const std::string& tree) const {
    const std::string id = git({"commit-tree", "-m", "x", tree});
    git({"update-ref", "HEAD", id});
    return id;
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::string url() const { return "file://" + folder_.path().native(); }

 private:
  TempFolder folder_;
};

class GitTest : public testing::Test {
 protected:
  GitTest() {
    options_.allow_local = true;
    options_.private_hosts = {"*"};
    options_.scratch = scratch_.path();
  }
  // Whatever happened, nothing of it is left on the disk.
  ~GitTest() override { EXPECT_TRUE(std::filesystem::is_empty(scratch_.path())); }

  Result<Bundle> fetch(const std::string& url, const std::string& skill,
                       const std::optional<std::string>& ref = std::nullopt) const {
    return fetch_one({.repo = url, .skill = skill, .ref = ref});
  }
  Result<Bundle> fetch_one(const RepoSource& source) const {
    const auto tree = git_tree(source, options_, job_);
    return tree ? only_bundle(source, options_.limits, **tree) : std::unexpected(tree.error());
  }
  static Result<Bundle> only_bundle(const RepoSource& source, const BundleLimits& limits,
                                    TreeSource& tree) {
    Result<Bundle> bundle;
    const auto fetched = RepoSkills(source, limits, tree)
                             .several({{.source = source}}, [&bundle](size_t, Result<Bundle> only) {
                               bundle = std::move(only);
                             });
    return fetched ? std::move(bundle) : std::unexpected(fetched.error());
  }
  Result<Bundle> fetch(const Repository& repository, const std::string& skill,
                       const std::optional<std::string>& ref = std::nullopt) const {
    return fetch(repository.url(), skill, ref);
  }

  static std::vector<std::string> paths(const Result<Bundle>& bundle) {
    EXPECT_TRUE(bundle) << bundle.error().message;
    std::vector<std::string> all;
    if (!bundle) return all;
    for (const BundleFile& file : bundle->files) all.push_back(file.path);
    return all;
  }
  static std::string bytes_of(const Result<Bundle>& bundle, std::string_view path) {
    EXPECT_TRUE(bundle) << bundle.error().message;
    if (!bundle) return {};
    for (const BundleFile& file : bundle->files) {
      if (file.path == path) return file.bytes;
    }
    return "(no such file)";
  }
  static std::string message(const Result<Bundle>& bundle) {
    EXPECT_FALSE(bundle);
    return bundle ? "" : bundle.error().message;
  }

  TempFolder scratch_;
  GitOptions options_;
  Job job_;
};

// Sets a variable of this process as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace iii::sources
