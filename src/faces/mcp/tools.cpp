#include "faces/mcp/tools.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "directory/reading/skill_search.h"
#include "directory/search/find.h"
#include "directory/table/errors.h"
#include "faces/mcp/base64.h"
#include "faces/mcp/cursor.h"
#include "faces/mcp/function_context.h"
#include "faces/mcp/tool_name.h"
#include "faces/mcp/tool_schema.h"
#include "foundation/base/text.h"
#include "foundation/json/describe.h"
#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

constexpr size_t kDefaultFound = 10;
constexpr size_t kMostFound = 50;
constexpr size_t kMostListed = 200;
constexpr size_t kManyArguments = 1'000;  // more are written on another thread
constexpr size_t kTeaser = 200;           // characters of a description in a list
// Of an address: a name of full length, each byte of which is encoded.
constexpr size_t kMaxAddress = 3 * directory::kMaxTextLength;
constexpr std::string_view kCall = "call";

struct FindInput {
  std::optional<std::string> query;
  std::optional<uint64_t> limit;
};
struct ReadInput {
  std::string id;
  std::optional<uint64_t> offset;
  std::optional<uint64_t> limit;
};
struct CallInput {
  std::optional<std::string> function;
  std::optional<std::map<std::string, json::Raw>> arguments;
  std::optional<std::string> name_space;
};

auto describe(json::Type<FindInput>) {
  using T = FindInput;
  return json::object<T>(
      "FindInput", "",
      json::field("query", &T::query,
                  "The task in a few words, for example `review a pull request`. Without it "
                  "the index of everything is returned, its first 16 KiB.")
          .length(json::kAnyLength),  // D130
      json::field("limit", &T::limit, "Most skills and most functions to return, 1 to 50 (10)."));
}
auto describe(json::Type<ReadInput>) {
  using T = ReadInput;
  return json::object<T>(
      "ReadInput", "",
      json::field("id", &T::id,
                  "Id of a skill as `find` shows it, `iii://…` or `skill://…` for a file of a "
                  "skill, or the id of a function (`a::b`) for its arguments.")
          .length(kMaxAddress),
      json::field("offset", &T::offset,
                  "Where to begin, in bytes (0). The answer before says where it goes on."),
      json::field("limit", &T::limit,
                  "Most bytes to return, 1 to 262144 (262144). Text is cut between characters."));
}
auto describe(json::Type<CallInput>) {
  using T = CallInput;
  return json::object<T>(
      "CallInput", "",
      json::field("function", &T::function,
                  "Id of the function, for example `directory::skills::list`. Without it the "
                  "functions that can be called are listed."),
      json::field("arguments", &T::arguments,
                  "Object with the function's arguments; `read` with its id shows which."),
      json::field("namespace", &T::name_space, "Namespace of the function, if several have it."));
}

constexpr std::string_view kFindHelp =
    "Finds skills (instructions for a task) and functions (things that can be done) by words. Use "
    "it first when a task may be covered by a skill. Returns ids for `read` and `call`.";
constexpr std::string_view kReadHelp =
    "Reads a skill, one of its files, or the description of a function; more than 256 KiB in "
    "parts (`offset`). Follow what a skill says before you do the task it is about.";
constexpr std::string_view kCallHelp =
    "Calls a function by its id. `read` the id first to learn its arguments.";

std::string first_characters(std::string_view text, size_t most) {
  const std::string_view line = text.substr(0, text.find('\n'));
  if (utf8_length(line) <= most) return std::string(line);
  return std::string(utf8_prefix(line, most)) + "…";
}

std::string text_block(std::string_view text) {
  return R"({"type":"text","text":)" + quote(text) + "}";
}

// Already in the form of a tool's result.
json::Raw text_result(std::string_view text) {
  return {R"({"content":[)" + text_block(text) + "]}"};
}

