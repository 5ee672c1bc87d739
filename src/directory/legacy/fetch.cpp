#include "directory/legacy/fetch.h"

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/legacy/descriptions.h"
#include "directory/legacy/documents.h"
#include "directory/legacy/resource.h"
#include "directory/legacy/skill_text.h"
#include "directory/library/cause.h"
#include "directory/library/library.h"
#include "directory/reading/resolve.h"
#include "directory/table/bus_namespaces.h"
#include "directory/table/engine_client.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "directory/table/limits.h"
#include "foundation/base/text.h"
#include "foundation/base/white_space.h"
#include "foundation/json/describe.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

constexpr std::string_view kFetchScheme = "iii://";
constexpr std::string_view kNext = " Next: fetch iii://skills to see what there is.";

struct FetchInput {
  std::optional<std::string> uri;
  std::optional<std::vector<std::string>> uris;
};

auto describe(json::Type<FetchInput>) {
  using T = FetchInput;
  return json::object<T>(
      "FetchSkillInput", "`uri` or `uris` is required.",
      json::field("uri", &T::uri, "One address. Must start with `iii://`.").null_default(),
      json::field(
          "uris", &T::uris,
          "Addresses to read in this order, at most 100. If both are given, `uri` is ignored.")
          .null_default());
}

std::unexpected<Error> refused(std::string reason) {
  return fail("invocation_failed",
              "D114 invalid_input: " + std::move(reason) + "." + std::string(kNext));
}

constexpr ViewOptions kAll{.filtered = false};

struct Fetcher {
  EngineClient& engine;
  Library& library;
  std::function<FetchSettings()> settings;
};

task::Task<Result<std::string>> skill_text_of(const Fetcher& from, std::string id) {
  Result<std::optional<std::string>> text = co_await document_text(from.library, kAll, id);
  if (!text) co_return std::unexpected(std::move(text.error()));
  if (*text) co_return std::move(**text);
  const View everything = co_await from.library.current(kAll);
  co_return std::unexpected(
      skill_not_found(id, co_await suggest_skills(from.library, everything, id)));
}

task::Task<Result<std::string>> function_text_of(Context context, const Fetcher& from,
                                                 std::string id) {
  const FetchSettings settings = from.settings();
  if (!settings.open_fn && is_reserved_function(id)) {
    co_return fail("invocation_failed",
                   "D115 reserved: `" + id +
                       "` is in an internal namespace, which addresses do not reach. Next: call "
                       "the function itself; an operator may set `legacy_open_fn: true`.");
  }
  const sdk::Reply<json::Raw> reply =
      co_await call_by_id(from.engine, std::move(context), id, "{}", settings.timeout);
  if (!reply) {
    co_return fail("invocation_failed", "D116 call_failed: `" + id + "` " +
                                            cause_of(reply.error(), settings.timeout) +
                                            ". Next: call the function itself to see more.");
  }
  const Result<json::Value> output = json::parse(reply->text);
  co_return section_text(output ? *output : json::Value()).text;
}

std::string fetch_index_of(const View& view) {
  std::vector<LegacyDocument> documents;
  for (const content::SkillPtr& skill : view.generation().skills) {
    const RegisteredDocument* registered = view.registration(skill->file);
    documents.push_back({.id = registered != nullptr ? registered->key : skill->id,
                         .title = skill->title,
                         .description = skill->description});
  }
  std::ranges::sort(documents, {}, &LegacyDocument::id);
  return fetch_index(documents);
}

task::Task<Result<std::string>> text_of(Context context, const Fetcher& from, FetchTarget target) {
  if (target.kind == FetchTarget::Kind::kIndex) {
    co_return co_await from.library.answer(co_await from.library.current(kAll), fetch_index_of);
  }
  if (target.kind == FetchTarget::Kind::kFunction) {
    Result<std::string> text = co_await function_text_of(context, from, std::move(target.id));
    co_return text;
  }
  Result<std::string> text = co_await skill_text_of(from, std::move(target.id));
  co_return text;
}

