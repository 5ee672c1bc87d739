// The Skills extension (SEP-2640): skills/list, skills/get and resources/directory/read.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "functions/portable_skill.h"
#include "mcp/feature.h"
#include "mcp/host.h"
#include "sdk/pool.h"
#include "sdk/task.h"

namespace iii::mcp {

using directory::SkillIndex;
using directory::SkillIndexPtr;
using directory::SkillRow;

// What is served of one skill, as it is on disk at this moment. The error says why official clients
// could not read it. Blocking.
Result<std::string> skill_entry(const SkillRow& row, const directory::View& view,
                                directory::FileDigests& digests);

// On the loop thread; the disk is read on the pool.
class Skills {
 public:
  Skills(const Host& host, sdk::Pool& pool) : library_(*host.library), pool_(pool) {}

  sdk::Task<Outcome> list(json::Value params);
  sdk::Task<Outcome> get(json::Value params);
  sdk::Task<Outcome> read_directory(json::Value params);

  sdk::Task<SkillIndexPtr> index(directory::View view);
  // Any file of a skill by its path below a root. Codes `missing`, `a_folder`, `link`, ….
  sdk::Task<Result<std::string>> read_file(directory::View view, std::string path);

 private:
  struct Refusal {
    std::string folder;
    Error error;
  };
  void report(const Refusal& refusal);

  directory::Library& library_;
  sdk::Pool& pool_;
  const std::shared_ptr<directory::FileDigests> digests_ =
      std::make_shared<directory::FileDigests>();
  SkillIndexPtr index_;
  std::set<std::string> reported_;
};

}  // namespace iii::mcp
