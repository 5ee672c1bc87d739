// Fetches one skill and prints what came as JSON:
//   git_source_driver REPO SKILL [ref=R] [ca_file=F] [timeout_ms=N] [max_clone_bytes=N]
//   [scratch=DIR] [private_host=NAME] [credential_helper=H]
#include <cstdio>
#include <map>
#include <string>

#include "directory/sources/git.h"
#include "foundation/json/write.h"

namespace {

using iii::json::Array;
using iii::json::Object;
using iii::json::Value;
using iii::sources::Bundle;

Value shown(const Bundle& bundle) {
  Array files;
  for (const auto& file : bundle.files) {
    Object one;
    one.emplace("path", file.path);
    one.emplace("bytes", uint64_t{file.bytes.size()});
    if (file.bytes.size() < 1'000) one.emplace("text", file.bytes);
    files.push_back(std::move(one));
  }
  Array skipped;
  for (const auto& file : bundle.skipped) skipped.push_back(file.path + ": " + file.reason);
  Object all;
  all.emplace("resolved", bundle.resolved);
  all.emplace("branch", bundle.branch);
  all.emplace("folder", bundle.folder);
  all.emplace("files", std::move(files));
  all.emplace("skipped", std::move(skipped));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::map<std::string, std::string> given;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    if (equals == std::string::npos) return 2;
    given[word.substr(0, equals)] = word.substr(equals + 1);
  }
  iii::sources::RepoSource source{.repo = argv[1], .skill = argv[2]};
  if (given.contains("ref")) source.ref = given["ref"];
  iii::sources::GitOptions options{.scratch = given["scratch"], .ca_file = given["ca_file"]};
  if (given.contains("max_clone_bytes")) {
    options.limits.max_clone_bytes = std::stoull(given["max_clone_bytes"]);
  }
  if (given.contains("private_host")) options.private_hosts = {given["private_host"]};
  options.credential_helper = given["credential_helper"];
  iii::sources::Job job;
  if (given.contains("timeout_ms")) {
    job.allowed = std::chrono::milliseconds(std::stoll(given["timeout_ms"]));
    job.deadline = std::chrono::steady_clock::now() + job.allowed;
  }
  iii::Result<iii::sources::Bundle> bundle;
  if (const auto tree = iii::sources::git_tree(source, options, job); !tree) {
    bundle = std::unexpected(tree.error());
  } else {
    const auto fetched = iii::sources::RepoSkills(source, options.limits, **tree)
                             .several({{.source = source}},
                                      [&bundle](size_t, iii::Result<iii::sources::Bundle> only) {
                                        bundle = std::move(only);
                                      });
    if (!fetched) bundle = std::unexpected(fetched.error());
  }
  Object error;
  if (!bundle) {
    error.emplace("error", bundle.error().code);
    error.emplace("message", bundle.error().message);
  }
  std::puts(iii::json::to_text(bundle ? shown(*bundle) : Value(std::move(error))).c_str());
  return 0;
}
