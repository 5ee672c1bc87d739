#include "legacy/skill_functions.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/files.h"
#include "functions/document.h"
#include "functions/errors.h"
#include "functions/limits.h"
#include "functions/resolve.h"
#include "legacy/descriptions.h"
#include "legacy/files.h"
#include "legacy/names.h"
#include "legacy/refusals.h"
#include "legacy/resource.h"
#include "legacy/skill_text.h"
#include "legacy/skill_types.h"
#include "library/cause.h"

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
constexpr std::string_view kScheme = "iii://";

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
  SkillFunctions(sdk::Worker& worker, const LegacyParts& parts) : worker_(worker), parts_(parts) {}

  sdk::Task<Result<RegisterSkillOutput>> add(RegisterSkillInput in) {
    Result<void> legal = check_registered_name("id", in.id);
    if (legal) legal = check_skill_body(in.skill);
    if (!legal) co_return std::unexpected(refused_registration(Registry::kSkills, legal.error()));
    RegisterSkillOutput out{.id = in.id, .registered_at = content::format_time(file_clock_ns())};
    RegisteredSkill skill{
        .id = std::move(in.id), .skill = std::move(in.skill), .registered_at = out.registered_at};
    const Result<void> stored = co_await parts_.library.register_skill(std::move(skill));
    if (!stored) co_return std::unexpected(failed_state(Registry::kSkills, stored.error()));
    parts_.on_change.registered(ChangeKind::kSkill, "register", out.id);
    co_return out;
  }

  sdk::Task<Result<UnregisterSkillOutput>> remove(UnregisterSkillInput in) {
    if (const Result<void> legal = check_registered_name("id", in.id); !legal) {
      co_return std::unexpected(refused_registration(Registry::kSkills, legal.error()));
    }
    const Result<bool> removed = co_await parts_.library.unregister_skill(in.id);
    if (!removed) co_return std::unexpected(failed_state(Registry::kSkills, removed.error()));
    if (*removed) parts_.on_change.registered(ChangeKind::kSkill, "unregister", in.id);
    co_return UnregisterSkillOutput{.id = std::move(in.id), .removed = *removed};
  }

  sdk::Task<Result<json::Raw>> list() {
    const Listing found = co_await everything();
    ResourcesOutput out;
    out.resources.push_back({.uri = "iii://skills",
                             .name = "skills",
                             .description = "One page that names every skill there is.",
                             .mime_type = kMarkdown});
    for (const IndexLine& line : found.lines) {
      out.resources.push_back({.uri = std::string(kScheme) + line.id,
                               .name = line.title.empty() ? line.id : line.title,
                               .description = {},
                               .mime_type = kMarkdown});
    }
    co_return bounded(json::encode(out));
  }

  sdk::Task<Result<json::Raw>> read(ReadResourceInput in) {
    const Result<ResourceUri> uri = parse_resource_uri(in.uri);
    if (uri && uri->kind == ResourceUri::Kind::kIndex) {
      const Listing found = co_await everything();
      co_return content_of(in.uri, {kMarkdown, index_page(found.lines, found.problem)});
    }
    Result<std::optional<std::string>> file = co_await file_text(in.uri);
    if (!file) co_return std::unexpected(std::move(file.error()));
    if (*file) co_return content_of(in.uri, {kMarkdown, std::move(**file)});
    if (!uri) co_return std::unexpected(refused_resource(uri.error()));
    const bool whole = uri->kind == ResourceUri::Kind::kSkill;
    Result<SectionText> text =
        co_await (whole ? registered_text(uri->skill_id) : section(uri->function_id));
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
  // Files and registrations by id. Never fails: a problem with state is told beside what there is.
  sdk::Task<Listing> everything() {
    Listing out;
    std::vector<IndexLine> registered;
    const Result<std::vector<RegisteredSkill>> found = co_await parts_.registered().skills();
    if (!found) {
      out.problem = found.error().message;
    } else {
      for (const RegisteredSkill& skill : *found) {
        registered.push_back(
            {skill.id, heading_of(skill.skill).value_or(""), paragraph_of(skill.skill)});
      }
    }
    const View view = co_await parts_.library.current(kVisibleFiles);
    std::vector<IndexLine> files;
    for (const FileSkill& file : file_skills(view)) {
      files.push_back({file.id, view.title(*file.skill),
                       on_one_line(cut_text(file.skill->description, kMaxDescription))});
    }
    out.lines = merge_rows(std::move(files), std::move(registered), &IndexLine::id);
    co_return out;
  }

  // The body of the file that an address names exactly, if there is one.
  sdk::Task<Result<std::optional<std::string>>> file_text(std::string uri) {
    using Found = std::optional<std::string>;
    if (!uri.starts_with(kScheme)) co_return Found();
    const std::string id = uri.substr(kScheme.size());
    const View all = co_await parts_.library.current(kAllFiles);
    if (look_up(all, id) == nullptr) co_return Found();
    co_return co_await parts_.library.answer_from(
        kVisibleFiles, [&](const View& view) { return file_text_of(view, id); });
  }

  sdk::Task<Result<std::optional<std::string>>> file_text_of(const View& view,
                                                             const std::string& id) {
    using Found = std::optional<std::string>;
    const content::Skill* skill = look_up(view, id);
    if (skill == nullptr) co_return Found();
    Result<Body> body = read_skill(parts_.library, view, *skill, id);
    if (!body) co_return std::unexpected(std::move(body.error()));
    co_return Found(std::move(body->text));
  }

  sdk::Task<Result<SectionText>> registered_text(std::string id) {
    if (const Result<void> legal = check_registered_name("id", id); !legal) {
      co_return std::unexpected(refused_registration(Registry::kSkills, legal.error()));
    }
    Result<std::optional<RegisteredSkill>> found = co_await parts_.registered().skill(id);
    if (!found) co_return std::unexpected(failed_state(Registry::kSkills, found.error()));
    if (!*found) {
      const View all = co_await parts_.library.current(kAllFiles);
      co_return std::unexpected(skill_not_found(id, suggest_skills(all, id)));
    }
    co_return SectionText{kMarkdown, std::move((*found)->skill)};
  }

  sdk::Task<Result<SectionText>> section(std::string function_id) {
    if (is_reserved_function(function_id)) {
      co_return std::unexpected(reserved_function(Registry::kSkills, function_id));
    }
    sdk::CallOptions options;
    options.timeout = parts_.registered().options().timeout;
    const json::Raw nothing{"{}"};
    const sdk::Reply<json::Value> output =
        co_await worker_.trigger<json::Value>(function_id, nothing, options);
    if (!output) {
      co_return std::unexpected(
          failed_call(Registry::kSkills, function_id, cause_of(output.error(), *options.timeout)));
    }
    co_return section_text(*output);
  }

  static Result<json::Raw> content_of(std::string uri, SectionText text) {
    ReadResourceOutput out;
    out.contents.push_back({.uri = std::move(uri),
                            .mime_type = std::move(text.mime_type),
                            .text = std::move(text.text)});
    return bounded(json::encode(out));
  }

  static Result<json::Raw> bounded(std::string text) {
    if (text.size() > kMaxAnswerBytes) {
      return std::unexpected(
          answer_too_large(text.size(), kMaxAnswerBytes, "directory::skills::list with `limit`"));
    }
    return json::Raw{std::move(text)};
  }

  sdk::Worker& worker_;
  const LegacyParts parts_;
};

}  // namespace

void add_registered_skill_functions(sdk::Worker& worker, const LegacyParts& parts) {
  const auto skills = std::make_shared<SkillFunctions>(worker, parts);
  const auto add = [skills](RegisterSkillInput in) { return skills->add(std::move(in)); };
  const auto remove = [skills](UnregisterSkillInput in) { return skills->remove(std::move(in)); };
  const auto list = [skills](legacy::EmptyInput) { return skills->list(); };
  const auto read = [skills](ReadResourceInput in) { return skills->read(std::move(in)); };
  const auto templates = [](legacy::EmptyInput) { return SkillFunctions::templates(); };
  static_cast<void>(worker.function("skills::register", about::kSkillsRegister, add));
  static_cast<void>(worker.function("skills::unregister", about::kSkillsUnregister, remove));
  static_cast<void>(worker.function_returning<ResourcesOutput>(
      {.id = "skills::resources-list", .description = about::kResourcesList}, list));
  static_cast<void>(worker.function_returning<ReadResourceOutput>(
      {.id = "skills::resources-read", .description = about::kResourcesRead}, read));
  static_cast<void>(
      worker.function("skills::resources-templates", about::kResourcesTemplates, templates));
}

}  // namespace iii::directory
