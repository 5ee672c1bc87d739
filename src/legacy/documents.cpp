#include "legacy/documents.h"

#include <algorithm>
#include <utility>

#include "functions/document.h"
#include "functions/resolve.h"

namespace iii::directory {

namespace {

using Text = std::optional<std::string>;

sdk::Task<Result<Text>> file_text_in(Library& library, const View& view, const std::string& id) {
  const content::Skill* skill = look_up(view, id);
  if (skill == nullptr) co_return Text();
  Result<Body> body = read_skill(library, view, *skill, id);
  if (!body) co_return std::unexpected(std::move(body.error()));
  co_return Text(std::move(body->text));
}

}  // namespace

std::vector<LegacySkill> skills_in(const View& view) {
  std::vector<LegacySkill> out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (!view.shows(skill->id)) continue;
    const RegisteredDocument* registered = view.registration(skill->file);
    out.push_back({registered != nullptr ? registered->key : view.display(skill->id), skill.get(),
                   registered});
  }
  std::ranges::sort(out, {}, &LegacySkill::id);
  return out;
}

sdk::Task<Result<Text>> file_text(Library& library, ViewOptions options, std::string id) {
  options.registered = false;
  co_return co_await library.answer_from(
      options, [&](const View& view) { return file_text_in(library, view, id); });
}

}  // namespace iii::directory
