#include "app/daemon/config_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "directory/risks/codes.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using C = DirectoryConfig;
using json::Value;

constexpr uint64_t kDayMs = 86'400'000;
constexpr uint64_t kYearMs = 365 * kDayMs;
constexpr uint64_t kTera = uint64_t{1} << 40U;

constexpr ConfigKey kKeys[] = {
    {.name = "skills_folder",
     .member = &C::skills_folder,
     .description = "the global root; downloads are written here",
     .published = true},
    {.name = "local_skills_folder",
     .member = &C::local_skills_folder,
     .description = "the local root; its sub-folders hide global ones of the same name",
     .published = true},
    {.name = "extra_skills_folders",
     .member = &C::extra_skills_folders,
     .description = "read-only roots of lower precedence, for example `[\"~/.agents/skills\"]`; "
                    "`serve --extra-skills` adds to them"},
    {.name = "filter_unregistered",
     .member = &C::filter_unregistered,
     .description = "show only documents of installed workers, as `worker::list` names them; files "
                    "directly in a root, `directory`, `iii` and our own page are always shown; "
                    "prompts are not filtered",
     .published = true},
    {.name = "registry_cache_ttl_ms",
     .member = &C::registry_cache_ttl_ms,
     .description = "how long an answer of `worker::list` (or of the registry) is used; 0: never. "
                    "After `worker::list` did not answer, it is not called again for the same "
                    "time, and at least for a second",
     .high = kYearMs,
     .published = true},
    {.name = "worker_list_timeout_ms",
     .member = &C::worker_list_timeout_ms,
     .description = "longest wait for `worker::list`",
     .low = 1,
     .high = kDayMs},
    {.name = "normalise_ids",
     .member = &C::normalise_ids,
     .description = "serve files whose path is not a legal id under a normalised id"},
    {.name = "lenient",
     .member = &C::lenient,
     .description = "read broken frontmatter as far as possible, with findings"},
    {.name = "title_from_name",
     .member = &C::title_from_name,
     .description = "the title of a document without `title` is the `name` of its frontmatter; "
                    "`false`: its first heading, as in iii-directory 0.8.0"},
    {.name = "builtin_docs",
     .member = &C::builtin_docs,
     .description = "the compiled-in documents `iii` and `iii-directory`"},
    {.name = "watch",
     .member = &C::watch,
     .description = "follow changes by kernel notifications; `false`: every call compares the "
                    "stamps of all folders and documents instead, with the same answers"},
    {.name = "max_file_bytes",
     .member = &C::max_file_bytes,
     .description = "how large a document should be at most, frontmatter included. `lenient` "
                    "returns up to four times as much whole, with a finding, a larger skill only "
                    "in parts (`offset`), and no larger prompt; without it nothing larger is "
                    "returned",
     .low = 1,
     .high = uint64_t{1} << 30U},
    {.name = "mcp_tools",
     .member = &C::mcp_tools,
     .description = "which tools MCP clients see: `minimal` (`find`, `read` and `call`), "
                    "`directory` (the directory's functions instead), `all` (these three, the "
                    "directory's functions and those of the engine)",
     .text = TextKind::kToolsMode,
     .restart = true,
     .access = true},
    {.name = "mcp_hidden",
     .member = &C::mcp_hidden,
     .description = "functions that MCP clients neither see nor call, by the beginning of their "
                    "ids, for example `[\"billing::\"]`; `engine::`, `configuration::`, "
                    "`state::`, `stream::`, `iii::`, `iii.`, `mcp::`, `a2a::`, `skill::`, "
                    "`skills::` and `prompts::` are always hidden",
     .text = TextKind::kText,
     .restart = true,
     .access = true},
    {.name = "mcp_allow",
     .member = &C::mcp_allow,
     .description =
         "functions for operators that MCP clients may see and call all the same, by "
         "the beginning of their ids, for example `[\"directory::log-level\"]`. These are "
         "`directory::backup`, `directory::log-level`, `directory::sessions`, and "
         "functions of workers with `metadata.mcp.operators_only`; what `mcp_hidden` "
         "names stays hidden",
     .text = TextKind::kText,
     .restart = true,
     .access = true},
    {.name = "log_level",
     .member = &C::log_level,
     .description = "what is logged: this level and those above it. `--log-level` is used instead "
                    "until the value changes; `directory::log-level` changes it until the next "
                    "start",
     .text = TextKind::kLogLevel},
    {.name = "registry_url",
     .member = &C::registry_url,
     .description = "the workers registry. While the value is not a valid URL, downloads from the "
                    "registry fail",
     .text = TextKind::kUrl,
     .published = true},
    {.name = "ca_file",
     .member = &C::ca_file,
     .description = "PEM file of trusted certificates, for the registry and for git over https; "
                    "empty: those of the system. While the file cannot be read, downloads fail",
     .text = TextKind::kFile},
    {.name = "registry_retries",
     .member = &C::registry_retries,
     .description = "after 429, 5xx and lost connections, with increasing pauses or as "
                    "`Retry-After` says",
     .high = 20},
    {.name = "registry_connect_timeout_ms",
     .member = &C::registry_connect_timeout_ms,
     .description = "time to connect to the registry",
     .low = 1,
     .high = kDayMs},
    {.name = "registry_negative_ttl_ms",
     .member = &C::registry_negative_ttl_ms,
     .description = "how long `not found` is remembered; never above `registry_cache_ttl_ms`",
     .high = kYearMs},
    {.name = "registry_stale_ms",
     .member = &C::registry_stale_ms,
     .description = "how old a cached answer may be that is used while the registry is not "
                    "available (`stale: true`)",
     .high = kYearMs},
    {.name = "registry_cache_entries",
     .member = &C::registry_cache_entries,
     .description = "answers kept; the least recently used are removed first",
     .high = 1'000'000},
    {.name = "registry_cache_bytes",
     .member = &C::registry_cache_bytes,
     .description = "their size together",
     .high = kTera},
    {.name = "download_timeout_ms",
     .member = &C::download_timeout_ms,
     .description = "one download, from the request to the last write; one request to the registry "
                    "with its retries",
     .low = 1,
     .high = kDayMs,
     .published = true},
    {.name = "max_downloads",
     .member = &C::max_downloads,
     .description = "downloads that run at the same time; more wait. One caller has at most half "
                    "of them, and 16 that wait (256 for all callers; more are answered D334); what "
                    "a caller that has disconnected left waiting is dropped. Registry calls have "
                    "four places of their own, and `directory::lock::verify` never waits for a "
                    "download",
     .low = 1,
     .high = 64,
     .restart = true},
    {.name = "max_bundle_files",
     .member = &C::max_bundle_files,
     .description = "files of one download",
     .low = 1,
     .high = 100'000},
    {.name = "max_bundle_file_bytes",
     .member = &C::max_bundle_file_bytes,
     .description = "each of its files",
     .low = 1,
     .high = uint64_t{1} << 30U},
    {.name = "max_bundle_bytes",
     .member = &C::max_bundle_bytes,
     .description = "all its files together",
     .low = 1,
     .high = uint64_t{1} << 32U},
    {.name = "max_bundle_depth",
     .member = &C::max_bundle_depth,
     .description = "folders in one of its paths",
     .low = 1,
     .high = 64},
    {.name = "max_bundle_path_bytes",
     .member = &C::max_bundle_path_bytes,
     .description = "length of one of its paths",
     .low = 1,
     .high = 4'096},
    {.name = "max_clone_bytes",
     .member = &C::max_clone_bytes,
     .description = "disk space that git may use during a download",
     .low = 1,
     .high = kTera},
    {.name = "keep_executable_bits",
     .member = &C::keep_executable_bits,
     .description = "files that a repository has as executable are executable here; `false`: none "
                    "is"},
    {.name = "scan",
     .member = &C::scan,
     .description = "what happens with findings about the files of a download (`docs/risks.md`): "
                    "`warn` reports them, `block` also refuses a download with a finding of "
                    "severity `high` (D336), `off` does not look",
     .access = true},
    {.name = "scan_overrides",
     .member = &C::scan_overrides,
     .description = "the same for single codes, for example `{raw_address: \"off\", download_run: "
                    "block}`; `block` refuses whatever the severity",
     .access = true},
    {.name = "git_private_hosts",
     .member = &C::git_private_hosts,
     .description =
         "hosts that repositories may lie on although their addresses are not public: "
         "names, addresses, `*.suffix`, or `\"*\"` for all. Any peer on the bus may name "
         "a repository, so without this git connects to public addresses only; see "
         "[below](#repositories)",
     .text = TextKind::kText,
     .access = true},
    {.name = "git_credential_helper",
     .member = &C::git_credential_helper,
     .description = "a credential helper for private repositories over https, as git's "
                    "`credential.helper` names one; empty: none; see [below](#repositories)",
     .text = TextKind::kText,
     .local = true,
     .access = true},
    {.name = "registry_search",
     .member = &C::registry_search,
     .description = "`directory::search_functions` asks the registry what could be installed for "
                    "capabilities that nothing installed has"},
    {.name = "auto_download",
     .member = &C::auto_download,
     .description = "download the documents of installed workers automatically; `serve` does so "
                    "with `--auto-download`",
     .restart = true,
     .published = true},
    {.name = "auto_download_jobs",
     .member = &C::auto_download_jobs,
     .description = "automatic downloads at a time",
     .low = 1,
     .high = 16,
     .restart = true},
    {.name = "auto_download_pause_ms",
     .member = &C::auto_download_pause_ms,
     .description = "pause before the next attempt after a failure that may pass, such as an "
                    "outage of the registry; it doubles each time, and there is always a next "
                    "attempt",
     .high = kDayMs,
     .restart = true},
    {.name = "auto_download_max_pause_ms",
     .member = &C::auto_download_max_pause_ms,
     .description = "longest such pause",
     .high = kDayMs,
     .restart = true},
    {.name = "answer_repeat_ms",
     .member = &C::answer_repeat_ms,
     .description = "worker mode: send an answer again this long after its call arrived, unless it "
                    "took that long anyway, because the public engine records a call only after "
                    "forwarding it and drops an answer that comes sooner (it ignores the second of "
                    "two); 0: send every answer once",
     .high = 60'000,
     .restart = true},
    {.name = "configuration_entry",
     .member = &C::configuration_entry,
     .description = "worker mode: read and offer keys in the engine's configuration; see "
                    "[below](#in-the-engines-configuration)",
     .restart = true,
     .local = true},
    {.name = "legacy_skills",
     .member = &C::legacy_skills,
     .description = "the functions and trigger types of skills 0.1.5, for workers that register "
                    "content at run time",
     .restart = true},
    {.name = "scopes",
     .member = &C::scopes,
     .description = "the scopes of `state::*` that hold it; either may be left out"},
    {.name = "state_timeout_ms",
     .member = &C::state_timeout_ms,
     .description = "longest wait for `state::*`, for the function behind a section and for the "
                    "handler of a prompt",
     .low = 1,
     .high = 3'600'000},
    {.name = "registered_documents",
     .member = &C::registered_documents,
     .description = "show what workers registered in `directory::*` too, beside the files",
     .restart = true},
    {.name = "registered_ttl_ms",
     .member = &C::registered_ttl_ms,
     .description = "how long that may be out of date after a write that did not go through our "
                    "functions, on an engine whose `state` fires no events; with events 60 000 or "
                    "this, whichever is longer. 0: read at every call",
     .high = 3'600'000},
    {.name = "legacy_directory_041",
     .member = &C::legacy_directory_041,
     .description = "the functions of iii-directory 0.4.1: `skills::{download,fetch_skill}`, "
                    "`skill::fetch`, `prompts::get`, `registry::*`, `directory::*-{list,info}`. "
                    "`skills::list`, `prompts::list` and the two trigger types come with it or "
                    "with `legacy_skills`",
     .restart = true},
    {.name = "legacy_directory_051",
     .member = &C::legacy_directory_051,
     .description = "the functions `directory::engine::*` of iii-directory 0.5.1, and `how_guide` "
                    "and `related_skills` in `directory::engine::functions::info`",
     .restart = true},
    {.name = "legacy_open_fn",
     .member = &C::legacy_open_fn,
     .description = "let `iii://fn/…` of `skill::fetch` reach every function on the bus, "
                    "`engine::*` and `state::*` too, as 0.4.1 did. Anyone who can fetch can then "
                    "call every function that accepts `{}`",
     .access = true},
};

// The words that a key takes; none: it takes other values.
std::vector<std::string> choices_of(const ConfigKey& key) {
  if (std::holds_alternative<ConfigKey::Of<sources::ScanAction>>(key.member)) {
    return {"off", "warn", "block"};
  }
  if (!std::holds_alternative<ConfigKey::Of<std::string>>(key.member)) return {};
  if (key.text == TextKind::kLogLevel) return {"debug", "info", "warn", "error", "off"};
  if (key.text == TextKind::kToolsMode) return {"minimal", "directory", "all"};
  return {};
}

// What is expected of a value, and the setting of it, for each type of member.
struct Setter {
  DirectoryConfig& config;
  const ConfigKey& key;
  const Value& value;
  std::vector<std::string>& warnings;

  bool operator()(bool C::* member) const {
    if (value.as_bool() == nullptr) return false;
    config.*member = *value.as_bool();
    return true;
  }
  bool operator()(uint64_t C::* member) const {
    const int64_t* number = value.as_int();
    if (number == nullptr || *number < 0) return false;
    const auto positive = static_cast<uint64_t>(*number);
    if (positive < key.low || positive > key.high) return false;
    config.*member = positive;
    return true;
  }
  bool operator()(std::string C::* member) const {
    if (key.text == TextKind::kUrl) {
      config.*member = value.as_string() != nullptr ? *value.as_string() : json::to_text(value);
      return is_http_url(config.*member);
    }
    if (value.as_string() == nullptr) return false;
    const std::vector<std::string> choices = choices_of(key);
    if (!choices.empty() && std::ranges::find(choices, *value.as_string()) == choices.end()) {
      return false;
    }
    if (key.text == TextKind::kFolder && value.as_string()->empty()) return false;
    config.*member = *value.as_string();
    return true;
  }
  bool operator()(std::vector<std::string> C::* member) const {
    if (value.as_array() == nullptr) return false;
    std::vector<std::string> folders;
    for (const Value& folder : *value.as_array()) {
      if (folder.as_string() == nullptr || folder.as_string()->empty()) return false;
      folders.push_back(*folder.as_string());
    }
    config.*member = std::move(folders);
    return true;
  }
  // A scope may be written as a number or a word such as `true`: it is text all the same.
  bool operator()(Scopes C::* member) const {
    if (value.as_object() == nullptr) return false;
    Scopes scopes = config.*member;
    for (const auto& [name, scope] : *value.as_object()) {
      if (scope.as_array() != nullptr || scope.as_object() != nullptr) return false;
      if (name != "skills" && name != "prompts") {
        static const std::vector<std::string> known{"skills", "prompts"};
        const std::string_view meant = nearest(name, known);
        warnings.push_back("there is no scope `" + name + "`" +
                           (meant.empty() ? "" : ". Did you mean " + std::string(meant) + "?"));
        continue;
      }
      if (scope.is_null()) continue;
      (name == "skills" ? scopes.skills : scopes.prompts) =
          scope.as_string() != nullptr ? *scope.as_string() : json::to_text(scope);
    }
    config.*member = std::move(scopes);
    return true;
  }

  // Some tools write `off` as false.
  static std::optional<sources::ScanAction> action(const Value& value) {
    if (value.as_bool() != nullptr && !*value.as_bool()) return sources::ScanAction::kOff;
    if (value.as_string() == nullptr) return std::nullopt;
    return sources::action_of(*value.as_string());
  }
  bool operator()(sources::ScanAction C::* member) const {
    const auto wanted = action(value);
    if (wanted) config.*member = *wanted;
    return wanted.has_value();
  }
  bool operator()(ScanOverrides C::* member) const {
    if (value.as_object() == nullptr) return false;
    ScanOverrides overrides;
    for (const auto& [code, wanted] : *value.as_object()) {
      const auto chosen = action(wanted);
      if (!chosen) return false;
      if (risks::find_code(code) == nullptr) {
        std::vector<std::string> known;
        for (const risks::CodeInfo& info : risks::kCodes) known.emplace_back(info.code);
        const std::string_view meant = nearest(code, known);
        warnings.push_back("there is no code `" + code + "`" +
                           (meant.empty() ? "" : ". Did you mean " + std::string(meant) + "?"));
        continue;
      }
      overrides[code] = *chosen;
    }
    config.*member = std::move(overrides);
    return true;
  }

  static bool is_http_url(std::string_view url) {
    const size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
    const std::string_view host = url.substr(scheme, url.find_first_of("/?#", scheme) - scheme);
    const auto plain = [](char c) { return c > ' ' && c != 0x7f; };
    return scheme != 0 && !host.empty() && !host.starts_with(':') && !host.contains('@') &&
           std::ranges::all_of(url, plain);
  }
};

template <typename T>
bool holds(const ConfigKey& key) {
  return std::holds_alternative<ConfigKey::Of<T>>(key.member);
}

std::string shortened(const Value& value) {
  constexpr size_t kMost = 60;
  std::string text = json::to_text(value);
  return text.size() <= kMost ? text : std::string(utf8_prefix(text, kMost)) + "…";
}

std::string meant_choice(const ConfigKey& key, const Value& value) {
  if (value.as_string() == nullptr) return "";
  const std::vector<std::string> choices = choices_of(key);
  const std::string_view meant = nearest(*value.as_string(), choices);
  return meant.empty() ? "" : " (did you mean " + std::string(meant) + "?)";
}

std::string in_code(const Value& value) { return "`" + json::to_text(value) + "`"; }

std::string default_text(const ConfigKey& key) {
  const Value usual = value_of({}, key);
  const Value served = value_of(serve_defaults(), key);
  if (usual == served) return in_code(usual);
  return in_code(usual) + " (" + in_code(served) + " under `serve`)";
}

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

const ConfigKey* find_config_key(std::string_view name) {
  const auto found = std::ranges::find(kKeys, name, &ConfigKey::name);
  return found == std::end(kKeys) ? nullptr : found;
}

std::vector<std::string> config_key_names() {
  std::vector<std::string> names;
  for (const ConfigKey& key : kKeys) names.emplace_back(key.name);
  return names;
}

std::string environment_name(std::string_view key) {
  std::string name = "III_DIRECTORY_";
  for (const char c : key) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return name;
}

DirectoryConfig serve_defaults() {
  DirectoryConfig defaults;
  // The embedded engine lists connected workers, not installed ones: whoever put a folder there
  // expects to see it.
  defaults.filter_unregistered = false;
  // A local server tells no registry which workers connect to it, unless it is asked to.
  defaults.auto_download = false;
  return defaults;
}

Value value_of(const DirectoryConfig& config, const ConfigKey& key) {
  struct Reader {
    const DirectoryConfig& config;
    Value operator()(bool C::* member) const { return config.*member; }
    Value operator()(uint64_t C::* member) const { return config.*member; }
    Value operator()(std::string C::* member) const { return config.*member; }
    Value operator()(std::vector<std::string> C::* member) const {
      const std::vector<std::string>& folders = config.*member;
      return json::Array(folders.begin(), folders.end());
    }
    Value operator()(sources::ScanAction C::* member) const {
      return sources::action_word(config.*member);
    }
    Value operator()(ScanOverrides C::* member) const {
      json::Object out;
      for (const auto& [code, wanted] : config.*member) out[code] = sources::action_word(wanted);
      return out;
    }
    Value operator()(Scopes C::* member) const {
      return json::Object{{"skills", (config.*member).skills},
                          {"prompts", (config.*member).prompts}};
    }
  };
  return std::visit(Reader{config}, key.member);
}

void copy_key(DirectoryConfig& to, const DirectoryConfig& from, const ConfigKey& key) {
  std::visit([&](auto member) { to.*member = from.*member; }, key.member);
}

Result<void> set_key(DirectoryConfig& config, const ConfigKey& key, const Value& value,
                     std::vector<std::string>& warnings) {
  if (std::visit(Setter{config, key, value, warnings}, key.member)) return {};
  return fail("config", std::string(key.name) + " must be a " + type_of(key) + ", not " +
                            shortened(value) + meant_choice(key, value));
}

std::string type_of(const ConfigKey& key) {
  if (holds<bool>(key)) return "boolean";
  if (holds<uint64_t>(key)) {
    return "whole number, " + std::to_string(key.low) + " to " + std::to_string(key.high);
  }
  if (holds<std::vector<std::string>>(key)) {
    return key.text == TextKind::kFolder ? "list of folders" : "list of texts";
  }
  if (const auto choices = choices_of(key); !choices.empty()) {
    return "choice of " + join(choices, ", ");
  }
  if (holds<ScanOverrides>(key)) return "mapping of codes to off, warn or block";
  if (holds<Scopes>(key)) return "mapping of skills and prompts to texts";
  switch (key.text) {
    case TextKind::kFolder:
      return "folder";
    case TextKind::kFile:
      return "file";
    case TextKind::kText:
    case TextKind::kLogLevel:
    case TextKind::kToolsMode:
      break;
    case TextKind::kUrl:
      return "URL (http or https, without user name)";
  }
  return "text";
}

// The JSON type of a key's value; objects and arrays are checked when they are read.
static std::string_view json_type_of(const ConfigKey& key) {
  if (holds<bool>(key)) return "boolean";
  if (holds<uint64_t>(key)) return "integer";
  if (holds<std::vector<std::string>>(key)) return "array";
  if (holds<Scopes>(key) || holds<ScanOverrides>(key)) return "object";
  return "string";
}

Value entry_schema() {
  json::Object properties;
  for (const ConfigKey& key : kKeys) {
    if (key.local) continue;
    json::Object property{{"description", key.description},
                          {"default", value_of({}, key)},
                          {"type", json::Array{json_type_of(key), "null"}}};
    if (holds<uint64_t>(key)) {
      property.emplace("minimum", key.low);
      property.emplace("maximum", key.high);
    }
    properties.emplace(key.name, std::move(property));
  }
  // Null as long as nobody set anything.
  return json::Object{{"type", json::Array{"object", "null"}}, {"properties", properties}};
}

std::string default_config_json() {
  json::Object defaults;
  for (const ConfigKey& key : kKeys) {
    if (key.published) defaults.emplace(key.name, value_of({}, key));
  }
  return json::to_text(defaults);
}

std::string keys_markdown() {
  std::string out =
      "| key | type | default | changes by | meaning |\n"
      "|---|---|---|---|---|\n";
  for (const ConfigKey& key : kKeys) {
    const std::string_view changes = key.restart ? "restart"
                                     : key.local ? "SIGHUP"
                                                 : "SIGHUP, engine";
    out += "| `" + std::string(key.name) + "` | " + type_of(key) + " | " + default_text(key) +
           " | " + std::string(changes) + " | " + std::string(key.description) + " |\n";
  }
  return out;
}

// Descriptions are parts of docs/configuration.md; elsewhere a link inside it names the page.
static std::string outside_the_page(std::string text) {
  constexpr std::string_view kLink = "[below](#";
  for (size_t at = text.find(kLink); at != std::string::npos; at = text.find(kLink, at)) {
    const size_t end = text.find(')', at);
    const std::string part = text.substr(at + kLink.size(), end - at - kLink.size());
    text.replace(at, end + 1 - at, "docs/configuration.md, " + part);
  }
  return text;
}

std::string keys_help() {
  std::string out;
  for (const ConfigKey& key : kKeys) {
    out += "  " + std::string(key.name) + ": " + type_of(key) + "; default " +
           json::to_text(value_of({}, key)) + (key.restart ? "; read at start only" : "") +
           "\n      " + outside_the_page(std::string(key.description)) + "\n";
  }
  return out;
}

}  // namespace iii::daemon
