#include "directory/reading/skill_row.h"

#include <algorithm>

#include "directory/library/document_paths.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

const content::Finding& worst_of(const std::vector<content::Finding>& findings) {
  return *std::ranges::max_element(findings, {}, &content::Finding::severity);
}

void add_reason(SkillRow& out, const View& view, const DocumentRow& row) {
  const DocumentState state = view.state(row);
  if (state == DocumentState::kServed) return;
  if (state == DocumentState::kFiltered) {
    out.code = "hidden_by_filter";
    out.reason = "`filter_unregistered` is on, and worker::list does not name the worker `" +
                 out.name_space + "`.";
    return;
  }
  const content::FindingsPtr findings = row.skill != nullptr
                                            ? findings_of(view.generation(), row.skill->file)
                                            : row.unserved->findings;
  if (findings == nullptr) return;
  const content::Finding& worst =
      row.skill != nullptr ? worst_of(*findings) : row.unserved->reason();
  out.code = worst.code;
  out.reason = worst.message;
}

SkillRow unserved_row(const UnservedDocument& document) {
  return {.id = document.id,
          .title = document.wanted,
          .type = std::string(kNoType),
          .kind = std::string(document.kind),
          .path = document.reason().file.path};
}

SkillRow served_row(const View& view, const content::Skill& skill) {
  SkillRow out = skill_row(view, skill);
  out.description = utf8_prefix(out.description, kShownCharacters);
  if (!out.type) out.type = kNoType;
  out.path = skill.file.path;
  return out;
}

}  // namespace

SkillRow skill_row(const View& view, const content::Skill& skill) {
  SkillRow out{.id = view.display(skill.id),
               .title = view.title(skill),
               .type = skill.type,
               .function_id = skill.function_id,
               .description = skill.description,
               .bytes = skill.bytes,
               .modified_at = content::format_time(skill.mtime_ns),
               .kind = std::string(kind_word(skill.kind))};
  if (!skill.name.empty() && skill.name != file_name(out.id)) out.name = skill.name;
  if (!unusual_path(skill).empty()) out.path = skill.file.path;
  if (!skill.for_agents) out.user_only = true;
  if (content::is_registered(view.generation(), skill.file)) out.origin = kRegisteredOrigin;
  return out;
}

SkillRow table_row(const View& view, const DocumentRow& row) {
  SkillRow out = row.skill != nullptr ? served_row(view, *row.skill) : unserved_row(*row.unserved);
  out.root = view.generation().roots[row.root].label;
  out.state = kDocumentStates[static_cast<size_t>(view.state(row))];
  out.name_space = row.key().substr(0, row.key().find('/'));
  add_reason(out, view, row);
  return out;
}

}  // namespace iii::directory
