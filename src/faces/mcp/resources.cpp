#include "faces/mcp/resources.h"

#include <algorithm>
#include <utility>

#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/reading/skill_files.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "faces/mcp/base64.h"
#include "faces/mcp/cursor.h"
#include "faces/mcp/skill_frontmatter.h"
#include "foundation/base/utf8.h"
#include "foundation/json/write.h"

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

std::unexpected<Error> too_large(const std::string& uri, std::string_view size) {
  return fail("too_large", std::string(size) + ", and resources/read returns at most " +
                               std::to_string(kMaxResourceBytes) +
                               ". Next: read it in parts: call the tool `read` with {\"id\": " +
                               quote(uri) + ", \"offset\": 0}, or directory::skills::file.");
}
std::unexpected<Error> too_large(const std::string& uri, uint64_t bytes) {
  return too_large(uri, "it has " + std::to_string(bytes) + " bytes");
}

// The part of a text in memory that is wanted.
Result<ResourceContent> text_content(std::string uri, std::string_view mime_type, std::string text,
                                     ReadRange range) {
  if (range.whole && text.size() > range.limit) return too_large(uri, text.size());
  ResourceContent out{.uri = std::move(uri), .mime_type = std::string(mime_type), .bytes = {}};
  out.total = text.size();
  if (range.offset == 0 && text.size() <= range.limit) {
    out.bytes = std::move(text);
    return out;
  }
  directory::SkillFilePart part = directory::part_of_bytes(text, range.offset, range.limit);
  out.bytes = std::move(part.bytes);
  out.offset = part.offset;
  return out;
}

// Markdown of a skill that a function has written: a text, `{content}`, or other JSON.
Result<ResourceContent> section_content(std::string uri, const std::string& answer,
                                        ReadRange range) {
  const Result<json::Value> value = json::parse(answer);
  if (!value) return std::unexpected(value.error());
  const std::string* text = value->as_string();
  if (text == nullptr) text = text_of(*value, "content");
  return text_content(std::move(uri), text != nullptr ? kMarkdown : "application/json",
                      text != nullptr ? *text : json::to_pretty_text(*value), range);
}

