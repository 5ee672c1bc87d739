#include "daemon/config.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "base/text.h"
#include "functions/builtin_docs.h"
#include "json/write.h"
#include "json/yaml.h"

namespace iii::daemon {

namespace {

using json::Value;

constexpr size_t kMaxConfigBytes = 64 * 1024;

// Sets one key from a value; false when the value is of the wrong kind.
using Setter = std::function<bool(DirectoryConfig&, const Value&)>;

Setter text(std::string DirectoryConfig::* member) {
  return [member](DirectoryConfig& c, const Value& v) {
    if (v.as_string() == nullptr) return false;
    c.*member = *v.as_string();
    return true;
  };
}

Setter number(uint64_t DirectoryConfig::* member) {
  return [member](DirectoryConfig& c, const Value& v) {
    if (v.as_int() == nullptr || *v.as_int() < 0) return false;
    c.*member = static_cast<uint64_t>(*v.as_int());
    return true;
  };
}

Setter flag(bool DirectoryConfig::* member) {
  return [member](DirectoryConfig& c, const Value& v) {
    if (v.as_bool() == nullptr) return false;
    c.*member = *v.as_bool();
    return true;
  };
}

Setter texts(std::vector<std::string> DirectoryConfig::* member) {
  return [member](DirectoryConfig& c, const Value& v) {
    if (v.as_array() == nullptr) return false;
    std::vector<std::string> all;
    for (const Value& one : *v.as_array()) {
      if (one.as_string() == nullptr) return false;
      all.push_back(*one.as_string());
    }
    c.*member = std::move(all);
    return true;
  };
}

// A scope may be written as a number or a word such as `true`: it is text all the same.
bool set_scopes(DirectoryConfig& c, const Value& v) {
  if (v.as_object() == nullptr) return false;
  for (const auto& [name, scope] : *v.as_object()) {
    std::string* member = name == "skills"    ? &c.skills_scope
                          : name == "prompts" ? &c.prompts_scope
                                              : nullptr;
    if (member == nullptr || scope.is_null()) continue;
    if (scope.as_array() != nullptr || scope.as_object() != nullptr) return false;
    *member = scope.as_string() != nullptr ? *scope.as_string() : json::to_text(scope);
  }
  return true;
}

const std::map<std::string, Setter, std::less<>>& keys() {
  using C = DirectoryConfig;
  static const std::map<std::string, Setter, std::less<>> table{
      {"skills_folder", text(&C::skills_folder)},
      {"local_skills_folder", text(&C::local_skills_folder)},
      {"extra_skills_folders", texts(&C::extra_skills_folders)},
      {"registry_url", text(&C::registry_url)},
      {"download_timeout_ms", number(&C::download_timeout_ms)},
      {"registry_cache_ttl_ms", number(&C::registry_cache_ttl_ms)},
      {"filter_unregistered", flag(&C::filter_unregistered)},
      {"auto_download", flag(&C::auto_download)},
      {"normalise_ids", flag(&C::normalise_ids)},
      {"lenient", flag(&C::lenient)},
      {"builtin_docs", flag(&C::builtin_docs)},
      {"index_cache", flag(&C::index_cache)},
      {"watch", flag(&C::watch)},
      {"worker_list_timeout_ms", number(&C::worker_list_timeout_ms)},
      {"answer_repeat_ms", number(&C::answer_repeat_ms)},
      {"max_file_bytes", number(&C::max_file_bytes)},
      {"ca_file", text(&C::ca_file)},
      {"registry_retries", number(&C::registry_retries)},
      {"registry_connect_timeout_ms", number(&C::registry_connect_timeout_ms)},
      {"registry_negative_ttl_ms", number(&C::registry_negative_ttl_ms)},
      {"registry_stale_ms", number(&C::registry_stale_ms)},
      {"registry_cache_entries", number(&C::registry_cache_entries)},
      {"registry_cache_bytes", number(&C::registry_cache_bytes)},
      {"max_downloads", number(&C::max_downloads)},
      {"max_bundle_files", number(&C::max_bundle_files)},
      {"max_bundle_file_bytes", number(&C::max_bundle_file_bytes)},
      {"max_bundle_bytes", number(&C::max_bundle_bytes)},
      {"max_bundle_depth", number(&C::max_bundle_depth)},
      {"max_bundle_path_bytes", number(&C::max_bundle_path_bytes)},
      {"max_clone_bytes", number(&C::max_clone_bytes)},
      {"git_private_hosts", texts(&C::git_private_hosts)},
      {"git_credential_helper", text(&C::git_credential_helper)},
      {"auto_download_jobs", number(&C::auto_download_jobs)},
      {"auto_download_max_pause_ms", number(&C::auto_download_max_pause_ms)},
      {"auto_download_pause_ms", number(&C::auto_download_pause_ms)},
      {"configuration_entry", flag(&C::configuration_entry)},
      {"legacy_directory_041", flag(&C::legacy_directory_041)},
      {"legacy_directory_051", flag(&C::legacy_directory_051)},
      {"legacy_open_fn", flag(&C::legacy_open_fn)},
      {"legacy_skills", flag(&C::legacy_skills)},
      {"scopes", set_scopes},
      {"state_timeout_ms", number(&C::state_timeout_ms)},
      {"registered_documents", flag(&C::registered_documents)},
      {"registered_ttl_ms", number(&C::registered_ttl_ms)},
  };
  return table;
}

struct EntryKey {
  const char* name;
  const char* type;
  const char* description;
};

constexpr EntryKey kEntryKeys[] = {
    {"filter_unregistered", "boolean", "Show only documents of installed workers."},
    {"registry_cache_ttl_ms", "integer", "How long an answer of worker::list is used."},
    {"worker_list_timeout_ms", "integer", "Longest wait for worker::list."},
    {"normalise_ids", "boolean", "Serve files whose path breaks the id rule under another id."},
    {"lenient", "boolean", "Read broken frontmatter as far as it goes."},
    {"builtin_docs", "boolean", "Serve the compiled-in documents."},
};

bool is_entry_key(std::string_view key) {
  for (const EntryKey& each : kEntryKeys) {
    if (key == each.name) return true;
  }
  return false;
}

// A file whose every line is blank or a comment says nothing, which is fine.
bool only_comments(std::string_view yaml) {
  for (const std::string_view line : split(yaml, '\n')) {
    const std::string_view text_of_line = trim(line);
    if (!text_of_line.empty() && !text_of_line.starts_with('#')) return false;
  }
  return true;
}

std::string unknown_key(const std::string& key) {
  std::vector<std::string> names;
  for (const auto& [name, setter] : keys()) names.push_back(name);
  std::string message = "unknown configuration key '" + key + "' is ignored";
  if (const std::string_view meant = nearest(key, names); !meant.empty()) {
    message += ". Did you mean " + std::string(meant) + "?";
  }
  return message;
}

}  // namespace

ConfigReading parse_config(std::string_view yaml, DirectoryConfig defaults) {
  ConfigReading out{defaults, {}};
  if (only_comments(yaml)) return out;
  const auto refuse = [&](std::string why) {
    return ConfigReading{defaults, {std::move(why) + "; the defaults are used"}};
  };
  if (yaml.size() > kMaxConfigBytes) return refuse("the configuration is larger than 64 KiB");
  const auto value = json::parse_yaml(yaml);
  if (!value) return refuse("the configuration is no valid YAML");
  if (value->is_null()) return out;
  if (value->as_object() == nullptr)
    return refuse("the configuration is no mapping of keys to values");
  for (const auto& [key, entry] : *value->as_object()) {
    const auto setter = keys().find(key);
    if (setter == keys().end()) {
      out.warnings.push_back(unknown_key(key));
    } else if (!entry.is_null() && !setter->second(out.config, entry)) {
      return refuse("configuration key '" + key + "' has a value of the wrong type (" +
                    std::string(entry.kind_name()) + ")");
    }
  }
  return out;
}

ConfigReading load_config(const std::optional<std::string>& path, DirectoryConfig defaults) {
  const std::string name = path.value_or("./config.yaml");
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    ConfigReading out{defaults, {}};
    if (path)
      out.warnings.push_back("the configuration file " + name +
                             " cannot be read; the defaults are used");
    return out;
  }
  std::string yaml(std::istreambuf_iterator<char>(file), {});
  return parse_config(yaml, std::move(defaults));
}

