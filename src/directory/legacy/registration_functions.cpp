#include "directory/legacy/skills_015.h"

#include <utility>

#include "directory/legacy/descriptions.h"
#include "directory/legacy/skill_types.h"
#include "directory/table/function_table.h"
#include "directory/table/limits.h"

namespace iii::directory {

namespace {

using legacy::Registered;
using legacy::RegisterPromptInput;
using legacy::RegisterSkillInput;
using legacy::Unregistered;
using legacy::UnregisterInput;

constexpr ChangeKind kSkill = ChangeKind::kSkill;
constexpr ChangeKind kPrompt = ChangeKind::kPrompt;

template <ChangeKind kKind>
task::Task<Result<Registered<kKind>>> add(LegacyParts parts, RegisteredDocument document) {
  std::string key = document.key;
  Result<std::string> time = co_await register_document(parts, kKind, std::move(document));
  if (!time) co_return std::unexpected(std::move(time.error()));
  co_return Registered<kKind>{std::move(key), std::move(*time)};
}

template <ChangeKind kKind>
task::Task<Result<Unregistered<kKind>>> remove(LegacyParts parts, std::string key) {
  const Result<bool> removed = co_await unregister_document(parts, kKind, key);
  if (!removed) co_return std::unexpected(removed.error());
  co_return Unregistered<kKind>{std::move(key), *removed};
}

template <ChangeKind kKind>
void add_unregister(FunctionTable& table, const LegacyParts& parts, FunctionInfo info) {
  info.hints = {.destructive = true, .idempotent = true};
  info.published = true;
  table.add<UnregisterInput<kKind>, Unregistered<kKind>>(
      std::move(info),
      [parts](UnregisterInput<kKind> in) { return remove<kKind>(parts, std::move(in.key)); });
}

}  // namespace

void add_registration_functions(FunctionTable& table, const LegacyParts& parts) {
  table.add<RegisterSkillInput, Registered<kSkill>>(
      {.id = "skills::register",
       .title = "Register a skill",
       .description = about::kSkillsRegister,
       .hints = {.idempotent = true},
       .max_input_bytes = kMaxLargeInputBytes,
       .published = true},
      [parts](const Context& context, RegisterSkillInput in) {
        in.worker = context.caller;
        return add<kSkill>(parts, std::move(in));
      });
  add_unregister<kSkill>(table, parts,
                         {.id = "skills::unregister",
                          .title = "Unregister a skill",
                          .description = about::kSkillsUnregister});
  table.add<RegisterPromptInput, Registered<kPrompt>>(
      {.id = "prompts::register",
       .title = "Register a prompt",
       .description = about::kPromptsRegister,
       .hints = {.idempotent = true},
       .max_input_bytes = kMaxLargeInputBytes,
       .published = true},
      [parts](RegisterPromptInput in) { return add<kPrompt>(parts, std::move(in)); });
  add_unregister<kPrompt>(table, parts,
                          {.id = "prompts::unregister",
                           .title = "Unregister a prompt",
                           .description = about::kPromptsUnregister});
}

}  // namespace iii::directory
