#include "directory/legacy/on_change.h"

#include "directory/legacy/descriptions.h"
#include "foundation/base/log.h"

namespace iii::directory {

sdk::Family skills_family() {
  return {.name = "skills 0.1.5 (skills::*, prompts::*)",
          .functions = {"skills::register", "skills::unregister", "skills::list",
                        "skills::resources-list", "skills::resources-read",
                        "skills::resources-templates", "prompts::register", "prompts::unregister",
                        "prompts::list", "prompts::mcp-list", "prompts::mcp-get"},
          .trigger_types = {"skills::on-change", "prompts::on-change"}};
}

OnChange::OnChange(sdk::Worker& worker)
    : worker_(worker),
      skills_(worker.trigger_type("skills::on-change", about::kLegacySkillsOnChange).value()),
      prompts_(worker.trigger_type("prompts::on-change", about::kLegacyPromptsOnChange).value()) {}

void OnChange::registered(ChangeKind kind, std::string_view op, std::string_view id) {
  fire(kind, json::Object{{"op", op}, {kind == ChangeKind::kSkill ? "id" : "name", id}});
}

void OnChange::downloaded(ChangeKind kind, std::string_view name_space, std::string_view source) {
  fire(kind, json::Object{{"op", "download"}, {"namespace", name_space}, {"source", source}});
}

void OnChange::fire(ChangeKind kind, const json::Value& payload) const {
  const Type& type = kind == ChangeKind::kSkill ? skills_ : prompts_;
  // A copy: firing must not be disturbed by whoever unsubscribes meanwhile.
  const Type::Bindings bindings = type.bindings();
  for (const auto& [id, binding] : bindings) {
    if (const auto sent = worker_.fire_void(binding, payload); !sent) {
      log_warn("on-change: {} could not be called: {}", binding.function_id, sent.error().message);
    }
  }
}

}  // namespace iii::directory
