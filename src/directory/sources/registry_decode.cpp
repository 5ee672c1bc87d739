#include "directory/sources/registry_decode.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "directory/content/ids.h"
#include "directory/sources/registry_errors.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"
#include "foundation/json/yaml.h"

namespace iii::sources {

namespace {

using json::Kind;
using json::kind_of;
using json::Slice;
using json::Value;

constexpr std::string_view kPublishedPrefix = "skills/";
constexpr size_t kMaxArgsSchemaBytes = 262'144;
// A bundle that carries one of these means harm: they would be taken for our own or for git's.
constexpr std::array<std::string_view, 3> kReservedNames{".iii-skill-complete", ".iii-directory",
                                                         ".git"};

std::unexpected<Error> undecodable() { return std::unexpected(registry_error(kUndecodable)); }

std::optional<std::string> text_member(Slice object, std::string_view key) {
  if (kind_of(object) != Kind::kObject) return std::nullopt;
  const std::optional<Slice> value = json::member(object, key);
  if (!value || kind_of(*value) != Kind::kString) return std::nullopt;
  return json::string_of(*value);
}

bool is_empty(Slice array) {
  Slice key;
  Slice entry;
  return !json::Walker(array).next(key, entry);
}

// Why a file is left out while the rest of its bundle is taken; nothing when it is not. Traversal
// in whatever spelling is no oversight and refuses the bundle.
std::optional<std::string> reason_to_skip(std::string_view path) {
  std::string slashes(path);
  std::ranges::replace(slashes, '\\', '/');
  for (const std::string_view segment : split(slashes, '/')) {
    if (segment == "..") return std::nullopt;
    for (const std::string_view name : kReservedNames) {
      if (iequals(segment, name)) return std::nullopt;
    }
  }
  if (slashes.starts_with('/')) return std::nullopt;
  if (is_hidden_path(slashes)) return "hidden names are not taken";
  if (slashes != path) return "a path may not contain '\\'";
  return std::nullopt;
}

// Frontmatter and text, as the published worker writes them.
std::string prompt_file(const std::string& name, const std::string& description,
                        const std::optional<json::Value>& args_schema, const std::string& content) {
  std::vector<std::pair<std::string, json::Value>> members{
      {"name", name}, {"description", std::string(trim(description))}};
  if (args_schema) members.emplace_back("args_schema", *args_schema);
  std::string file = "---\n" + json::write_yaml(members) + "---\n" + content;
  if (!content.ends_with('\n')) file += '\n';
  return file;
}

// `1.2.3`, also with `v` before it or a suffix: one release, where `1.2`, `^1` or `next` may mean
// several.
bool is_exact_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  for (int number = 0; number < 3; ++number) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
    if (number == 2) break;
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  return text.empty() || text.front() == '-' || text.front() == '+';
}

// Build metadata does not make another release.
std::string_view release_of(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  return version.substr(0, version.find('+'));
}

class Decoder {
 public:
  Decoder(Bundle& bundle, const BundleLimits& limits) : bundle_(bundle), limits_(limits) {}

  Result<void> skills(Slice entries) {
    return each(entries, [this](Slice entry) { return skill(entry); });
  }
  Result<void> prompts(Slice entries) {
    return each(entries, [this](Slice entry) { return prompt(entry); });
  }

 private:
  template <typename F>
  Result<void> each(Slice entries, const F& take) {
    if (kind_of(entries) != Kind::kArray) return undecodable();
    json::Walker walker(entries);
    Slice key;
    Slice entry;
    while (walker.next(key, entry)) {
      // Counted here, so that a body of a million entries costs nothing.
      if (++entries_ > limits_.max_files) {
        return std::unexpected(too_many_files(entries_, limits_));
      }
      if (auto ok = take(entry); !ok) return ok;
    }
    return {};
  }

  Result<void> skill(Slice entry) {
    auto given = text_member(entry, "path");
    auto content = text_member(entry, "content");
    if (!given || !content) return undecodable();
    std::string_view path = *given;
    if (path.starts_with(kPublishedPrefix)) path.remove_prefix(kPublishedPrefix.size());
    if (const auto reason = reason_to_skip(path)) return skip(std::string(path), *reason);
    Result<std::string> clean = clean_path(path, limits_);
    if (!clean) return std::unexpected(std::move(clean.error()));
    // What comes as a skill is reported as one, also below `prompts/`.
    const FileRole role = role_of(*clean) == FileRole::kAsset ? FileRole::kAsset : FileRole::kSkill;
    bundle_.files.push_back(
        {.path = std::move(*clean), .bytes = std::move(*content), .role = role});
    return {};
  }