// The content, and how to go on when there is more. `id` and `limit` are as the caller gave them.
json::Raw read_result(const ResourceContent& content, std::string_view id,
                      std::optional<uint64_t> limit) {
  constexpr size_t kRoom = 1'024;  // for what comes after it, so that it need not be copied
  std::string out = R"({"content":[)";
  out.reserve(content.bytes.size() + content.bytes.size() / 3 + kRoom);
  if (content.is_text) {
    out += R"({"type":"text","text":)";
    json::append_string(out, content.bytes);
    out += '}';
  } else {
    out += R"({"type":"resource","resource":{)";
    append_text_member(out, "uri", content.uri);
    append_text_member(out, "mimeType", content.mime_type);
    append_text_member(out, "blob", base64_encode(content.bytes));
    out += "}}";
  }
  if (content.end() < content.total) {
    std::string next = R"({"id":)" + quote(id) + R"(,"offset":)" + std::to_string(content.end());
    if (limit) next += R"(,"limit":)" + std::to_string(*limit);
    out += ',' + text_block("These are the bytes " + std::to_string(content.offset) + " to " +
                            std::to_string(content.end()) + " of " + std::to_string(content.total) +
                            ". Next: call `read` with " + next + "}.");
  } else if (content.bytes.empty() && content.offset > 0) {
    out += ',' +
           text_block("There is nothing more: it has " + std::to_string(content.total) + " bytes.");
  }
  return {out += "]}"};
}

std::string skill_line(const directory::View& view, const content::Skill& skill) {
  return "- `" + view.display(skill.id) + "`: " + view.title(skill) +
         (skill.description.empty() ? "" : ". " + first_characters(skill.description, kTeaser)) +
         "\n";
}
std::string function_line(const std::string& id, const std::string& description) {
  return "- `" + id + "`" +
         (description.empty() ? "" : ": " + first_characters(description, kTeaser)) + "\n";
}

std::string annotations(const directory::Hints& hints, std::string_view title) {
  std::string out = "{";
  if (!title.empty()) append_text_member(out, "title", title);
  const auto flag = [&out](std::string_view key, bool on) {
    append_member(out, key, on ? "true" : "false");
  };
  flag("readOnlyHint", hints.read_only);
  flag("destructiveHint", hints.destructive && !hints.read_only);
  flag("idempotentHint", hints.idempotent);
  flag("openWorldHint", hints.network);
  return out + "}";
}

// Nothing where it cannot be promised that answers match: of functions that are not ours.
std::optional<json::Value> output_schema(const CallableFunction& function, Version version) {
  if (!function.of_directory || !function.response_schema || version < Version::k2025_06_18) {
    return std::nullopt;
  }
  json::Value schema = portable_output_schema(*function.response_schema);
  if (is_stateless(version) || is_object_schema(schema)) return schema;
  return wrapped_schema(schema);
}

std::string tool_row(const CallableFunction& function, std::string_view name, Version version) {
  std::string out = "{";
  append_text_member(out, "name", name);
  if (!function.title.empty() && version >= Version::k2025_06_18) {
    append_text_member(out, "title", function.title);
  }
  append_text_member(out, "description",
                     function.description.empty() ? function.id : function.description);
  const json::Value* request = function.request_schema ? &*function.request_schema : nullptr;
  append_member(out, "inputSchema", json::to_text(input_schema(request, function.has_headers)));
  if (const auto schema = output_schema(function, version)) {
    append_member(out, "outputSchema", json::to_text(*schema));
  }
  if (function.hints && version >= Version::k2025_03_26) {
    append_member(out, "annotations", annotations(*function.hints, function.title));
  }
  return out + "}";
}

constexpr std::array<std::string_view, 5> kBlocks = {"text", "image", "audio", "resource",
                                                     "resource_link"};
bool is_block(const json::Value& value) {
  const std::string* type = text_of(value, "type");
  return type != nullptr && std::ranges::find(kBlocks, *type) != kBlocks.end();
}

// A function may give a tool's result itself: blocks of text, images and so on.
bool is_tool_result(const json::Value& value) {
  const json::Value* content = value.find("content");
  return content != nullptr && content->as_array() != nullptr &&
         std::ranges::all_of(*content->as_array(), is_block);
}

// Blocks that a version does not know become text.
bool knows_block(std::string_view type, Version version) {
  if (type == "audio") return version >= Version::k2025_03_26;
  if (type == "resource_link") return version >= Version::k2025_06_18;
  return true;
}

