// The Skills extension (SEP-2640): skills/list, skills/get and resources/directory/read.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "faces/mcp/feature.h"
#include "faces/mcp/host.h"
#include "faces/mcp/portable_skill.h"
#include "faces/mcp/skill_cache.h"
#include "foundation/task/pool.h"
#include "foundation/task/task.h"

namespace iii::mcp {

// The entries of skills: JSON text, or why official clients could not read the skill. Made from the
// disk and kept until a file of the skill changes. Blocking; from any thread.
class SkillEntries {
 public:
  using Entry = std::shared_ptr<const Result<std::string>>;

  Entry of(const SkillRow& row, const directory::View& view);

 private:
  SkillCache<Result<std::string>> cache_;
};

// On the loop thread; the disk is read on the pool.
class Skills {
 public:
  Skills(const Host& host, task::Pool& pool) : library_(*host.library), pool_(pool) {}

  task::Task<Outcome> list(json::Value params);
  task::Task<Outcome> get(json::Value params);
  task::Task<Outcome> read_directory(json::Value params);

  task::Task<SkillFoldersPtr> folders(directory::View view);
  // Any file of a skill by its path below a root, or a part of it. Codes `missing`, `a_folder`,
  // `link`, `too_large`, ….
  task::Task<Result<directory::SkillFilePart>> read_file(directory::View view, std::string path,
                                                         ReadRange range);

 private:
  struct Refusal {
    std::string folder;
    Error error;
  };
  void report(const Refusal& refusal);

  directory::Library& library_;
  task::Pool& pool_;
  task::Pool::Lane hashing_;  // a page may have thousands of files to read
  const std::shared_ptr<SkillEntries> entries_ = std::make_shared<SkillEntries>();
  SkillFoldersPtr folders_;
  std::set<std::string> reported_;
};

}  // namespace iii::mcp