void apply_entry(ConfigReading& reading, const Value& value) {
  if (value.is_null()) return;
  if (value.as_object() == nullptr) {
    reading.warnings.push_back("the configuration entry is no object and is ignored");
    return;
  }
  for (const auto& [key, entry] : *value.as_object()) {
    if (!is_entry_key(key)) {
      const bool ours = keys().contains(key);
      reading.warnings.push_back("key '" + key + "' of the configuration entry is ignored" +
                                 (ours ? ": it belongs into the configuration file" : ""));
    } else if (!entry.is_null() && !keys().find(key)->second(reading.config, entry)) {
      reading.warnings.push_back("key '" + key +
                                 "' of the configuration entry has a value of the wrong type (" +
                                 std::string(entry.kind_name()) + ") and is ignored");
    }
  }
}

Value entry_schema() {
  json::Object properties;
  for (const EntryKey& key : kEntryKeys) {
    json::Object property{{"type", key.type}, {"description", key.description}};
    if (std::string_view(key.type) == "integer") property.emplace("minimum", 0);
    properties.emplace(key.name, std::move(property));
  }
  // Null as long as nobody set anything.
  return json::Object{{"type", json::Array{"object", "null"}}, {"properties", properties}};
}

void apply_environment(ConfigReading& reading, const Environment& environment) {
  for (const auto& [key, setter] : keys()) {
    std::string name = "III_DIRECTORY_";
    for (const char c : key) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    const auto word = environment(name);
    if (!word) continue;
    const auto value = json::parse_yaml(*word);
    // A path such as `5` is text where text is wanted.
    const bool set =
        (value && setter(reading.config, *value)) || setter(reading.config, Value(*word));
    if (!set) reading.warnings.push_back(name + " has a value of the wrong type and is ignored");
  }
}