Reply given_result(const json::Value& value, Version version) {
  std::string blocks = "[";
  for (const json::Value& block : *value.find("content")->as_array()) {
    if (blocks.size() > 1) blocks += ',';
    blocks += knows_block(*text_of(block, "type"), version) ? json::to_text(block)
                                                            : text_block(json::to_text(block));
  }
  Reply out;
  append_member(out.members, "content", blocks + "]");
  const json::Value* structured = value.find("structuredContent");
  if (structured != nullptr && version >= Version::k2025_06_18 &&
      (is_stateless(version) || structured->as_object() != nullptr)) {
    append_member(out.members, "structuredContent", json::to_text(*structured));
  }
  const json::Value* failed = value.find("isError");
  if (failed != nullptr && failed->as_bool() != nullptr) {
    append_member(out.members, "isError", *failed->as_bool() ? "true" : "false");
  }
  return out;
}

Reply failed_result(std::string_view message) {
  Reply out;
  append_member(out.members, "content", "[" + text_block(message) + "]");
  append_member(out.members, "isError", "true");
  return out;
}

// The text is what models read, `structuredContent` what programs read.
enum class Structured { kNo, kYes };
Reply plain_result(const CallableFunction& function, const json::Raw& answer, Version version,
                   Structured structured) {
  const json::Slice value = json::trimmed(answer.text);
  const json::Kind kind = json::kind_of(value);
  Reply out;
  const std::string text =
      kind == json::Kind::kString ? json::string_of(value) : std::string(value);
  append_member(out.members, "content", "[" + text_block(text) + "]");
  if (version < Version::k2025_06_18 || structured == Structured::kNo) return out;
  const bool promised = output_schema(function, version).has_value();
  if (kind == json::Kind::kObject || (promised && is_stateless(version))) {
    append_member(out.members, "structuredContent", value);
  } else if (promised) {
    append_member(out.members, "structuredContent", R"({"result":)" + std::string(value) + "}");
  }
  return out;
}

// What a function answered, as a tool's result. Answers of the directory's functions are data; a
// stranger's may be a tool's result. `call` says which version is spoken.
Outcome result_of(const CallableFunction& function, const json::Raw& answer, const Call& call,
                  Structured structured) {
  if (!function.of_directory) {
    const Result<json::Value> value = json::parse(answer.text);
    if (value && is_tool_result(*value)) return given_result(*value, call.version);
    if (value && function.wants_context) {
      if (auto special = special_result(*value, call)) return std::move(*special);
    }
  }
  return plain_result(function, answer, call.version, structured);
}

// Rows of tools/list, by name.
using NamedTools = std::vector<std::pair<std::string, CallablePtr>>;

// Those after `cursor`, one more than fits on a page.
NamedTools tools_after(const std::vector<CallableListPtr>& lists,
                       const std::optional<std::string>& cursor) {
  std::map<std::string, CallablePtr> by_name;
  for (const CallableListPtr& list : lists) {
    for (const CallablePtr& function : *list) {
      auto name = tool_name(function->id);
      if (!name || (cursor && *name <= *cursor)) continue;
      by_name.emplace(std::move(*name), function);
      if (by_name.size() > kPageRows + 1) by_name.erase(std::prev(by_name.end()));
    }
  }
  return {by_name.begin(), by_name.end()};
}

Reply tools_page(const NamedTools& tools, Version version) {
  PageWriter page("tools");
  for (const auto& [name, function] : tools) {
    if (page.is_full()) return page.finish(true);
    page.add(tool_row(*function, name, version), name);
  }
  return page.finish(false);
}

std::optional<RpcError> wrong_header(const Call& call, const CallablePtr& function,
                                     const json::Value& arguments) {
  if (function == nullptr || !function->request_schema) return std::nullopt;
  for (const HeaderParameter& each : header_parameters(*function->request_schema)) {
    const json::Value* value = arguments.find(each.property);
    if (value != nullptr && value->is_null()) value = nullptr;
    if (auto wrong = call.check_header("Mcp-Param-" + each.header, value)) return wrong;
  }
  return std::nullopt;
}