  Result<void> prompt(Slice entry) {
    const auto name = text_member(entry, "name");
    const auto content = text_member(entry, "content");
    if (!name || !content) return undecodable();
    std::string description;
    if (const auto value = json::member(entry, "description")) {
      if (kind_of(*value) != Kind::kString) return undecodable();
      description = json::string_of(*value);
    }
    if (const Result<void> legal = content::check_name(*name); !legal) {
      return invalid_bundle("invalid prompt name " + content::quoted(utf8_prefix(*name, 80)) +
                            ": " + legal.error().message);
    }
    std::string path = "prompts/" + *name + ".md";
    std::optional<json::Value> args_schema;
    if (const auto value = json::member(entry, "args_schema"); value && *value != "null") {
      // YAML indents, so a small text can become a large one; this bounds both.
      if (value->size() > kMaxArgsSchemaBytes) return skip(path, "its args_schema is too large");
      auto parsed = json::parse(*value);
      if (!parsed) return undecodable();
      args_schema = std::move(*parsed);
    }
    std::string file = prompt_file(*name, description, args_schema, *content);
    bundle_.files.push_back(
        {.path = std::move(path), .bytes = std::move(file), .role = FileRole::kPrompt});
    return {};
  }

  Result<void> skip(std::string path, std::string reason) {
    bundle_.skipped.push_back({std::move(path), std::move(reason)});
    return {};
  }

  Bundle& bundle_;
  const BundleLimits& limits_;
  uint64_t entries_ = 0;
};

// The first of these members that is text, else null.
Value text_or_null(const Value& from, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const Value* value = from.find(key);
    if (value != nullptr && value->as_string() != nullptr) return *value;
  }
  return {};
}

Value any_or_null(const Value& from, std::string_view key) {
  const Value* value = from.find(key);
  return value != nullptr ? *value : Value();
}

uint64_t count_or_zero(const Value& from, std::string_view key, uint64_t most) {
  const Value* value = from.find(key);
  if (value == nullptr) return 0;
  if (value->as_uint() != nullptr) return *value->as_uint() <= most ? *value->as_uint() : 0;
  if (value->as_int() == nullptr || *value->as_int() < 0) return 0;
  const auto number = static_cast<uint64_t>(*value->as_int());
  return number <= most ? number : 0;
}

bool flag(const Value& from, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const Value* value = from.find(key);
    if (value != nullptr && value->as_bool() != nullptr) return *value->as_bool();
  }
  return false;
}

const json::Array& array_or_empty(const Value* value) {
  static const json::Array kNothing;
  return value != nullptr && value->as_array() != nullptr ? *value->as_array() : kNothing;
}

Value targets(const Value& row) {
  json::Array out;
  for (const Value& target : array_or_empty(row.find("supported_targets"))) {
    if (target.as_string() != nullptr) out.push_back(target);
  }
  return out;
}

// A list of names and versions; other routes of the registry give the same as a map.
Value dependencies(const Value& row) {
  json::Array out;
  const auto add = [&out](const Value& name, Value version) {
    if (version.is_null()) version = "";
    out.emplace_back(json::Object{{"name", name}, {"version", std::move(version)}});
  };
  const Value* given = row.find("dependencies");
  if (given != nullptr && given->as_object() != nullptr) {
    for (const auto& [name, version] : *given->as_object()) {
      add(name, version.as_string() != nullptr ? version : Value());
    }
  }
  for (const Value& dependency : array_or_empty(given)) {
    const Value name = text_or_null(dependency, {"name"});
    if (!name.is_null()) add(name, text_or_null(dependency, {"version"}));
  }
  return out;
}

Value author(const Value& row) {
  const Value* given = row.find("author");
  if (given == nullptr || given->as_object() == nullptr) return {};
  return json::Object{{"name", text_or_null(*given, {"name"})},
                      {"pfp", text_or_null(*given, {"pfp", "profile_picture"})},
                      {"verified", flag(*given, {"verified", "is_verified"})}};
}

Value map_row(const Value& row, Value name) {
  const Value* config = row.find("config");
  json::Object out{{"name", std::move(name)},
                   {"description", text_or_null(row, {"description"})},
                   {"type", text_or_null(row, {"type"})},
                   {"version", text_or_null(row, {"version", "latest_version"})},
                   {"repo", text_or_null(row, {"repo", "repository"})},
                   {"config", config != nullptr ? *config : Value(json::Object{})},
                   {"supported_targets", targets(row)},
                   {"total_downloads",
                    count_or_zero(row, "total_downloads", std::numeric_limits<uint64_t>::max())},
                   {"dependencies", dependencies(row)},
                   {"author", author(row)}};
  const Value image = text_or_null(row, {"image"});
  if (!image.is_null()) out.emplace("image", image);
  return out;
}

Value map_pagination(const Value* given) {
  const Value page = given != nullptr ? *given : Value();
  return json::Object{
      {"next_cursor", text_or_null(page, {"next_cursor"})},
      {"has_more", flag(page, {"has_more"})},
      {"page_size", count_or_zero(page, "page_size", std::numeric_limits<uint32_t>::max())}};
}

// Functions or trigger types: those with a name, with null for what is missing.
Value map_reference(const Value* entries, std::initializer_list<std::string_view> schemas) {
  json::Array out;
  for (const Value& entry : array_or_empty(entries)) {
    Value name = text_or_null(entry, {"name"});
    if (name.is_null()) continue;
    json::Object row{{"name", std::move(name)},
                     {"description", text_or_null(entry, {"description"})},
                     {"metadata", any_or_null(entry, "metadata")}};
    for (const std::string_view schema : schemas) {
      row.emplace(schema, any_or_null(entry, schema));
    }
    out.emplace_back(std::move(row));
  }
  return out;
}

