// A skills folder to install into, bundles to install, and pictures of what is there.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "directory/sources/installer.h"
#include "foundation/base/log.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii::sources {

using Files = std::map<std::string, std::string>;

inline Bundle bundle_of(const std::string& version, const Files& files,
                        const std::string& worker = "resend") {
  Bundle bundle{.source = RegistrySource{worker, std::nullopt, "latest"},
                .resolved = version,
                .branch = "",
                .folder = "",
                .files = {},
                .skipped = {}};
  for (const auto& [path, bytes] : files) bundle.files.push_back({path, bytes, role_of(path)});
  hash_files(bundle);
  return bundle;
}

inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Everything below a folder but what is ours alone: files with content, links with target, folders.
inline Files picture_of(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  Files picture;
  if (!fs::exists(folder)) return picture;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::end(at); ++at) {
    const std::string path = at->path().lexically_relative(folder).string();
    if (path == ".iii-directory") {
      at.disable_recursion_pending();
    } else if (at->is_symlink()) {
      picture[path] = "-> " + fs::read_symlink(at->path()).string();
    } else {
      picture[path] = at->is_directory() ? "/" : read_whole(at->path());
    }
  }
  return picture;
}

class SkillsFolder {
 public:
  SkillsFolder() {
    set_log_level(LogLevel::kOff);  // there is much to say about what goes wrong here on purpose
  }
  SkillsFolder(const SkillsFolder&) = delete;
  SkillsFolder& operator=(const SkillsFolder&) = delete;

  const std::filesystem::path& base() const { return folder_.path(); }
  std::filesystem::path path() const { return base() / "skills"; }
  std::filesystem::path path(const std::string& below) const { return path() / below; }
  Files picture() const { return picture_of(path()); }
  std::string get(const std::string& below) const { return read_whole(path(below)); }
  void put(const std::string& below, std::string_view bytes) const {
    std::filesystem::create_directories(path(below).parent_path());
    std::ofstream(path(below), std::ios::binary) << bytes;
  }

  Result<InstallReport> install(const Bundle& bundle, const InstallOptions& options = {}) const {
    return Installer(path()).install(bundle, options, {});
  }

 private:
  // In memory where that is possible: what is tested here does not depend on the disk, and a test
  // that installs some hundred times would wait for it each time.
  static std::filesystem::path parent() {
    const bool memory = ::access("/dev/shm", W_OK) == 0 && std::getenv("III_ON_DISK") == nullptr;
    return memory ? "/dev/shm" : std::filesystem::temp_directory_path();
  }

  TempFolder folder_{parent()};
};

// `path state` of every file of the namespaces, so that a list can be compared.
inline std::vector<std::string> verified(const std::filesystem::path& folder) {
  std::map<std::string, std::string> states;
  const auto all = Installer(folder).verify(std::nullopt);
  if (!all) return {all.error().message};
  for (const VerifiedNamespace& one : *all) {
    const std::string prefix = one.name_space + "/";
    for (const auto& [path, file] : one.locked.files) states[prefix + path] = "intact";
    for (const VerifiedFile& file : one.files) states[prefix + file.path] = word_of(file.state);
  }
  std::vector<std::string> out;
  for (const auto& [path, state] : states) out.push_back(path + " " + state);
  return out;
}

// Fails the test when there is none that can be read.
inline Lock lock_in(const std::filesystem::path& folder) {
  const Result<LockPtr> lock = Installer(folder).lock();
  EXPECT_TRUE(lock) << (lock ? "" : lock.error().message);
  return lock ? **lock : Lock{};
}

inline std::string code_of(const Result<InstallReport>& report) {
  return report ? "fine" : report.error().code;
}

}  // namespace iii::sources