// An agent that asks for everything must not fill its context with it: the sections of the index
// that fit, and how to go on.
std::string first_sections(std::string index) {
  constexpr size_t kMost = 16 * 1024;
  constexpr std::string_view kSection = "\n## ";
  if (index.size() <= kMost) return index;
  const size_t end = index.rfind(kSection, kMost);
  if (end == std::string::npos) return index;
  size_t left = 0;
  for (size_t at = end; at != std::string::npos; at = index.find(kSection, at + 1)) ++left;
  index.resize(end);
  return index + "\n(And " + std::to_string(left) +
         " more. Next: call `find` with `query`, a task in a few words.)\n";
}

}  // namespace

Tools::Tools(const Host& host, ToolsMode mode, Callables& callables, Resources& resources,
             LiveCalls& live, task::Pool& pool)
    : library_(*host.library),
      mode_(mode),
      callables_(callables),
      resources_(resources),
      live_(live),
      tell_function_(host.tell_function),
      search_(host.search),
      pool_(pool) {
  own_.read_large_on(pool);
  own_.add<FindInput, json::Raw>(
      {.id = "find",
       .title = "Find skills and functions",
       .description = std::string(kFindHelp),
       .hints = directory::kReadOnly},
      [this](FindInput in) {
        if (is_blank(in.query.value_or(""))) return overview();
        return find(*in.query, static_cast<size_t>(std::clamp<uint64_t>(
                                   in.limit.value_or(kDefaultFound), 1, kMostFound)));
      });
  own_.add<ReadInput, json::Raw>(
      {.id = "read",
       .title = "Read a skill",
       .description = std::string(kReadHelp),
       .hints = directory::kReadOnly},
      [this](ReadInput in) { return read(std::move(in.id), in.offset, in.limit); });
  own_.add<CallInput, json::Raw>({.id = std::string(kCall),
                                  .title = "Call a function",
                                  .description = std::string(kCallHelp),
                                  .hints = {.destructive = true, .network = true},
                                  .max_input_bytes = directory::kAnyInputBytes},
                                 [this](const directory::Context& context, CallInput in) {
                                   if (!in.function) return list_functions();
                                   return call_by_id(context, std::move(*in.function),
                                                     std::move(in.arguments),
                                                     in.name_space.value_or(""));
                                 });
  for (const directory::FunctionPtr& function : own_.functions()) {
    auto row = std::make_shared<CallableFunction>();
    row->id = function->info.id;
    row->title = function->info.title;
    row->description = function->info.description;
    row->request_schema = json::parse(*function->request_schema).value_or(json::Value());
    row->hints = function->info.hints;
    own_rows_.push_back(std::move(row));
  }
}

task::Task<CallablePtr> Tools::listed(std::string id) {
  if (mode_ != ToolsMode::kDirectory) {
    for (const CallablePtr& each : own_rows_) {
      if (each->id == id) co_return each;
    }
  }
  if (mode_ != ToolsMode::kMinimal) {
    if (CallablePtr own = find_in(callables_.own(), id)) co_return own;
  }
  if (mode_ != ToolsMode::kAll) co_return nullptr;
  const CallableListPtr engine = co_await callables_.engine();
  co_return find_in(*engine, id);
}

// By name, so that prompt caches of clients hit.
task::Task<Outcome> Tools::list(Version version, json::Value params) {
  const auto cursor = read_cursor("tools", params);
  if (!cursor) co_return std::unexpected(cursor.error());
  std::vector<CallableListPtr> lists;
  CallableListPtr engine = std::make_shared<const CallableList>();
  if (mode_ == ToolsMode::kAll) engine = co_await callables_.engine();
  if (mode_ != ToolsMode::kDirectory) {
    lists.push_back(std::make_shared<const CallableList>(own_rows_));
  }
  if (mode_ != ToolsMode::kMinimal) {
    lists.push_back(std::make_shared<const CallableList>(callables_.own()));
  }
  lists.push_back(engine);
  // Thousands of names, and schemas of any size.
  NamedTools tools = co_await library_.on_answer_thread(
      [lists = std::move(lists), after = *cursor] { return tools_after(lists, after); });
  CallableList unknown;
  for (const auto& [name, function] : tools) {
    if (find_in(*engine, function->id) == function) unknown.push_back(function);
  }
  const CallableList known = co_await callables_.with_schemas(std::move(unknown));
  size_t next = 0;
  for (auto& [name, function] : tools) {
    if (next < known.size() && known[next]->id == function->id) function = known[next++];
  }
  co_return co_await library_.on_answer_thread(
      [tools = std::move(tools), version] { return tools_page(tools, version); });
}

