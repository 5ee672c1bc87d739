#include "functions/document.h"

#include <utility>

#include "content/parse.h"
#include "functions/errors.h"

namespace iii::directory {

namespace {

// `known` is null where nothing can be known about the file.
Result<Document> read_body(content::Content& content, const content::Generation& generation,
                           const content::FileRef& file, std::string_view what,
                           std::string_view shown, const content::Skill* known) {
  Result<FileBytes> bytes = content.read(generation, file);
  if (!bytes) {
    return std::unexpected(unreadable(what, shown, file.path + ": " + bytes.error().message));
  }
  std::string body = std::move(bytes->bytes);
  const FileStamp& stamp = bytes->stamp;
  const bool same = known != nullptr && known->body.inode != 0 &&
                    known->body.inode == stamp.inode && known->body.ctime_ns == stamp.ctime_ns &&
                    known->mtime_ns == stamp.mtime_ns && known->bytes == body.size() &&
                    known->body.offset <= body.size();
  body.erase(
      0, same ? known->body.offset : content::body_offset(body, {.lenient = content.lenient()}));
  // R28: only line feeds, or nothing at all.
  if (body.find_first_not_of('\n') == std::string::npos) {
    return std::unexpected(unreadable(what, shown, file.path + " has an empty body"));
  }
  return Document{std::move(body), stamp.mtime_ns};
}

}  // namespace

Result<Document> read_document(content::Content& content, const content::Generation& generation,
                               const content::FileRef& file, std::string_view what,
                               std::string_view shown) {
  return read_body(content, generation, file, what, shown, nullptr);
}

Result<Document> read_skill(content::Content& content, const content::Generation& generation,
                            const content::Skill& skill, std::string_view shown) {
  return read_body(content, generation, skill.file, "skill", shown, &skill);
}

}  // namespace iii::directory
