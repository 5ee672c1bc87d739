#include "directory/legacy/skill_functions.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

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
#include "directory/table/function_table.h"
#include "directory/table/handler_calls.h"
#include "directory/table/limits.h"

namespace iii::directory {

namespace {

using legacy::ReadResourceInput;
using legacy::ReadResourceOutput;
using legacy::RegisterSkillInput;
using legacy::RegisterSkillOutput;
using legacy::Resource;
using legacy::ResourcesOutput;
using legacy::ResourceTemplatesOutput;
using legacy::UnregisterSkillInput;
using legacy::UnregisterSkillOutput;

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

std::vector<IndexLine> lines_of(const LegacyView& view) {
  std::vector<IndexLine> out;
  for (const LegacyRow<content::Skill>& row : skills_in(view)) {
    if (row.registered != nullptr) {
      const std::string& text = row.registered->text;
      out.push_back({row.id, heading_of(text).value_or(""), paragraph_of(text)});
    } else {
      out.push_back({row.id, view.files.title(*row.file),
                     on_one_line(cut_text(row.file->description, kMaxDescription))});
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
  for (const IndexLine& line : lines_of(view)) {
    out.resources.push_back({.uri = std::string(kIndexScheme) + line.id,
                             .name = line.title.empty() ? line.id : line.title,
                             .mime_type = kMarkdown});
  }
  return bounded(json::encode(out), kAskForFewerSkills);
}

// A problem with state is shown beside what there is.
Result<json::Raw> page_of(const LegacyView& view) {
  const std::string problem = view.problem ? view.problem->message : "";
  return content_of(kIndexUri, {kMarkdown, index_page(lines_of(view), problem)});
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

class SkillFunctions015 {
 public:
  explicit SkillFunctions015(const LegacyParts& parts) : parts_(parts), handlers_(parts.engine) {}

  task::Task<Result<RegisterSkillOutput>> add(std::string worker, RegisterSkillInput in) {
    RegisterSkillOutput out{.id = in.id};
    Result<std::string> time = co_await parts_.add(
        ChangeKind::kSkill,
        {.key = std::move(in.id), .text = std::move(in.skill), .worker = std::move(worker)});
    if (!time) co_return std::unexpected(std::move(time.error()));
    out.registered_at = std::move(*time);
    co_return out;
  }

  task::Task<Result<UnregisterSkillOutput>> remove(UnregisterSkillInput in) {
    const Result<bool> removed = co_await parts_.remove(ChangeKind::kSkill, in.id);
    if (!removed) co_return std::unexpected(removed.error());
    co_return UnregisterSkillOutput{.id = std::move(in.id), .removed = *removed};
  }

  task::Task<Result<json::Raw>> list() {
    return legacy_answer(parts_.library, ChangeKind::kSkill, resources_of);
  }

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

void add_registered_skill_functions(FunctionTable& table, const LegacyParts& parts) {
  const auto skills = std::make_shared<SkillFunctions015>(parts);
  table.add<RegisterSkillInput, RegisterSkillOutput>(
      {.id = "skills::register",
       .title = "Register a skill",
       .description = about::kSkillsRegister,
       .hints = {.idempotent = true},
       .max_input_bytes = kMaxLargeInputBytes,
       .published = true},
      [skills](const Context& context, RegisterSkillInput in) {
        return skills->add(context.caller, std::move(in));
      });
  table.add<UnregisterSkillInput, UnregisterSkillOutput>(
      {.id = "skills::unregister",
       .title = "Unregister a skill",
       .description = about::kSkillsUnregister,
       .hints = {.destructive = true, .idempotent = true},
       .published = true},
      [skills](UnregisterSkillInput in) { return skills->remove(std::move(in)); });
  table.add<legacy::EmptyInput, ResourcesOutput>(
      {.id = "skills::resources-list",
       .title = "List resources for a bridge",
       .description = about::kResourcesList,
       .hints = kReadOnly,
       .published = true},
      [skills](legacy::EmptyInput) { return skills->list(); });
  table.add<ReadResourceInput, ReadResourceOutput>(
      {.id = "skills::resources-read",
       .title = "Read a resource for a bridge",
       .description = about::kResourcesRead,
       .published = true},
      [skills](const Context& context, ReadResourceInput in) {
        return skills->read(context, std::move(in));
      });
  table.add<legacy::EmptyInput, ResourceTemplatesOutput>(
      {.id = "skills::resources-templates",
       .title = "Resource templates for a bridge",
       .description = about::kResourcesTemplates,
       .hints = kReadOnly,
       .published = true},
      [](legacy::EmptyInput) { return templates(); });
}

}  // namespace iii::directory