task::Task<Outcome> Tools::call(Call call, json::Value params) {
  const std::string* name = text_of(params, "name");
  if (name == nullptr || name->empty()) co_return refused("tools/call needs `name`.");
  if (params.find("arguments") != nullptr) co_return refused("`arguments` must be an object.");
  if (auto wrong = wrong_input_responses(params)) co_return std::unexpected(*wrong);
  const std::optional<std::string> id = function_id(*name);
  const std::string shown(utf8_prefix(*name, 2 * kMaxToolName));
  const RpcError unknown =
      invalid_params("Unknown tool: " + shown + ". Next: tools/list shows the tools there are.");
  if (!id) co_return std::unexpected(unknown);
  CallablePtr found = co_await listed(*id);
  if (found == nullptr) co_return std::unexpected(unknown);
  if (found->has_headers && call.check_header) {
    CallablePtr detail = co_await callables_.find(found->id);
    const json::Value given = co_await arguments_of(call);
    if (auto wrong = wrong_header(call, detail, given)) co_return std::unexpected(*wrong);
  }
  co_return co_await call_function(std::move(call), std::move(found), std::move(params));
}

// As a value, for the few functions that need to look into it.
task::Task<json::Value> Tools::arguments_of(const Call& call) {
  if (!call.arguments) co_return json::Object();
  const std::string& text = call.arguments->text;
  Result<json::Value> value = fail("", "");
  if (text.size() > directory::FunctionTable::kLargeInput) {
    value = co_await pool_.run([text] { return json::parse(text); });
  } else {
    value = json::parse(text);
  }
  co_return value ? std::move(*value) : json::Value(json::Object());
}

task::Task<Outcome> Tools::call_function(Call call, CallablePtr function, json::Value params) {
  directory::Answer answer = fail("", "");
  json::Raw input{"{}"};
  LiveCalls::Entry entry;
  if (function->wants_context && !tell_function_.empty()) {
    entry = live_.add(call);
    json::Object context = request_context(call, params);
    context["request"] = entry.token();
    context["tell"] = tell_function_;
    input.text = with_context(co_await arguments_of(call), std::move(context));
  } else if (call.arguments) {
    input = std::move(*call.arguments);
  }
  const bool own = own_.find(function->id) != nullptr && mode_ != ToolsMode::kDirectory;
  if (own) {
    answer = co_await own_.call(function->id, call.context, std::move(input));
  } else {
    answer = co_await callables_.call(call.context, function->id, std::move(input));
  }
  if (!answer) {
    if (call.level && *call.level <= Level::kWarning && call.notify) {
      std::string members;
      append_text_member(members, "level", "warning");
      append_text_member(members, "logger", "tools");
      append_text_member(members, "data", function->id + ": " + answer.error().message);
      call.notify(notification_text("notifications/message", members));
    }
    co_return failed_result(answer.error().message);
  }
  // These two give a tool's result: its members are between the braces.
  if (own && function->id != kCall) {
    std::string members = std::move(answer->text);
    members.pop_back();
    members.erase(0, 1);
    co_return Reply{.members = std::move(members)};
  }
  const size_t bytes = answer->text.size();
  // What of the call is used on another thread. A tool of its own has structured content; `call`
  // would only say everything twice.
  Call spoken{.version = call.version, .capabilities = call.capabilities};
  auto work = [function, answer = std::move(*answer), spoken = std::move(spoken), own] {
    return result_of(*function, answer, spoken, own ? Structured::kNo : Structured::kYes);
  };
  co_return co_await encode_where_fit(library_, bytes, std::move(work));
}

task::Task<Result<json::Raw>> Tools::overview() {
  Result<ResourceContent> index =
      co_await resources_.content(Uri{Uri::Kind::kIndex}, {.limit = kMaxFunctionAnswerBytes});
  if (!index) co_return std::unexpected(std::move(index.error()));
  co_return text_result(first_sections(std::move(index->bytes)));
}