// A function gives a text, or `{text}` or `{blob}` with `mimeType`.
ResourceContent offered_content(const std::string& uri, const OfferedResource& resource,
                                const json::Value& answer) {
  ResourceContent out{.uri = uri, .mime_type = resource.mime_type, .bytes = {}};
  if (const std::string* type = text_of(answer, "mimeType")) out.mime_type = *type;
  if (out.mime_type.empty()) out.mime_type = "text/plain";
  if (answer.as_string() != nullptr) {
    out.bytes = *answer.as_string();
  } else if (const std::string* text = text_of(answer, "text")) {
    out.bytes = *text;
  } else if (const std::string* blob = text_of(answer, "blob")) {
    out.bytes = base64_decode(*blob).value_or("");
    out.is_text = is_utf8(out.bytes);
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

// The members of a result of resources/read. `uri` is as the client wrote it.
std::string contents_members(const std::string& uri, const ResourceContent& content) {
  constexpr size_t kRoom = 1'024;  // for what the server adds: the text must not be copied for it
  std::string out = R"("contents":[{)";
  out.reserve(content.bytes.size() + content.bytes.size() / 3 + kRoom);
  append_text_member(out, "uri", uri);
  append_text_member(out, "mimeType", content.mime_type);
  if (content.is_text) {
    append_text_member(out, "text", content.bytes);
  } else {
    append_text_member(out, "blob", base64_encode(content.bytes));
  }
  return out += "}]";
}

void append_schema(std::string& out, std::string_view heading,
                   const std::optional<json::Value>& schema) {
  if (!schema) return;
  out += "\n## ";
  out += heading;
  out += "\n\n```json\n" + json::to_pretty_text(*schema) + "\n```\n";
}

// The documents and SKILL.md files of a page, and whether more of them are left.
std::pair<PageWriter, bool> files_page(const directory::View& view, const SkillFolders& folders,
                                       const std::string& after) {
  PageWriter page(kList);
  if (after.empty()) page.add(index_row(), "d");
  const auto& rows = view.generation().skills;
  if (after.empty() || after.starts_with('d')) {
    const std::string_view id = after.empty() ? "" : std::string_view(after).substr(1);
    auto next = std::ranges::upper_bound(
        rows, id, {}, [](const content::SkillPtr& skill) { return std::string_view(skill->id); });
    for (; next != rows.end(); ++next) {
      if (page.is_full()) return {std::move(page), true};
      const content::Skill& skill = **next;
      if (skill.kind != content::SkillKind::kSkill || !skill.for_agents) continue;
      if (!view.shows(skill.id)) continue;
      page.add(document_row(view, skill), "d" + skill.id);
    }
  }
  size_t at = 0;
  if (after.starts_with('f')) at = folders.after(std::string_view(after).substr(1));
  if (after.starts_with('r')) at = folders.rows().size();
  for (; at < folders.rows().size(); ++at) {
    if (page.is_full()) return {std::move(page), true};
    const SkillRow& row = folders.rows()[at];
    if (!row.skill->for_agents || !row.skill->readable || !view.shows(row.skill->id)) continue;
    if (!is_skill_name(last_segment(row.folder))) continue;
    page.add(file_row(row), "f" + row.folder);
  }
  return {std::move(page), false};
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
task::Task<Outcome> Resources::list(json::Value params) {
  const auto cursor = read_cursor(kList, params);
  if (!cursor) co_return std::unexpected(cursor.error());
  const std::string after = cursor->value_or("");
  const directory::View view = co_await library_.current();
  SkillFoldersPtr folders = co_await skills_.folders(view);
  auto make = [folders, after](const directory::View& all) {
    return files_page(all, *folders, after);
  };
  auto [page, is_full] = co_await library_.answer(view, std::move(make));
  if (is_full) co_return page.finish(true);
  CallableListPtr functions = co_await callables_.engine();
  for (const CallablePtr& function : *functions) {
    if (!function->resource || function->resource->is_template()) continue;
    if (after.starts_with('r') && function->id <= std::string_view(after).substr(1)) continue;
    if (page.is_full()) co_return page.finish(true);
    page.add(offered_row(*function->resource), "r" + function->id);
  }
  co_return page.finish(false);
}

task::Task<Outcome> Resources::templates(json::Value params) {
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
  CallableListPtr functions = co_await callables_.engine();
  for (const CallablePtr& function : *functions) {
    if (!function->resource || !function->resource->is_template() || page.is_full()) continue;
    page.add(offered_row(*function->resource), "");
  }
  co_return page.finish(false);
}

task::Task<Outcome> Resources::read(Version version, json::Value params) {
  const std::string* uri = text_of(params, "uri");
  if (uri == nullptr) co_return refused("resources/read needs `uri`.");
  const std::optional<Uri> parsed = parse_uri(*uri);
  Result<ResourceContent> found = fail("missing", "this server has no such address");
  if (parsed) {
    found = co_await content(*parsed, {.limit = kMaxResourceBytes, .whole = true});
  } else {
    found = co_await offered(*uri);
  }
  if (!found) {
    const bool large = found.error().code == "too_large";
    const int missing = is_stateless(version) ? kInvalidParams : kResourceNotFound;
    RpcError error{.code = large ? kInternalError : missing,
                   .message = (large ? "Resource too large: " : "Resource not found: ") + *uri +
                              ": " + found.error().message,
                   .data = R"({"uri":)" + quote(*uri) + "}"};
    co_return std::unexpected(std::move(error));
  }
  const size_t bytes = found->bytes.size();
  std::string members = co_await encode_where_fit(
      library_, bytes,
      [uri = *uri, content = std::move(*found)] { return contents_members(uri, content); });
  co_return Reply{.members = std::move(members), .cache = Cache::kRead};
}

task::Task<Result<ResourceContent>> Resources::content(Uri uri, ReadRange range) {
  switch (uri.kind) {
    case Uri::Kind::kIndex:
      return index_page(std::move(uri.rest), range);
    case Uri::Kind::kFunction:
      return function(std::move(uri.rest), range);
    case Uri::Kind::kFile:
      return file(std::move(uri.rest), range);
    case Uri::Kind::kDocument:
      break;
  }
  return document(std::move(uri.rest), range);
}

task::Task<Result<ResourceContent>> Resources::index_page(std::string task, ReadRange range) {
  std::string input = "{}";
  if (!task.empty()) input = R"({"task":)" + quote(task) + "}";
  directory::Answer answer =
      co_await functions_.call("directory::skills::index", {.caller = "mcp"}, {std::move(input)});
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const size_t bytes = answer->text.size();
  co_return co_await encode_where_fit(library_, bytes, [text = std::move(answer->text), range] {
    const std::optional<json::Slice> body = json::member(json::trimmed(text), "body");
    return text_content(std::string(kIndexUri), kMarkdown,
                        body ? json::string_of(*body) : std::string(), range);
  });
}

task::Task<Result<ResourceContent>> Resources::document(std::string id, ReadRange range) {
  Result<ResourceContent> out = co_await library_.answer_from(
      {}, [&](const directory::View& view) { return document_in(view, id, range); });
  if (out || out.error().code == "unreadable" || out.error().code == "too_large") co_return out;
  // A script or an asset by its path: the files of a skill are below its id, too.
  Result<ResourceContent> as_file = co_await file(id, range);
  if (as_file || as_file.error().code == "too_large") co_return as_file;
  const size_t slash = id.rfind('/');
  if (slash == std::string::npos || id.find("::", slash) == std::string::npos) co_return out;
  co_return co_await section(id.substr(0, slash), id.substr(slash + 1), range);
}

// `iii://demo/demo::guide`: a part of a skill that a function writes (skills 0.1.5). Reading
// changes nothing, whatever a skill says: a worker has registered the skill, and the function says
// that it only reads, or is that worker's own and not destructive. A file never makes a function
// run.
task::Task<Result<ResourceContent>> Resources::section(std::string skill, std::string id,
                                                       ReadRange range) {
  const directory::View view = co_await library_.current();
  const content::Skill* row = directory::look_up(view, skill);
  const std::string uri = document_uri(skill + "/" + id);
  CallablePtr function;
  if (row != nullptr) function = co_await callables_.find(id);
  if (function == nullptr) co_return fail("missing", "it is not a section of that skill");
  const directory::RegisteredDocument* registered = view.registration(row->file);
  const bool belongs = registered != nullptr && (id.starts_with(skill + "::") ||
                                                 registered->text.find(uri) != std::string::npos);
  bool runs = belongs && function->hints && function->hints->read_only;
  if (belongs && !runs && !(function->hints && function->hints->destructive)) {
    runs = co_await callables_.registered_by_owner(registered->worker, function);
  }
  if (!runs) {
    co_return fail("not_run", "'" + id +
                                  "' is a function, and reading runs no function that may change "
                                  "something. Next: read its arguments with {\"id\": " +
                                  quote(id) + "}, and call it with the tool `call`.");
  }
  directory::Answer answer = co_await callables_.call({.caller = "mcp"}, id, {"{}"});
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  const size_t bytes = answer->text.size();
  co_return co_await encode_where_fit(
      library_, bytes,
      [uri, text = std::move(answer->text), range] { return section_content(uri, text, range); });
}

task::Task<Result<ResourceContent>> Resources::document_in(const directory::View& view,
                                                           const std::string& input,
                                                           ReadRange range) {
  Result<std::string> id = directory::normalise_input(input);
  if (!id) co_return std::unexpected(std::move(id.error()));
  const content::Skill* skill = directory::look_up(view, *id);
  if (skill == nullptr) {
    co_return std::unexpected(
        directory::skill_not_found(*id, co_await directory::suggest_skills(library_, view, *id)));
  }
  const std::string shown = view.display(skill->id);
  // What the body has, as far as it is known without reading the file.
  const uint64_t bytes = skill->bytes - std::min<uint64_t>(skill->bytes, skill->body_offset);
  const uint64_t size = bytes > 0 ? bytes : skill->bytes;
  if (range.whole && size > range.limit) co_return too_large(document_uri(shown), size);
  ResourceContent out{.uri = document_uri(shown), .mime_type = std::string(kMarkdown), .bytes = {}};
  if (range.offset == 0 && size <= range.limit) {
    Result<directory::Body> body =
        co_await directory::read_whole_skill(library_, view, *skill, shown);
    if (!body && body.error().code != "too_large") {
      co_return std::unexpected(std::move(body.error()));
    }
    if (body) {
      out.total = body->text.size();
      out.bytes = std::move(body->text);
      co_return out;
    }
  }
  Result<directory::BodyPart> part = co_await directory::read_skill_part(
      library_, view, *skill, shown, {.offset = range.offset, .limit = range.limit});
  if (!part) co_return std::unexpected(std::move(part.error()));
  out.bytes = std::move(part->text);
  out.offset = part->offset;
  out.total = part->total;
  co_return out;
}

task::Task<Result<ResourceContent>> Resources::file(std::string path, ReadRange range) {
  const directory::View view = co_await library_.current();
  Result<directory::SkillFilePart> part = co_await skills_.read_file(view, path, range);
  if (!part) {
    const std::string& code = part.error().code;
    if (code == "too_large") co_return too_large(file_uri(path), part.error().message);
    co_return fail(code, code == "a_folder"
                             ? "it is a directory. Next: resources/directory/read lists it."
                             : part.error().message);
  }
  co_return ResourceContent{.uri = file_uri(path),
                            .mime_type = std::string(mime_type(path, part->is_text)),
                            .bytes = std::move(part->bytes),
                            .is_text = part->is_text,
                            .offset = part->offset,
                            .total = part->total};
}

task::Task<Result<ResourceContent>> Resources::offered(std::string uri) {
  CallableListPtr functions = co_await callables_.engine();
  for (const CallablePtr& function : *functions) {
    std::pair<std::string, std::string> variable;
    if (!function->resource || !function->resource->matches(uri, variable)) continue;
    json::Object input{{"uri", uri}};
    if (!variable.first.empty()) input[variable.first] = variable.second;
    directory::Answer answer =
        co_await callables_.call({.caller = "mcp"}, function->id, {json::to_text(input)});
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    const size_t bytes = answer->text.size();
    auto work = [uri, function, text = std::move(answer->text)]() -> Result<ResourceContent> {
      const Result<json::Value> value = json::parse(text);
      if (!value) return std::unexpected(value.error());
      return offered_content(uri, *function->resource, *value);
    };
    co_return co_await encode_where_fit(library_, bytes, std::move(work));
  }
  co_return fail("missing", "this server has no such address");
}

task::Task<Result<ResourceContent>> Resources::function(std::string id, ReadRange range) {
  CallablePtr found = co_await callables_.find(id);
  if (found == nullptr) co_return fail("missing", "there is no such function");
  co_return text_content(document_uri("fn/" + id), kMarkdown, function_page(*found), range);
}

}  // namespace iii::mcp
