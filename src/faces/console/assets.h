// The files of the page: compiled in, or from a folder while somebody works on them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/shared_bytes.h"

namespace iii::console {

struct Asset {
  std::string content_type = {};
  SharedBytes bytes = {};
  bool gzipped = false;
};

class Assets {
 public:
  // What the build put into the program.
  Assets();
  // Read anew from this folder for every request.
  explicit Assets(std::filesystem::path folder);

  // Changes with any of the files. The address of a file has it, so that browsers may keep the
  // file, and files can name each other by relative paths.
  const std::string& digest() const { return digest_; }
  // Whether what is under an address never changes.
  bool immutable() const { return folder_.empty(); }

  // `name` is relative to the folder of the page. Nothing when there is no such file. `gzip`: the
  // caller takes it compressed.
  std::optional<Asset> find(std::string_view name, bool gzip) const;
  // The text of `name`; empty when there is none.
  std::string text(std::string_view name) const;

 private:
  std::filesystem::path folder_;
  std::string digest_;
};

// Empty for files that are not served.
std::string_view content_type_of(std::string_view name);

}  // namespace iii::console