task::Task<Result<json::Raw>> Tools::find(std::string query, size_t most) {
  std::string out;
  std::vector<std::string> nearest;
  if (search_ != nullptr) {
    const directory::View view = co_await library_.current();
    const directory::IndexedSkillsPtr index = co_await search_->follow(view);
    const Result<search::Answer> skills =
        co_await search_->find(view, index, query, {.kinds = directory::searched_kinds()}, most);
    if (!skills) co_return std::unexpected(directory::bad_search("find", skills.error().code));
    if (!skills->hits.empty()) out += "Skills (`read` them by id), best first:\n";
    for (const search::Hit& hit : skills->hits) {
      const content::Skill* skill = view.generation().skill(hit.key);
      if (skill != nullptr) out += skill_line(view, *skill);
    }
    for (const std::string& key : skills->nearest) nearest.push_back(view.display(key));
  }
  const Callables::Searchable functions = co_await callables_.searchable();
  auto work = [functions, query, most] {
    search::Options options;
    options.limit = most;
    options.reasons = false;
    options.accept = [&functions](std::string_view id) { return functions.shows(id); };
    return search::find(functions.index->index(), query, options);
  };
  const Result<search::Answer> found = co_await library_.on_answer_thread(std::move(work));
  if (!found) co_return std::unexpected(directory::bad_search("find", found.error().code));
  if (!found->hits.empty()) {
    out += out.empty() ? "" : "\n";
    out += "Functions (`call` them by id), best first:\n";
  }
  for (const search::Hit& hit : found->hits) {
    const directory::KnownFunction* function = functions.index->find(hit.key);
    out += function_line(function->id, function->description);
  }
  nearest.insert(nearest.end(), found->nearest.begin(), found->nearest.end());
  if (out.empty()) {
    out = "Nothing is about `" + first_characters(query, kTeaser) + "`." +
          (nearest.empty() ? "" : " Nearest: `" + join(nearest, "`, `") + "`.") +
          " Next: try other words, or call `find` without `query` for the index.";
  }
  co_return text_result(out);
}

task::Task<Result<json::Raw>> Tools::read(std::string address, std::optional<uint64_t> offset,
                                          std::optional<uint64_t> limit) {
  if (limit == 0U) {
    co_return fail("invalid_input", "`limit` must be at least 1. Next: call `read` without it.");
  }
  std::optional<Uri> uri = parse_uri(trim(address));
  if (!uri && address.find("::") != std::string::npos) {
    uri = Uri{Uri::Kind::kFunction, std::string(trim(address))};
  }
  if (!uri) uri = Uri{Uri::Kind::kDocument, std::string(trim(address))};
  const ReadRange range{.offset = offset.value_or(0),
                        .limit = std::min<uint64_t>(limit.value_or(kMaxReadBytes), kMaxReadBytes)};
  Result<ResourceContent> found = co_await resources_.content(std::move(*uri), range);
  if (!found) co_return std::unexpected(std::move(found.error()));
  const size_t bytes = found->bytes.size();
  co_return co_await encode_where_fit(
      library_, bytes,
      [content = std::move(*found), id = std::move(address), limit]() -> Result<json::Raw> {
        return read_result(content, id, limit);
      });
}

task::Task<Result<json::Raw>> Tools::call_by_id(directory::Context context, std::string id,
                                                std::optional<Arguments> arguments,
                                                std::string name_space) {
  json::Raw input{"{}"};
  if (arguments && arguments->size() > kManyArguments) {
    input.text = co_await pool_.run([all = std::move(*arguments)] { return json::encode(all); });
  } else if (arguments) {
    input.text = json::encode(*arguments);
  }
  co_return co_await callables_.call(std::move(context), std::move(id), std::move(input),
                                     {.name_space = std::move(name_space)});
}

task::Task<Result<json::Raw>> Tools::list_functions() {
  CallableList functions = callables_.own();
  const CallableListPtr engine = co_await callables_.engine();
  functions.insert(functions.end(), engine->begin(), engine->end());
  std::string out = "Functions:\n";
  size_t left = kMostListed;
  for (const CallablePtr& function : functions) {
    if (left-- == 0) break;
    out += function_line(function->id, function->description);
  }
  if (functions.size() > kMostListed) {
    out += "… and " + std::to_string(functions.size() - kMostListed) +
           " more. Next: `find` with words.\n";
  }
  co_return json::Raw{quote(out)};
}

}  // namespace iii::mcp
