// The files of web/ as the build put them into the program. The definitions are generated
// (embed_web.cmake).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace iii::console {

struct WebFile {
  std::string_view name;  // relative to web/
  std::string_view gzip;
  size_t size;  // of the file itself
};

std::span<const WebFile> web_files();
// Of all of them together.
std::string_view web_digest();

}  // namespace iii::console
