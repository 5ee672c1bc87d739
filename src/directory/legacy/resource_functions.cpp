#include "directory/legacy/skills_015.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "directory/legacy/add_read.h"
#include "directory/legacy/descriptions.h"
#include "directory/legacy/documents.h"
#include "directory/legacy/names.h"
#include "directory/legacy/refusals.h"
#include "directory/legacy/resource.h"
#include "directory/legacy/skill_text.h"
#include "directory/legacy/skill_types.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/table/errors.h"
#include "directory/table/handler_calls.h"
#include "directory/table/limits.h"

namespace iii::directory {

namespace {

using legacy::ReadResourceInput;
using legacy::ReadResourceOutput;
using legacy::Resource;
using legacy::ResourcesOutput;
using legacy::ResourceTemplatesOutput;

constexpr const char* kMarkdown = "text/markdown";
constexpr std::string_view kIndexScheme = "iii://";
constexpr const char* kIndexUri = "iii://skills";
constexpr std::string_view kAskForFewerSkills = "directory::skills::list with `limit`";

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::vector<LegacyDocument> index_lines(const LegacyView& view) {
  std::vector<LegacyDocument> out = skills_in(view);
  for (LegacyDocument& each : out) {
    if (each.origin == "file") {
      each.description = on_one_line(cut_text(each.description, kMaxDescription));
    } else {
      const std::string& text = view.registrations->find(ChangeKind::kSkill, each.id)->text;
      each.title = heading_of(text).value_or("");
      each.description = paragraph_of(text);
    }
  }
  return out;
}

Result<json::Raw> content_of(std::string uri, SectionText text) {
  ReadResourceOutput out;
  out.contents.push_back({.uri = std::move(uri),
                          .mime_type = std::move(text.mime_type),
                          .text = std::move(text.text)});
  return bounded(json::encode(out), kAskForFewerSkills);
}

Result<json::Raw> resources_of(const LegacyView& view) {
  ResourcesOutput out;
  out.resources.push_back({.uri = kIndexUri,
                           .name = "skills",
                           .description = "One page that names every skill there is.",
                           .mime_type = kMarkdown});
  for (const LegacyDocument& line : index_lines(view)) {
    out.resources.push_back({.uri = std::string(kIndexScheme) + line.id,
                             .name = line.title.empty() ? line.id : line.title,
                             .mime_type = kMarkdown});
  }
  return bounded(json::encode(out), kAskForFewerSkills);
}

// A problem with state is shown beside what there is.
Result<json::Raw> page_of(const LegacyView& view) {
  const std::string problem = view.problem ? view.problem->message : "";
  return content_of(kIndexUri, {kMarkdown, index_page(index_lines(view), problem)});
}

ResourceTemplatesOutput templates() {
  return {.templates = {{.uri_template = "iii://{skill_id}",
                         .name = "Skill",
                         .description = "The text of a skill.",
                         .mime_type = kMarkdown},
                        {.uri_template = "iii://{skill_id}/{function_id}",
                         .name = "Skill section",
                         .description = "What a function returns when it is called with nothing.",
                         .mime_type = kMarkdown}}};
}

class ResourceFunctions {
 public:
  explicit ResourceFunctions(const LegacyParts& parts) : parts_(parts), handlers_(parts.engine) {}

  task::Task<Result<json::Raw>> read(Context context, ReadResourceInput in) {
    const Result<ResourceUri> uri = parse_resource_uri(in.uri);
    if (uri && uri->kind == ResourceUri::Kind::kIndex) {
      co_return co_await legacy_answer(parts_.library, ChangeKind::kSkill, page_of);
    }
    // A file of exactly that id comes first.
    if (in.uri.starts_with(kIndexScheme)) {
      Result<std::optional<std::string>> file = co_await document_text(
          parts_.library, {.registered = false}, in.uri.substr(kIndexScheme.size()));
      if (!file) co_return std::unexpected(std::move(file.error()));
      if (*file) co_return content_of(in.uri, {kMarkdown, std::move(**file)});
    }
    if (!uri) co_return std::unexpected(refused_resource(uri.error()));
    const bool whole = uri->kind == ResourceUri::Kind::kSkill;
    Result<SectionText> text = co_await (whole ? registered_text(uri->skill_id)
                                               : section(std::move(context), uri->function_id));
    if (!text) co_return std::unexpected(std::move(text.error()));
    co_return content_of(in.uri, std::move(*text));
  }

 private:
  task::Task<Result<SectionText>> registered_text(std::string id) {
    if (const Result<void> legal = check_key(ChangeKind::kSkill, id); !legal) {
      co_return std::unexpected(refused_registration(ChangeKind::kSkill, legal.error()));
    }
    const Result<RegisteredPtr> found =
        co_await parts_.registered().refresh(ChangeKind::kSkill, id);
    if (!found) co_return std::unexpected(failed_state(ChangeKind::kSkill, found.error()));
    if (*found == nullptr) {
      const View all = co_await parts_.library.current({.filtered = false, .registered = false});
      co_return std::unexpected(
          skill_not_found(id, co_await suggest_skills(parts_.library, all, id)));
    }
    co_return SectionText{kMarkdown, (*found)->text};
  }

  task::Task<Result<SectionText>> section(Context context, std::string function_id) {
    if (is_reserved_function(function_id)) {
      co_return std::unexpected(reserved_function(ChangeKind::kSkill, function_id));
    }
    const Result<json::Raw> output = co_await handlers_.call(std::move(context), function_id, "{}",
                                                             parts_.registered().options().timeout);
    const Result<json::Value> value =
        output ? json::parse(output->text) : Result<json::Value>(std::unexpected(output.error()));
    if (!value) {
      co_return std::unexpected(
          failed_call(ChangeKind::kSkill, function_id, value.error().message));
    }
    co_return section_text(*value);
  }

  const LegacyParts parts_;
  HandlerCalls handlers_;
};

}  // namespace

void add_resource_functions(FunctionTable& table, const LegacyParts& parts) {
  const auto skills = std::make_shared<ResourceFunctions>(parts);
  add_read<legacy::EmptyInput, ResourcesOutput>(
      table, "skills::resources-list", "List resources for a bridge", about::kResourcesList,
      [&library = parts.library](legacy::EmptyInput) {
        return legacy_answer(library, ChangeKind::kSkill, resources_of);
      });
  table.add<ReadResourceInput, ReadResourceOutput>(
      {.id = "skills::resources-read",
       .title = "Read a resource for a bridge",
       .description = about::kResourcesRead,
       .published = true},
      [skills](const Context& context, ReadResourceInput in) {
        return skills->read(context, std::move(in));
      });
  add_read<legacy::EmptyInput, ResourceTemplatesOutput>(
      table, "skills::resources-templates", "Resource templates for a bridge",
      about::kResourcesTemplates, [](legacy::EmptyInput) { return templates(); });
}

}  // namespace iii::directory
