// The files of a skill as the Skills extension of MCP (SEP-2640) serves them: all files below its
// folder, those of nested skills too, byte for byte. Nothing hidden, and no links: neither in the
// folder nor on the way to a file.
//
// Reads the disk, so it is called on a thread that may wait. Paths are relative to the root.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "directory/reading/skill_files.h"
#include "foundation/base/files.h"
#include "foundation/base/result.h"

namespace iii::directory {

// SEP-2640: what a host has to accept.
inline constexpr size_t kMaxPortableFiles = 512;
inline constexpr uint64_t kMaxPortableBytes = 16ULL * 1024 * 1024;

struct PortableFile {
  std::string path;  // relative to the folder
  uint64_t size = 0;
  std::string sha256;  // hexadecimal
};
struct PortableManifest {
  std::vector<PortableFile> files;  // by path
  // Whether a file has further hard links, through which it may change without a notification.
  bool has_further_names = false;
};
// Codes `link`, `not_utf8`, `too_many`, `too_large`, and those of RootFolder.
Result<PortableManifest> portable_manifest(const RootFolder& root, std::string_view folder,
                                           FileDigests& digests);

// The same without reading the files: why there is no manifest.
Result<void> check_portable_files(const RootFolder& root, std::string_view folder);

struct PortableEntry {
  std::string name;
  bool is_folder = false;
  uint64_t size = 0;
};
// What stands in one folder, by name. Code `not_a_folder`.
Result<std::vector<PortableEntry>> portable_entries(const RootFolder& root,
                                                    std::string_view folder);
// Code `a_folder`.
Result<std::string> read_portable_file(const RootFolder& root, std::string_view path);
// Some bytes of a file. With `whole` a file of more than `limit` bytes is refused (code
// `too_large`, its size in the message) before it is read.
Result<SkillFilePart> read_portable_part(const RootFolder& root, std::string_view path,
                                         uint64_t offset, uint64_t limit, bool whole);

}  // namespace iii::directory