Environment process_environment_reader() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
  };
}

std::filesystem::path expand_path(const std::string& text, const std::string& home) {
  if (!text.starts_with('~') || home.empty()) return std::filesystem::absolute(text);
  std::string rest = text.substr(1);
  while (rest.starts_with('/')) rest.erase(0, 1);
  return std::filesystem::path(home) / rest;
}

content::ContentOptions content_options(const DirectoryConfig& config, const std::string& home,
                                        std::optional<std::filesystem::path> cache_file) {
  using content::RootKind;
  content::ContentOptions out;
  out.roots.push_back({RootKind::kLocal, expand_path(config.local_skills_folder, home)});
  out.roots.push_back({RootKind::kGlobal, expand_path(config.skills_folder, home)});
  for (const std::string& extra : config.extra_skills_folders) {
    out.roots.push_back({RootKind::kExtra, expand_path(extra, home)});
  }
  if (config.builtin_docs) out.builtin = directory::builtin_documents();
  out.normalise_ids = config.normalise_ids;
  out.lenient = config.lenient;
  out.max_file_bytes = config.max_file_bytes;
  if (!config.watch) out.max_watches = 0;
  if (config.index_cache) out.cache_file = std::move(cache_file);
  return out;
}

sources::DownloadsOptions downloads_options(const DirectoryConfig& config,
                                            const std::string& home) {
  const auto timeout = std::chrono::milliseconds(config.download_timeout_ms);
  const std::string ca_file =
      config.ca_file.empty() ? "" : expand_path(config.ca_file, home).string();
  const sources::BundleLimits limits{.max_files = config.max_bundle_files,
                                     .max_file_bytes = config.max_bundle_file_bytes,
                                     .max_bundle_bytes = config.max_bundle_bytes,
                                     .max_document_bytes = config.max_file_bytes,
                                     .max_depth = config.max_bundle_depth,
                                     .max_path_bytes = config.max_bundle_path_bytes,
                                     .max_clone_bytes = config.max_clone_bytes};
  sources::DownloadsOptions out;
  out.skills_folder = expand_path(config.skills_folder, home);
  out.timeout = timeout;
  out.registry.url = config.registry_url;
  out.registry.timeout = timeout;
  out.registry.cache_ttl = std::chrono::milliseconds(config.registry_cache_ttl_ms);
  out.registry.retries = static_cast<unsigned>(std::min<uint64_t>(config.registry_retries, 20));
  out.registry.connect_timeout = std::chrono::milliseconds(config.registry_connect_timeout_ms);
  out.registry.negative_ttl = std::chrono::milliseconds(config.registry_negative_ttl_ms);
  out.registry.stale_for = std::chrono::milliseconds(config.registry_stale_ms);
  out.registry.cache_entries = config.registry_cache_entries;
  out.registry.cache_bytes = config.registry_cache_bytes;
  // A bundle travels as JSON, whose escapes take room.
  out.registry.max_answer_bytes = config.max_bundle_bytes + config.max_bundle_bytes / 2;
  out.registry.ca_file = ca_file;
  out.registry.limits = limits;
  out.git.ca_file = ca_file;
  out.git.private_hosts = config.git_private_hosts;
  out.git.credential_helper = config.git_credential_helper;
  out.git.limits = limits;
  return out;
}

