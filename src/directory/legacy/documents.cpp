#include "directory/legacy/documents.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "directory/content/ids.h"
#include "directory/legacy/names.h"
#include "directory/legacy/refusals.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "foundation/base/files.h"

namespace iii::directory {

namespace {

using Text = std::optional<std::string>;

task::Task<Result<Text>> body_of_document(Library& library, const View& view,
                                          const std::string& id) {
  const content::Skill* skill = look_up(view, id);
  if (skill == nullptr) co_return Text();
  if (const RegisteredDocument* registered = view.registration(skill->file)) {
    co_return Text(registered->text);
  }
  Result<Body> body = read_skill(library, view, *skill, id);
  if (!body) co_return std::unexpected(std::move(body.error()));
  co_return Text(std::move(body->text));
}

// `out` has the files.
std::vector<LegacyDocument> with_registered(std::vector<LegacyDocument> out,
                                            const RegisteredRows& registered,
                                            Result<void> (*check)(std::string_view key)) {
  for (const RegisteredPtr& each : registered) {
    if (!check(each->key)) continue;
    out.push_back({.id = each->key,
                   .description = each->description,
                   .bytes = each->text.size(),
                   .time = each->registered_at,
                   .function_id = each->function_id,
                   .arguments = each->arguments,
                   .argument_count = each->arguments.size(),
                   .origin = "registered"});
  }
  std::ranges::sort(out, {},
                    [](const LegacyDocument& row) { return std::tie(row.id, row.origin); });
  const auto [first, last] = std::ranges::unique(out, {}, &LegacyDocument::id);
  out.erase(first, last);
  return out;
}

}  // namespace

task::Task<LegacyView> legacy_view(Library& library, ChangeKind kind) {
  Result<RegistrationsPtr> now = std::make_shared<const Registrations>();
  if (library.registrations() != nullptr) now = co_await library.registrations()->refresh(kind);
  const bool filtered = kind == ChangeKind::kSkill;
  LegacyView out{co_await library.current({.filtered = filtered, .registered = false}),
                 now.value_or(std::make_shared<const Registrations>())};
  if (!now) out.problem = std::move(now.error());
  co_return out;
}

task::Task<Result<json::Raw>> legacy_answer(Library& library, ChangeKind kind,
                                            Result<json::Raw> (*make)(const LegacyView& view)) {
  LegacyView all = co_await legacy_view(library, kind);
  View files = all.files;
  co_return co_await library.answer(
      std::move(files), [all = std::move(all), make](const View&) { return make(all); });
}

std::vector<LegacyDocument> skills_in(const LegacyView& view) {
  std::vector<LegacyDocument> out;
  for (const content::SkillPtr& skill : view.files.generation().skills) {
    if (!view.files.shows(skill->id)) continue;
    out.push_back({.id = view.files.display(skill->id),
                   .title = view.files.title(*skill),
                   .description = skill->description,
                   .bytes = skill->bytes,
                   .time = content::format_time(skill->mtime_ns)});
  }
  return with_registered(std::move(out), view.registrations->skills, content::check_id);
}

std::vector<LegacyDocument> prompts_in(const LegacyView& view) {
  std::vector<LegacyDocument> out;
  for (const content::PromptPtr& prompt : view.files.generation().prompts) {
    out.push_back({.id = prompt->name,
                   .description = prompt->description,
                   .time = content::format_time(prompt->mtime_ns)});
  }
  return with_registered(std::move(out), view.registrations->prompts, content::check_name);
}

task::Task<Result<Text>> document_text(Library& library, ViewOptions options, std::string id) {
  co_return co_await library.answer_from(
      options, [&](const View& view) { return body_of_document(library, view, id); });
}

task::Task<Result<std::string>> register_document(LegacyParts parts, ChangeKind kind,
                                                  RegisteredDocument document) {
  if (const Result<void> legal = check_registration(kind, document); !legal) {
    co_return std::unexpected(refused_registration(kind, legal.error()));
  }
  const std::string key = document.key;
  std::string time = document.registered_at = content::format_time(file_clock_ns());
  const Result<void> stored = co_await parts.registered().put(kind, std::move(document));
  if (!stored) co_return std::unexpected(failed_state(kind, stored.error()));
  parts.on_change.registered(kind, "register", key);
  co_return time;
}

task::Task<Result<bool>> unregister_document(LegacyParts parts, ChangeKind kind, std::string key) {
  if (const Result<void> legal = check_key(kind, key); !legal) {
    co_return std::unexpected(refused_registration(kind, legal.error()));
  }
  const Result<bool> removed = co_await parts.registered().remove(kind, key);
  if (!removed) co_return std::unexpected(failed_state(kind, removed.error()));
  if (*removed) parts.on_change.registered(kind, "unregister", key);
  co_return *removed;
}

}  // namespace iii::directory
