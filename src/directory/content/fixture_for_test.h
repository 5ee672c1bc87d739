// A temporary place with two roots, and short ways to put things there and to say what is served.
#pragma once

#include <gmock/gmock.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/content.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii::content {

namespace fs = std::filesystem;

class TempTree {
 public:
  TempTree() { ::chmod(base_.c_str(), 0755); }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  fs::path at(const std::string& path) const { return base_ / path; }
  void put(const std::string& path, std::string_view text = "# A title\n\nA paragraph.\n") const {
    fs::create_directories(at(path).parent_path());
    std::ofstream(at(path), std::ios::binary | std::ios::trunc) << text;
  }
  void folder(const std::string& path) const { fs::create_directories(at(path)); }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories(at(path).parent_path());
    fs::create_symlink(target, at(path));
  }
  void remove(const std::string& path) const { fs::remove_all(at(path)); }
  void rename(const std::string& from, const std::string& to) const {
    fs::create_directories(at(to).parent_path());
    fs::rename(at(from), at(to));
  }

  // Roots `local` and `global`.
  ContentOptions options() const {
    ContentOptions options;
    options.roots = {{RootKind::kLocal, at("local")}, {RootKind::kGlobal, at("global")}};
    options.scan_threads = 2;
    return options;
  }

 private:
  TempFolder folder_;
  const fs::path& base_ = folder_.path();
};

// Permissions mean nothing to root: become somebody else for the file system, threads started now
// included.
class AsUser {
 public:
  explicit AsUser(uid_t user) : before_(::setfsuid(user)) {}
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
  ~AsUser() { ::setfsuid(static_cast<uid_t>(before_)); }

 private:
  int before_;
};

struct AsNobody : AsUser {
  AsNobody() : AsUser(65534) {}
};
struct AsRoot : AsUser {
  AsRoot() : AsUser(0) {}
};

inline std::vector<std::string> ids(const GenerationPtr& generation) {
  std::vector<std::string> out;
  for (const SkillPtr& skill : generation->skills) out.push_back(skill->id);
  return out;
}

inline std::vector<std::string> names(const GenerationPtr& generation) {
  std::vector<std::string> out;
  for (const PromptPtr& prompt : generation->prompts) out.push_back(prompt->name);
  return out;
}

// `label:path code[ -> served_as]`
inline std::vector<std::string> complaints(const GenerationPtr& generation) {
  std::vector<std::string> out;
  for (const FindingsPtr& findings : generation->findings) {
    for (const Finding& finding : *findings) {
      out.push_back(generation->roots[finding.file.root].label + ":" + finding.file.path + " " +
                    finding.code + (finding.served_as ? " -> " + *finding.served_as : ""));
    }
  }
  return out;
}

inline std::string counts(const GenerationPtr& generation) {
  const Accounting& all = generation->accounting;
  return std::to_string(all.files) + " = " + std::to_string(all.skills) + " skills + " +
         std::to_string(all.prompts) + " prompts + " + std::to_string(all.supporting) +
         " supporting + " + std::to_string(all.skipped) + " skipped";
}

// Everything a reader can see, as lines.
inline std::vector<std::string> everything(const GenerationPtr& generation) {
  std::vector<std::string> out;
  for (const SkillPtr& skill : generation->skills) {
    out.push_back("skill " + skill->id + "|" + std::to_string(skill->file.root) + "|" +
                  skill->file.path + "|" + std::to_string(static_cast<int>(skill->kind)) + "|" +
                  (skill->for_agents ? "" : "hidden|") + skill->name + "|" + skill->title + "|" +
                  skill->type.value_or("-") + "|" + skill->function_id.value_or("-") + "|" +
                  skill->description + "|" + std::to_string(skill->bytes) + "|" +
                  std::to_string(skill->mtime_ns) + (skill->readable ? "" : "|unreadable"));
  }
  for (const PromptPtr& prompt : generation->prompts) {
    out.push_back("prompt " + prompt->name + "|" + std::to_string(prompt->file.root) + "|" +
                  prompt->file.path + "|" + prompt->description + "|" +
                  std::to_string(prompt->mtime_ns));
  }
  for (const FindingsPtr& findings : generation->findings) {
    for (const Finding& finding : *findings) {
      out.push_back("finding " + std::to_string(finding.file.root) + "|" + finding.file.path + "|" +
                    finding.code + "|" + finding.message + "|" + finding.served_as.value_or("-"));
    }
  }
  out.push_back(counts(generation));
  return out;
}

}  // namespace iii::content
