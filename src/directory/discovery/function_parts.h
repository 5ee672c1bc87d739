// Parts of the answers of directory::engine::functions::info and of its earlier versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::directory {

inline constexpr std::string_view kFunctionText = "Id to call it by.";
inline constexpr std::string_view kOwnerText =
    "Worker that registered it; if the engine does not tell, the first `::` segment of the id.";
inline constexpr std::string_view kNamespaceText =
    "Namespace it is registered in; absent if the engine does not tell.";
inline constexpr std::string_view kWhichNamespaceText =
    "Namespace to look in, as the list shows it. Default: `default`, else the only one that has "
    "the function.";
inline constexpr std::string_view kDescriptionText =
    "What it does; null if its worker does not say.";
inline constexpr std::string_view kRequestText = "JSON Schema of its input; null without one.";
inline constexpr std::string_view kResponseText = "JSON Schema of its output; null without one.";
inline constexpr std::string_view kMetadataText =
    "What its worker registered beside it; null if nothing.";
inline constexpr std::string_view kCallersText = "Registered triggers that call it.";
inline constexpr std::string_view kGuideText =
    "The skill of type `how-to` about this function; null or absent if there is none.";
inline constexpr std::string_view kRelatedText = "Other skills that mention the function.";
inline constexpr std::string_view kGuideTitleText = "Title of the document.";
inline constexpr std::string_view kSkillIdText = "Id to pass to directory::skills::get.";
inline constexpr std::string_view kBindingIdText = "Id of the registered trigger.";
inline constexpr std::string_view kBindingTypeText = "Trigger type that it is bound to.";
inline constexpr std::string_view kBindingConfigText = "Config of the binding, as registered.";
inline constexpr std::string_view kGuideBodyText = "The markdown after the frontmatter.";

struct GuideFrontmatter {
  std::optional<std::string> type;
  std::vector<std::string> functions;
  std::optional<std::string> function_id;
  std::optional<std::string> title;
};
// Published: title, id and body.
struct HowGuide {
  std::string skill_id;
  std::string title;
  std::string abs_path;
  GuideFrontmatter frontmatter;
  std::string body;
};
struct RelatedSkill {
  std::string title;
  std::string skill_id;
};
struct TriggerSummary {
  std::string id;
  std::string trigger_type;
  json::Value config;
};

inline auto describe(json::Type<GuideFrontmatter>) {
  using T = GuideFrontmatter;
  return json::object<T>(
      "HowToFrontmatter", "",
      json::field("type", &T::type, "Always `how-to`: other documents are not considered.")
          .nullable()
          .null_default(),
      json::field("functions", &T::functions, "Functions that it covers.").optional(),
      json::field("function_id", &T::function_id,
                  "The function that it covers, instead of `functions`.")
          .nullable()
          .null_default(),
      json::field("title", &T::title, "Title; null when the heading serves as one.")
          .nullable()
          .null_default());
}
inline auto describe(json::Type<HowGuide>) {
  using T = HowGuide;
  return json::object<T>("HowGuide", "", json::field("title", &T::title, kGuideTitleText),
                         json::field("skill_id", &T::skill_id, kSkillIdText),
                         json::field("body", &T::body, kGuideBodyText));
}
inline auto describe(json::Type<RelatedSkill>) {
  using T = RelatedSkill;
  return json::object<T>("RelatedSkill", "", json::field("title", &T::title, kGuideTitleText),
                         json::field("skill_id", &T::skill_id, kSkillIdText));
}
inline auto describe(json::Type<TriggerSummary>) {
  using T = TriggerSummary;
  return json::object<T>("RegisteredTriggerSummary", "", json::field("id", &T::id, kBindingIdText),
                         json::field("trigger_type", &T::trigger_type, kBindingTypeText),
                         json::field("config", &T::config, kBindingConfigText));
}

}  // namespace iii::directory
