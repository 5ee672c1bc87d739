#include "directory/legacy/documents.h"

#include <algorithm>
#include <utility>

#include "directory/library/merger.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"

namespace iii::directory {

namespace {

using Text = std::optional<std::string>;

task::Task<Result<Text>> file_text_in(Library& library, const View& view, const std::string& id) {
  const content::Skill* skill = look_up(view, id);
  if (skill == nullptr) co_return Text();
  Result<Body> body = read_skill(library, view, *skill, id);
  if (!body) co_return std::unexpected(std::move(body.error()));
  co_return Text(std::move(body->text));
}

// The registration that a file has the id of. The file wins, but not where the installed-worker
// filter hides it: then nothing would be shown.
const RegisteredDocument* registration_behind(const View& view, const content::Skill& file) {
  const RegistrationsPtr& registrations = view.snapshot().registrations;
  if (registrations == nullptr) return nullptr;
  const auto of_key = [&](const std::string& key) {
    return find_registered(*registrations, {.root = 0, .path = "skills/" + key});
  };
  const RegisteredDocument* exact = of_key(file.id);
  return exact != nullptr ? exact : of_key(content::display_id(view.generation(), file.id));
}

}  // namespace

std::vector<LegacySkill> skills_in(const View& view) {
  std::vector<LegacySkill> out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    const bool shown = view.shows(skill->id);
    const RegisteredDocument* registered =
        shown ? view.registration(skill->file) : registration_behind(view, *skill);
    if (!shown && registered == nullptr) continue;
    out.push_back({registered != nullptr ? registered->key : view.display(skill->id), skill.get(),
                   registered});
  }
  std::ranges::sort(out, {}, &LegacySkill::id);
  return out;
}

task::Task<Result<Text>> file_text(Library& library, ViewOptions options, std::string id) {
  options.registered = false;
  co_return co_await library.answer_from(
      options, [&](const View& view) { return file_text_in(library, view, id); });
}

}  // namespace iii::directory
