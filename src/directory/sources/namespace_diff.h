// What a plan changes, file by file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/bundle.h"
#include "foundation/base/files_writer.h"

namespace iii::sources {

struct Plan;

struct FileDiff {
  std::string path;
  std::string change;  // `added`, `changed`, `removed`; of a dry run also `kept`: edited here
  uint64_t size = 0;   // in the source; of a removed file: here
  std::string diff;    // unified; empty for what is not text, or was too much to compare
  std::string note;    // why `diff` is empty or not complete
  // Of a dry run, for skills and prompts: what reading it costs.
  std::optional<uint64_t> tokens = {};
};
struct NamespaceDiff {
  std::string name_space;
  std::string current;
  std::string latest;
  std::vector<FileDiff> files;  // by path
  uint64_t unchanged = 0;
};

// By path, or of one path below the namespace. Reads the files that are there.
std::vector<FileDiff> files_of(const FolderWriter& root, const Plan& plan, const Bundle& bundle,
                               const std::optional<std::string>& path);

struct TextDiff {
  std::string text;      // hunks, each with its `@@` line; empty: the texts are equal
  bool complete = true;  // false: cut off, or the texts differ too much to be compared line by line
};

struct TextDiffLimits {
  size_t max_lines = 20'000;  // of each text
  size_t max_edits = 1'000;   // beyond this everything is said to be replaced
  size_t max_bytes = 64 * 1024;
  size_t context = 3;
};

// Pure. Time and memory are bounded by the limits (Myers' greedy algorithm).
TextDiff diff_text(std::string_view before, std::string_view after,
                   const TextDiffLimits& limits = {});

}  // namespace iii::sources
