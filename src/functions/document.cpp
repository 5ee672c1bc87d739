#include "functions/document.h"

#include <utility>

#include "content/parse.h"
#include "functions/errors.h"

namespace iii::functions {

Result<Document> read_document(content::Content& content, const content::Generation& generation,
                               const content::FileRef& file, std::string_view what,
                               std::string_view shown) {
  Result<FileBytes> bytes = content.read(generation, file);
  if (!bytes) {
    return std::unexpected(unreadable(what, shown, file.path + ": " + bytes.error().message));
  }
  const size_t offset =
      content::body_offset(bytes->bytes, content::ParseOptions{.lenient = content.lenient()});
  std::string body = std::move(bytes->bytes);
  body.erase(0, offset);
  // R28: only line feeds, or nothing at all.
  if (body.find_first_not_of('\n') == std::string::npos) {
    return std::unexpected(unreadable(what, shown, file.path + " has an empty body"));
  }
  return Document{std::move(body), bytes->stamp.mtime_ns};
}

}  // namespace iii::functions