// The tree that older flat details carry.
Value older_tree(const Value& detail) {
  const Value* given = detail.find("skills_tree");
  if (given == nullptr) given = detail.find("skillsTree");
  return skills_tree(given != nullptr ? json::to_text(*given) : "{}");
}

const Value& detail_of(const Value& body) {
  const Value* wrapped = body.find("worker");
  return wrapped != nullptr ? *wrapped : body;
}

}  // namespace

Result<Bundle> decode_bundle(const RegistrySource& source, std::string_view body,
                             const BundleLimits& limits) {
  const Slice root = json::trimmed(body);
  Bundle bundle{.source = source};
  // The published worker reads a list as a bundle with its fields in order: an empty one has none.
  if (kind_of(root) == Kind::kArray && is_empty(root)) return bundle;
  if (kind_of(root) != Kind::kObject) return undecodable();
  if (const auto name = json::member(root, "name"); name && *name != "null") {
    if (kind_of(*name) != Kind::kString) return undecodable();
    const std::string said = json::string_of(*name);
    if (said != source.worker) {
      return invalid_bundle("the registry answered with the bundle of " +
                            content::quoted(utf8_prefix(said, 80)) + ", expected " +
                            content::quoted(source.worker));
    }
  }
  bundle.resolved = bundle_version(body);
  const bool pinned = source.version && is_exact_version(*source.version);
  if (pinned && !bundle.resolved.empty() &&
      release_of(bundle.resolved) != release_of(*source.version)) {
    return std::unexpected(other_version(source, bundle.resolved));
  }
  Decoder decoder(bundle, limits);
  if (const auto skills = json::member(root, "skills")) {
    if (auto ok = decoder.skills(*skills); !ok) return std::unexpected(std::move(ok.error()));
  }
  if (const auto prompts = json::member(root, "prompts")) {
    if (auto ok = decoder.prompts(*prompts); !ok) return std::unexpected(std::move(ok.error()));
  }
  return checked(std::move(bundle), limits);
}

json::Value skills_tree(std::string_view body) {
  const Slice root = json::trimmed(body);
  json::Array skills;
  json::Array prompts;
  const auto walk = [&root](std::string_view key, const auto& take) {
    if (kind_of(root) != Kind::kObject) return;
    const auto entries = json::member(root, key);
    if (!entries || kind_of(*entries) != Kind::kArray) return;
    json::Walker walker(*entries);
    Slice unused;
    Slice entry;
    while (walker.next(unused, entry)) take(entry);
  };
  walk("skills", [&skills](Slice entry) {
    if (auto path = text_member(entry, "path")) {
      skills.emplace_back(json::Object{{"path", std::move(*path)}});
    }
  });
  walk("prompts", [&prompts](Slice entry) {
    auto name = text_member(entry, "name");
    if (!name) return;
    auto description = text_member(entry, "description");
    prompts.emplace_back(json::Object{
        {"name", std::move(*name)},
        {"description", description ? json::Value(std::move(*description)) : json::Value()}});
  });
  return json::Object{{"skills", std::move(skills)}, {"prompts", std::move(prompts)}};
}

std::string bundle_version(std::string_view body) {
  constexpr size_t kMaxVersionBytes = 256;
  auto version = text_member(json::trimmed(body), "version");
  return version && version->size() <= kMaxVersionBytes ? std::move(*version) : std::string();
}

Value map_list(const Value& body, bool rows_alone) {
  const Value* rows = rows_alone && body.as_array() != nullptr ? &body : body.find("workers");
  json::Array workers;
  for (const Value& row : array_or_empty(rows)) {
    Value name = text_or_null(row, {"name"});
    if (!name.is_null()) workers.push_back(map_row(row, std::move(name)));
  }
  return json::Object{{"workers", std::move(workers)},
                      {"pagination", map_pagination(body.find("pagination"))}};
}

Value map_info(const std::string& name, const Value& body, std::optional<Value> tree) {
  const Value& detail = detail_of(body);
  Value said = text_or_null(detail, {"name"});
  const Value* nested = detail.find("api_reference");
  const Value& reference = nested != nullptr ? *nested : detail;
  json::Object out{{"worker", map_row(detail, said.is_null() ? Value(name) : std::move(said))},
                   {"skills_tree", tree ? std::move(*tree) : older_tree(detail)}};
  out.emplace("api_reference",
              json::Object{{"functions", map_reference(reference.find("functions"),
                                                       {"request_schema", "response_schema"})},
                           {"triggers", map_reference(reference.find("triggers"),
                                                      {"invocation_schema", "return_schema"})}});
  Value readme = text_or_null(detail, {"readme"});
  if (!readme.is_null()) out.emplace("readme", std::move(readme));
  return out;
}

std::string detail_version(const Value& body) {
  const Value version = text_or_null(detail_of(body), {"version", "latest_version"});
  return version.is_null() ? std::string() : *version.as_string();
}

}  // namespace iii::sources