directory::AutoDownloadOptions auto_download_options(const DirectoryConfig& config,
                                                     const std::string& home) {
  directory::AutoDownloadOptions out;
  out.local_folder = expand_path(config.local_skills_folder, home);
  out.jobs = std::clamp<uint64_t>(config.auto_download_jobs, 1, 16);
  out.pause = std::chrono::milliseconds(config.auto_download_pause_ms);
  out.max_pause = std::chrono::milliseconds(config.auto_download_max_pause_ms);
  return out;
}

directory::InstalledWorkersOptions installed_options(const DirectoryConfig& config) {
  return {.filter = config.filter_unregistered,
          .ttl = std::chrono::milliseconds(config.registry_cache_ttl_ms),
          .timeout = std::chrono::milliseconds(config.worker_list_timeout_ms),
          .own_page = config.builtin_docs};
}

directory::RegistrationStoreOptions registered_options(const DirectoryConfig& config) {
  // A call must be able to be answered, and an hour is as good as for ever.
  const uint64_t timeout = std::clamp<uint64_t>(config.state_timeout_ms, 1, 3'600'000);
  return {.skills_scope = config.skills_scope,
          .prompts_scope = config.prompts_scope,
          .timeout = std::chrono::milliseconds(timeout)};
}

directory::RegistrationFeedOptions registration_feed_options(const DirectoryConfig& config) {
  const uint64_t ttl = std::min<uint64_t>(config.registered_ttl_ms, 3'600'000);
  directory::RegistrationFeedOptions out;
  out.ttl = std::chrono::milliseconds(ttl);
  out.ttl_with_events = std::max(out.ttl_with_events, out.ttl);
  return out;
}

std::string default_config_json(const DirectoryConfig& c) {
  return json::to_text(json::Object{{"auto_download", c.auto_download},
                                    {"download_timeout_ms", c.download_timeout_ms},
                                    {"filter_unregistered", c.filter_unregistered},
                                    {"local_skills_folder", c.local_skills_folder},
                                    {"registry_cache_ttl_ms", c.registry_cache_ttl_ms},
                                    {"registry_url", c.registry_url},
                                    {"skills_folder", c.skills_folder}});
}

}  // namespace iii::daemon
