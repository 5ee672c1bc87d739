#include "functions/document.h"

#include <utility>

#include "functions/errors.h"

namespace iii::directory {

namespace {

Result<Body> explained(Result<Body> body, std::string_view what, std::string_view shown,
                       const content::FileRef& file) {
  if (body || body.error().code == kStale) return body;
  const Error& error = body.error();
  const bool named = error.code == "empty";  // the message begins with the path
  return std::unexpected(
      unreadable(what, shown, named ? error.message : file.path + ": " + error.message));
}

}  // namespace

Result<Body> read_skill(Library& library, const View& view, const content::Skill& skill,
                        std::string_view shown) {
  return explained(library.read(view, skill), "skill", shown, skill.file);
}

Result<Body> read_prompt(Library& library, const View& view, const content::Prompt& prompt) {
  return explained(library.read(view, prompt), "prompt", prompt.name, prompt.file);
}

}  // namespace iii::directory
