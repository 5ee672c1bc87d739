#include "directory/reading/document.h"

#include <utility>

#include "directory/table/errors.h"

namespace iii::directory {

namespace {

template <typename T>
Result<T> explained(Result<T> body, std::string_view what, std::string_view shown,
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

task::Task<Result<Body>> read_whole_skill(Library& library, const View& view,
                                          const content::Skill& skill, std::string shown) {
  Result<Body> body = co_await library.read_later(view, skill);
  // Leniently a document of any size is served, in parts.
  const bool in_parts =
      !body && body.error().code == "too_large" && view.snapshot().folders->content->lenient();
  co_return in_parts ? std::move(body) : explained(std::move(body), "skill", shown, skill.file);
}

task::Task<Result<BodyPart>> read_skill_part(Library& library, const View& view,
                                             const content::Skill& skill, std::string shown,
                                             PartRange range) {
  Result<BodyPart> part = co_await library.read_part(view, skill, range);
  co_return explained(std::move(part), "skill", shown, skill.file);
}

Result<Body> read_prompt(Library& library, const View& view, const content::Prompt& prompt) {
  return explained(library.read(view, prompt), "prompt", prompt.name, prompt.file);
}

}  // namespace iii::directory
