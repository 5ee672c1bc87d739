// A tree of skills such as people have: seeded, so that every run and every machine gets the same
// one.
//
// First a plan, which knows what must come out of reading the tree, then the files. A file's text
// depends on the seed and its own number only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace iii::bench {

struct TreeFile {
  enum class Kind : uint8_t { kSkill, kPrompt, kSupporting };
  std::string path;
  Kind kind = Kind::kSkill;
  uint32_t bytes = 0;  // wanted; a text is never shorter than its head
  uint64_t seed = 0;
  bool rare = false;  // mentions kRareWord and is of kRareType
};

// In the description of few documents and nowhere else.
inline constexpr const char* kRareWord = "quicksilver";
inline constexpr const char* kRareType = "runbook";

struct TreePlan {
  std::vector<std::string> folders;  // parents first
  std::vector<TreeFile> files;
  size_t skills = 0;
  size_t prompts = 0;
  size_t supporting = 0;
  size_t overviews = 0;   // `<namespace>/SKILL.md`
  size_t rare = 0;        // skills with the rare word
  std::string one_space;  // a namespace, and how many skills it has
  size_t in_one_space = 0;
};

// About seven folders for every six skills; sizes are log-normal with median 5.8 KB and 99th
// percentile 36 KB.
TreePlan plan_tree(size_t skills, uint64_t seed);
std::string text_of(const TreeFile& file);
// kPortable: the frontmatter of every SKILL.md is replaced by one that official skill clients can
// read, with the name of its folder; half of the tree has none otherwise.
enum class TreeText : uint8_t { kAsPeopleWrite, kPortable };
void write_tree(const TreePlan& plan, const std::filesystem::path& root,
                TreeText text = TreeText::kAsPeopleWrite);

}  // namespace iii::bench
