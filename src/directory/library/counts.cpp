#include "directory/library/counts.h"

#include "directory/library/view.h"

namespace iii::directory {

namespace {

uint64_t& column_of(Counts& counts, content::SkillKind kind) {
  switch (kind) {
    case content::SkillKind::kReference:
      return counts.references;
    case content::SkillKind::kReadme:
      return counts.readmes;
    case content::SkillKind::kSkill:
      break;
  }
  return counts.skills;
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  skills += other.skills;
  references += other.references;
  readmes += other.readmes;
  prompts += other.prompts;
  supporting += other.supporting;
  unserved += other.unserved;
  hidden += other.hidden;
  return *this;
}

std::vector<Counts> count_documents(const View& view) {
  const content::Generation& generation = view.generation();
  std::vector<Counts> out(generation.roots.size());
  for (const content::SkillPtr& skill : generation.skills) {
    Counts& counts = out[skill->file.root];
    ++column_of(counts, skill->kind);
    if (!view.shows(skill->id)) ++counts.hidden;
  }
  for (const content::PromptPtr& prompt : generation.prompts) ++out[prompt->file.root].prompts;
  // What is not served of a folder was counted when the folder was read.
  for (const content::FindingsPtr& list : generation.findings) {
    const content::Finding& first = list->front();
    const bool registered = content::is_registered(generation, first.file);
    if (registered && !first.served_as) ++out[first.file.root].unserved;
  }
  for (size_t i = 0; i < generation.accounting_of_roots.size() && i < out.size(); ++i) {
    if (!is_on_disk(generation.roots[i].kind)) continue;
    out[i].supporting = generation.accounting_of_roots[i].supporting;
    out[i].unserved = generation.accounting_of_roots[i].skipped;
  }
  return out;
}

std::vector<Counts> CountsCache::of(const View& view) {
  const std::lock_guard lock(mutex_);
  if (generation_ != view.shared_generation() || installed_ != view.installed()) {
    counts_ = count_documents(view);
    generation_ = view.shared_generation();
    installed_ = view.installed();
  }
  return counts_;
}

}  // namespace iii::directory