task::Task<Result<std::string>> fetch(Context context, std::shared_ptr<const Fetcher> from,
                                      std::string_view function_id, FetchInput in) {
  const Result<std::vector<std::string>> addresses = wanted_addresses(in.uri, in.uris);
  if (!addresses) co_return std::unexpected(addresses.error());
  std::vector<std::pair<std::string, std::string>> sections;
  size_t bytes = 0;
  for (const std::string& address : *addresses) {
    Result<FetchTarget> target = parse_address(address);
    if (!target) co_return std::unexpected(target.error());
    Result<std::string> text = co_await text_of(context, *from, std::move(*target));
    if (!text) co_return std::unexpected(std::move(text.error()));
    bytes += text->size();
    if (bytes > kMaxAnswerBytes) {
      co_return std::unexpected(answer_too_large(
          bytes, kMaxAnswerBytes, std::string(function_id) + " with fewer addresses"));
    }
    sections.emplace_back(address, std::move(*text));
  }
  co_return join_sections(sections);
}

}  // namespace

Result<std::vector<std::string>> wanted_addresses(
    const std::optional<std::string>& uri, const std::optional<std::vector<std::string>>& uris) {
  std::vector<std::string> given;
  if (uris && !uris->empty()) {
    given = *uris;
  } else if (uri) {
    given.push_back(*uri);
  }
  std::vector<std::string> out;
  for (const std::string& each : given) {
    if (const std::string_view address = trim_space(each); !address.empty()) {
      out.emplace_back(address);
    }
  }
  if (out.empty()) return refused("Provide uri, or a non-empty uris array");
  if (out.size() > kMaxBatch) {
    return refused("`uris` has " + std::to_string(out.size()) + " entries, at most " +
                   std::to_string(kMaxBatch) + " are read at once");
  }
  for (const std::string& address : out) {
    if (!address.starts_with(kFetchScheme)) {
      return refused("an address begins with iii://, which " + content::quoted(address) +
                     " does not");
    }
  }
  return out;
}

Result<FetchTarget> parse_address(std::string_view address) {
  const std::string shown = content::quoted(address);
  const std::string_view rest = address.substr(kFetchScheme.size());
  if (rest == "skills") return FetchTarget{};
  if (rest.empty()) return refused("the id after iii:// is missing in " + shown);
  const std::vector<std::string_view> segments = split(rest, '/');
  if (std::ranges::any_of(segments, &std::string_view::empty)) {
    return refused("a segment is empty in " + shown);
  }
  if (segments.front() != "fn") {
    if (const Result<void> legal = content::check_id(rest); !legal) {
      return refused(legal.error().message);
    }
    return FetchTarget{FetchTarget::Kind::kSkill, std::string(rest)};
  }
  if (segments.size() == 1) return refused(shown + " is missing a function path");
  const std::string_view path = rest.substr(3);
  if (const Result<void> legal = content::check_id(path); !legal) {
    return refused(legal.error().message);
  }
  FetchTarget out{FetchTarget::Kind::kFunction, ""};
  for (const std::string_view segment : std::vector(segments.begin() + 1, segments.end())) {
    out.id += (out.id.empty() ? "" : "::") + std::string(segment);
  }
  return out;
}

std::string fetch_index(const std::vector<LegacyDocument>& documents) {
  std::string out = "# Skills\n\n";
  if (documents.empty()) return out + "_There are no skills yet._\n";
  out += "Every document that can be read by its address.\n\n";
  for (const LegacyDocument& each : documents) {
    const auto depth = static_cast<size_t>(std::ranges::count(each.id, '/'));
    out += std::string(2 * depth, ' ') + index_line(each);
  }
  return out;
}

std::string join_sections(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string out;
  for (const auto& [address, text] : sections) {
    if (!out.empty()) out += "\n\n---\n\n";
    std::string_view body = text;
    const std::string_view trimmed = trim_space(body);
    body = trimmed.empty()
               ? trimmed
               : body.substr(0, static_cast<size_t>(trimmed.data() - body.data()) + trimmed.size());
    out += "# " + address + "\n\n" + std::string(body);
  }
  return out;
}

void add_fetch(FunctionTable& table, EngineClient& engine, Library& library,
               std::function<FetchSettings()> settings) {
  const auto from = std::make_shared<const Fetcher>(Fetcher{engine, library, std::move(settings)});
  const auto add = [&](const char* id, std::string label) {
    table.add<FetchInput, std::string>({.id = id,
                                        .title = "Fetch skill",
                                        .description = about::kFetch,
                                        .tool_label = std::move(label),
                                        .max_input_bytes = kMaxLargeInputBytes,
                                        .published = true},
                                       [from, id](const Context& context, FetchInput in) {
                                         return fetch(context, from, id, std::move(in));
                                       });
  };
  add("skills::fetch_skill", "");
  add("skill::fetch", "Fetch skill");
}

}  // namespace iii::directory
