// What an errno of the file system means to callers: a code, and a sentence with the relative path.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace iii {

// A path as messages name it.
std::string shown_path(std::string_view relative);

enum class FileUse { kReading, kWriting };

std::unexpected<Error> file_error(int error, std::string_view relative, FileUse use);

}  // namespace iii
