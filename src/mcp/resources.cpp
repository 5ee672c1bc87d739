#include "mcp/resources.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "functions/document.h"
#include "functions/errors.h"
#include "functions/resolve.h"
#include "functions/skill_frontmatter.h"
#include "json/write.h"
#include "mcp/base64.h"
#include "mcp/cursor.h"

namespace iii::mcp {

namespace {

constexpr std::string_view kList = "resources";
constexpr std::string_view kMarkdown = "text/markdown";

std::string index_row() {
  std::string out = "{";
  append_text_member(out, "uri", kIndexUri);
  append_text_member(out, "name", "skills");
  append_text_member(out, "title", "Index of skills");
  append_text_member(
      out, "description",
      "What there is: one section per worker or bundle, with the addresses to read.");
  append_text_member(out, "mimeType", kMarkdown);
  return out + "}";
}

std::string document_row(const directory::View& view, const content::Skill& skill) {
  const std::string id = view.display(skill.id);
  std::string out = "{";
  append_text_member(out, "uri", document_uri(id));
  append_text_member(out, "name", id);
  append_text_member(out, "title", view.title(skill));
  if (!skill.description.empty()) append_text_member(out, "description", skill.description);
  append_text_member(out, "mimeType", kMarkdown);
  return out + "}";
}

std::string file_row(const SkillRow& row) {
  std::string out = "{";
  append_text_member(out, "uri", file_uri(row.skill->file.path));
  append_text_member(out, "name", last_segment(row.folder));
  if (!row.skill->description.empty()) {
    append_text_member(out, "description", row.skill->description);
  }
  append_text_member(out, "mimeType", kMarkdown);
  append_member(out, "size", std::to_string(row.skill->bytes));
  return out + "}";
}

std::string offered_row(const OfferedResource& resource) {
  std::string out = "{";
  append_text_member(out, resource.is_template() ? "uriTemplate" : "uri", resource.uri);
  append_text_member(out, "name", resource.name);
  if (!resource.description.empty()) {
    append_text_member(out, "description", resource.description);
  }
  if (!resource.mime_type.empty()) append_text_member(out, "mimeType", resource.mime_type);
  return out + "}";
}

// A function gives a text, or `{text}` or `{blob}` with `mimeType`.
Result<ResourceContent> offered_content(const std::string& uri, const OfferedResource& resource,
                                        const json::Value& answer) {
  ResourceContent out{.uri = uri, .mime_type = resource.mime_type, .bytes = {}};
  if (const std::string* type = text_of(answer, "mimeType")) out.mime_type = *type;
  if (out.mime_type.empty()) out.mime_type = "text/plain";
  if (answer.as_string() != nullptr) {
    out.bytes = *answer.as_string();
  } else if (const std::string* text = text_of(answer, "text")) {
    out.bytes = *text;
  } else if (const std::string* blob = text_of(answer, "blob"); blob && base64_decode(*blob)) {
    out.bytes = *base64_decode(*blob);
  } else {
    out.mime_type = "application/json";
    out.bytes = json::to_text(answer);
  }
  return out;
}

std::string template_row(std::string_view uri, std::string_view name, std::string_view title,
                         std::string_view description) {
  std::string out = "{";
  append_text_member(out, "uriTemplate", uri);
  append_text_member(out, "name", name);
  append_text_member(out, "title", title);
  append_text_member(out, "description", description);
  return out + "}";
}

void append_schema(std::string& out, std::string_view heading,
                   const std::optional<json::Value>& schema) {
  if (!schema) return;
  out += "\n## ";
  out += heading;
  out += "\n\n```json\n" + json::to_pretty_text(*schema) + "\n```\n";
}

}  // namespace

std::string function_page(const CallableFunction& function) {
  std::string out = "# " + function.id + "\n";
  if (!function.description.empty()) out += "\n" + function.description + "\n";
  if (function.hints) {
    out += std::string("\n") +
           (function.hints->read_only ? "It changes nothing." : "It may change data.");
    if (function.hints->destructive) out += " It may remove or overwrite data.";
    out += "\n";
  }
  append_schema(out, "Arguments", function.request_schema);
  append_schema(out, "Answer", function.response_schema);
  return out;
}

// In this order: the index, documents by id, SKILL.md files by folder. The key of a cursor begins
// with the letter of its part.
sdk::Task<Outcome> Resources::list(json::Value params) {
  const auto cursor = read_cursor(kList, params);
  if (!cursor) co_return std::unexpected(cursor.error());
  const std::string after = cursor->value_or("");
  const directory::View view = co_await library_.current();
  SkillIndexPtr folders = co_await skills_.index(view);
  PageWriter page(kList);
  if (after.empty()) page.add(index_row(), "d");
  const auto& rows = view.generation().skills;
  auto begin = std::chrono::steady_clock::now();
  if (after.empty() || after.starts_with('d')) {
    const std::string_view id = after.empty() ? "" : std::string_view(after).substr(1);
    auto next = std::ranges::upper_bound(
        rows, id, {}, [](const content::SkillPtr& skill) { return std::string_view(skill->id); });
    for (; next != rows.end(); ++next) {
      if (page.is_full()) co_return page.finish(true);
      const content::Skill& skill = **next;
      if (skill.kind != content::SkillKind::kSkill || !skill.for_agents) continue;
      if (!view.shows(skill.id)) continue;
      page.add(document_row(view, skill), "d" + skill.id);
      co_await library_.let_others_run(begin);
    }
  }
  size_t at = 0;
  if (after.starts_with('f')) at = folders->after(std::string_view(after).substr(1));
  if (after.starts_with('r')) at = folders->rows().size();
  for (; at < folders->rows().size(); ++at) {
    if (page.is_full()) co_return page.finish(true);
    const SkillRow& row = folders->rows()[at];
    if (!row.skill->for_agents || !row.skill->readable || !view.shows(row.skill->id)) continue;
    if (!directory::is_skill_name(last_segment(row.folder))) continue;
    page.add(file_row(row), "f" + row.folder);
    co_await library_.let_others_run(begin);
  }
  CallableList functions = co_await callables_.engine(false);
  for (const CallablePtr& function : functions) {
    if (!function->resource || function->resource->is_template()) continue;
    if (after.starts_with('r') && function->id <= std::string_view(after).substr(1)) continue;
    if (page.is_full()) co_return page.finish(true);
    page.add(offered_row(*function->resource), "r" + function->id);
  }
  co_return page.finish(false);
}

sdk::Task<Outcome> Resources::templates(json::Value params) {
  const auto cursor = read_cursor("resourceTemplates", params);
  if (!cursor) co_return std::unexpected(cursor.error());
  PageWriter page("resourceTemplates");
  if (*cursor) co_return page.finish(false);
  page.add(template_row("iii://fn/{function}", "function", "A function",
                        "What a function does, its arguments and its answer, as Markdown."),
           "");
  page.add(template_row("iii://{+id}", "skill", "A skill",
                        "A skill or another document by its id, as Markdown."),
           "");
  page.add(template_row("skill://{+path}", "skill-file", "A file of a skill",
                        "SKILL.md, or a script, reference or asset beside it, byte for byte."),
           "");
  CallableList functions = co_await callables_.engine(false);
  for (const CallablePtr& function : functions) {
    if (!function->resource || !function->resource->is_template() || page.is_full()) continue;
    page.add(offered_row(*function->resource), "");
  }
  co_return page.finish(false);
}

sdk::Task<Outcome> Resources::read(Version version, json::Value params) {
  const std::string* uri = text_of(params, "uri");
  if (uri == nullptr) co_return refused("resources/read needs `uri`.");
  const std::optional<Uri> parsed = parse_uri(*uri);
  Result<ResourceContent> found = fail("missing", "this server has no such address");
  if (parsed) {
    found = co_await content(*parsed);
  } else {
    found = co_await offered(*uri);
  }
  if (!found) {
    RpcError error{.code = is_stateless(version) ? kInvalidParams : kResourceNotFound,
                   .message = "Resource not found: " + *uri + ": " + found.error().message,
                   .data = R"({"uri":)" + quote(*uri) + "}"};
    co_return std::unexpected(std::move(error));
  }
  const bool text = is_utf8(found->bytes);
  Reply out{.members = R"("contents":[{)", .cache = Cache::kRead};
  out.members.reserve(found->bytes.size() + found->bytes.size() / 8 + 256);
  append_text_member(out.members, "uri", *uri);
  append_text_member(out.members, "mimeType", found->mime_type);
  if (text) {
    append_text_member(out.members, "text", found->bytes);
  } else {
    append_text_member(out.members, "blob", base64_encode(found->bytes));
  }
  out.members += "}]";
  co_return out;
}

sdk::Task<Result<ResourceContent>> Resources::content(Uri uri) {
  switch (uri.kind) {
    case Uri::Kind::kIndex:
      return index_page(std::move(uri.rest));
    case Uri::Kind::kFunction:
      return function(std::move(uri.rest));
    case Uri::Kind::kFile:
      return file(std::move(uri.rest));
    case Uri::Kind::kDocument:
      break;
  }
  return document(std::move(uri.rest));
}

sdk::Task<Result<ResourceContent>> Resources::index_page(std::string task) {
  std::string input = "{}";
  if (!task.empty()) input = R"({"task":)" + quote(task) + "}";
  directory::Answer answer =
      co_await functions_.call("directory::skills::index", {.caller = "mcp"}, {std::move(input)});
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const std::optional<json::Slice> body = json::member(json::trimmed(answer->text), "body");
  co_return ResourceContent{.uri = std::string(kIndexUri),
                            .mime_type = std::string(kMarkdown),
                            .bytes = body ? json::string_of(*body) : std::string()};
}

sdk::Task<Result<ResourceContent>> Resources::document(std::string id) {
  Result<ResourceContent> out = co_await library_.answer_from(
      {}, [&](const directory::View& view) { return document_in(view, id); });
  if (out || out.error().code == "unreadable") co_return out;
  // A script or an asset by its path: the files of a skill are below its id, too.
  Result<ResourceContent> as_file = co_await file(id);
  if (as_file) co_return as_file;
  const size_t slash = id.rfind('/');
  if (slash == std::string::npos || id.find("::", slash) == std::string::npos) co_return out;
  co_return co_await section(id.substr(0, slash), id.substr(slash + 1));
}

// `iii://demo/demo::guide`: a part of a skill that a function writes. Reading must not become a way
// to call anything: the function has the skill's name, or the skill links to it.
sdk::Task<Result<ResourceContent>> Resources::section(std::string skill, std::string id) {
  Result<ResourceContent> page = co_await library_.answer_from(
      {}, [&](const directory::View& view) { return document_in(view, skill); });
  if (!page) co_return std::unexpected(std::move(page.error()));
  const std::string uri = document_uri(skill + "/" + id);
  const bool belongs = id.starts_with(skill + "::") || page->bytes.find(uri) != std::string::npos;
  if (!belongs || callables_.is_hidden(id)) {
    co_return fail("missing", "it is not a section of that skill");
  }
  directory::Answer answer = co_await callables_.call({.caller = "mcp"}, id, {"{}"});
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const Result<json::Value> value = json::parse(answer->text);
  if (!value) co_return std::unexpected(value.error());
  const std::string* text = value->as_string();
  if (text == nullptr) text = text_of(*value, "content");
  co_return ResourceContent{
      .uri = uri,
      .mime_type = text != nullptr ? std::string(kMarkdown) : "application/json",
      .bytes = text != nullptr ? *text : json::to_pretty_text(*value)};
}

sdk::Task<Result<ResourceContent>> Resources::document_in(const directory::View& view,
                                                          const std::string& input) {
  Result<std::string> id = directory::normalise_input(input);
  if (!id) co_return std::unexpected(std::move(id.error()));
  const content::Skill* skill = directory::look_up(view, *id);
  if (skill == nullptr) {
    co_return std::unexpected(
        directory::skill_not_found(*id, co_await directory::suggest_skills(library_, view, *id)));
  }
  const std::string shown = view.display(skill->id);
  Result<directory::Body> body = directory::read_skill(library_, view, *skill, shown);
  if (!body) co_return std::unexpected(std::move(body.error()));
  co_return ResourceContent{.uri = document_uri(shown),
                            .mime_type = std::string(kMarkdown),
                            .bytes = std::move(body->text)};
}

sdk::Task<Result<ResourceContent>> Resources::file(std::string path) {
  const directory::View view = co_await library_.current();
  Result<std::string> bytes = co_await skills_.read_file(view, path);
  if (!bytes) {
    const bool folder = bytes.error().code == "a_folder";
    co_return fail(bytes.error().code,
                   folder ? "it is a directory. Next: resources/directory/read lists it."
                          : bytes.error().message);
  }
  const bool text = is_utf8(*bytes);
  co_return ResourceContent{.uri = file_uri(path),
                            .mime_type = std::string(mime_type(path, text)),
                            .bytes = std::move(*bytes)};
}

sdk::Task<Result<ResourceContent>> Resources::offered(std::string uri) {
  CallableList functions = co_await callables_.engine(false);
  for (const CallablePtr& function : functions) {
    std::pair<std::string, std::string> variable;
    if (!function->resource || !function->resource->matches(uri, variable)) continue;
    json::Object input{{"uri", uri}};
    if (!variable.first.empty()) input[variable.first] = variable.second;
    directory::Answer answer =
        co_await callables_.call({.caller = "mcp"}, function->id, {json::to_text(input)});
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    const Result<json::Value> value = json::parse(answer->text);
    if (!value) co_return std::unexpected(value.error());
    co_return offered_content(uri, *function->resource, *value);
  }
  co_return fail("missing", "this server has no such address");
}

sdk::Task<Result<ResourceContent>> Resources::function(std::string id) {
  CallablePtr found = co_await callables_.find(id);
  if (found == nullptr) co_return fail("missing", "there is no such function");
  co_return ResourceContent{.uri = document_uri("fn/" + id),
                            .mime_type = std::string(kMarkdown),
                            .bytes = function_page(*found)};
}

}  // namespace iii::mcp
