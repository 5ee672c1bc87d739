#include "directory/legacy/skill_functions.h"

#include <memory>
#include <optional>
#include <utility>

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
#include "foundation/base/files.h"

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

constexpr std::string_view kAskForFewerSkills = "directory::skills::list with `limit`";

// What the list and the index page are made of.
struct Listing {
  std::vector<IndexLine> lines;
  std::string problem;  // of state; the files are there all the same
};

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

class SkillFunctions {
 public:
  explicit SkillFunctions(const LegacyParts& parts) : parts_(parts), handlers_(parts.engine) {}

  task::Task<Result<RegisterSkillOutput>> add(std::string worker, RegisterSkillInput in) {
    Result<void> legal = check_registered_name("id", in.id);
    if (legal) legal = check_skill_body(in.skill);
    if (!legal) co_return std::unexpected(refused_registration(Registry::kSkills, legal.error()));
    RegisterSkillOutput out{.id = in.id, .registered_at = content::format_time(file_clock_ns())};
    RegisteredSkill skill{
        .id = std::move(in.id), .skill = std::move(in.skill), .registered_at = out.registered_at};
    const Result<void> stored =
        co_await parts_.library.register_skill(std::move(skill), std::move(worker));
    if (!stored) co_return std::unexpected(failed_state(Registry::kSkills, stored.error()));
    parts_.on_change.registered(ChangeKind::kSkill, "register", out.id);
    co_return out;
  }

  task::Task<Result<UnregisterSkillOutput>> remove(UnregisterSkillInput in) {
    if (const Result<void> legal = check_registered_name("id", in.id); !legal) {
      co_return std::unexpected(refused_registration(Registry::kSkills, legal.error()));
    }
    const Result<bool> removed = co_await parts_.library.unregister_skill(in.id);
    if (!removed) co_return std::unexpected(failed_state(Registry::kSkills, removed.error()));
    if (*removed) parts_.on_change.registered(ChangeKind::kSkill, "unregister", in.id);
    co_return UnregisterSkillOutput{.id = std::move(in.id), .removed = *removed};
  }

  task::Task<Result<json::Raw>> list() {
    const Listing found = co_await everything();
    ResourcesOutput out;
    out.resources.push_back({.uri = "iii://skills",
                             .name = "skills",
                             .description = "One page that names every skill there is.",
                             .mime_type = kMarkdown});
    for (const IndexLine& line : found.lines) {
      out.resources.push_back({.uri = std::string(kIndexScheme) + line.id,
                               .name = line.title.empty() ? line.id : line.title,
                               .mime_type = kMarkdown});
    }
    co_return bounded(json::encode(out), kAskForFewerSkills);
  }

  task::Task<Result<json::Raw>> read(Context context, ReadResourceInput in) {
    const Result<ResourceUri> uri = parse_resource_uri(in.uri);
    if (uri && uri->kind == ResourceUri::Kind::kIndex) {
      const Listing found = co_await everything();
      co_return content_of(in.uri, {kMarkdown, index_page(found.lines, found.problem)});
    }
    // A file of exactly that id comes first.
    if (in.uri.starts_with(kIndexScheme)) {
      Result<std::optional<std::string>> file =
          co_await file_text(parts_.library, {}, in.uri.substr(kIndexScheme.size()));
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

  static ResourceTemplatesOutput templates() {
    return {.templates = {{.uri_template = "iii://{skill_id}",
                           .name = "Skill",
                           .description = "The text of a skill.",
                           .mime_type = kMarkdown},
                          {.uri_template = "iii://{skill_id}/{function_id}",
                           .name = "Skill section",
                           .description = "What a function returns when it is called with nothing.",
                           .mime_type = kMarkdown}}};
  }

 private:
  // Never fails: a problem with state is told beside what there is.
  task::Task<Listing> everything() {
    Library::Asked asked = co_await parts_.library.ask_registrations(ChangeKind::kSkill);
    Listing out;
    for (const LegacySkill& skill : skills_in(asked.view)) {
      if (skill.registered != nullptr) {
        const std::string& text = *skill.registered->text;
        out.lines.push_back({skill.id, heading_of(text).value_or(""), paragraph_of(text)});
      } else {
        out.lines.push_back({skill.id, asked.view.title(*skill.row),
                             on_one_line(cut_text(skill.row->description, kMaxDescription))});
      }
    }
    if (asked.problem) out.problem = std::move(asked.problem->message);
    co_return out;
  }

  task::Task<Result<SectionText>> registered_text(std::string id) {
    if (const Result<void> legal = check_registered_name("id", id); !legal) {
      co_return std::unexpected(refused_registration(Registry::kSkills, legal.error()));
    }
    Result<std::optional<RegisteredSkill>> found = co_await parts_.registered().skill(id);
    if (!found) co_return std::unexpected(failed_state(Registry::kSkills, found.error()));
    if (!*found) {
      const View all = co_await parts_.library.current({.filtered = false, .registered = false});
      co_return std::unexpected(
          skill_not_found(id, co_await suggest_skills(parts_.library, all, id)));
    }
    co_return SectionText{kMarkdown, std::move((*found)->skill)};
  }

  task::Task<Result<SectionText>> section(Context context, std::string function_id) {
    if (is_reserved_function(function_id)) {
      co_return std::unexpected(reserved_function(Registry::kSkills, function_id));
    }
    const Result<json::Raw> output = co_await handlers_.call(std::move(context), function_id, "{}",
                                                             parts_.registered().options().timeout);
    const Result<json::Value> value =
        output ? json::parse(output->text) : Result<json::Value>(std::unexpected(output.error()));
    if (!value) {
      co_return std::unexpected(failed_call(Registry::kSkills, function_id, value.error().message));
    }
    co_return section_text(*value);
  }

  static Result<json::Raw> content_of(std::string uri, SectionText text) {
    ReadResourceOutput out;
    out.contents.push_back({.uri = std::move(uri),
                            .mime_type = std::move(text.mime_type),
                            .text = std::move(text.text)});
    return bounded(json::encode(out), kAskForFewerSkills);
  }

  const LegacyParts parts_;
  HandlerCalls handlers_;
};

}  // namespace

void add_registered_skill_functions(FunctionTable& table, const LegacyParts& parts) {
  const auto skills = std::make_shared<SkillFunctions>(parts);
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
      [](legacy::EmptyInput) { return SkillFunctions::templates(); });
}

}  // namespace iii::directory
