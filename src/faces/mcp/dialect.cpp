#include "faces/mcp/dialect.h"

#include <array>
#include <utility>
#include <vector>

#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

constexpr std::array<std::string_view, 5> kVersions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                       "2025-11-25", "2026-07-28"};
constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

constexpr std::array<std::string_view, 3> kCapabilities = {"elicitation", "sampling", "roots"};

template <typename Enum, size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

RpcError envelope_error(std::string message, std::string data = {}) {
  RpcError out = bad_request(kInvalidParams, std::move(message));
  out.data = std::move(data);
  return out;
}

bool is_client_info(const json::Value& value) {
  return text_of(value, "name") != nullptr && text_of(value, "version") != nullptr;
}

}  // namespace

std::string_view name_of(Version version) { return kVersions[static_cast<size_t>(version)]; }
std::optional<Version> version_of(std::string_view name) {
  return find_name<Version>(kVersions, name);
}

std::string supported_versions() {
  std::string out = "[";
  for (size_t i = kVersions.size(); i-- > 0;) {
    out += quote(kVersions[i]);
    out += i == 0 ? ']' : ',';
  }
  return out;
}

Version negotiate(std::string_view requested) {
  const std::optional<Version> known = version_of(requested);
  return known && !is_stateless(*known) ? *known : kNewestHandshake;
}

std::optional<Level> level_of(std::string_view name) { return find_name<Level>(kLevels, name); }
std::string_view name_of(Level level) { return kLevels[static_cast<size_t>(level)]; }

bool claims_version(const json::Value& params) {
  const json::Value* meta = params.find("_meta");
  return meta != nullptr && meta->find(kVersionKey) != nullptr;
}

std::expected<Envelope, RpcError> read_envelope(const json::Value& params) {
  const json::Value* meta = object_of(params, "_meta");
  if (meta == nullptr) {
    return std::unexpected(envelope_error(
        "params._meta is required: this server speaks 2026-07-28 without a handshake, and older "
        "versions after `initialize`",
        R"({"missing":["_meta"]})"));
  }
  if (held_bytes(*meta) > kMaxMetaBytes) {
    return std::unexpected(envelope_error("params._meta would take more than " +
                                          std::to_string(kMaxMetaBytes / 1024) + " KiB of memory"));
  }
  std::vector<std::string_view> missing;
  if (text_of(*meta, kVersionKey) == nullptr) missing.push_back(kVersionKey);
  if (object_of(*meta, kCapabilitiesKey) == nullptr) missing.push_back(kCapabilitiesKey);
  if (!missing.empty()) {
    std::string names;
    std::string data = R"({"missing":[)";
    for (const std::string_view key : missing) {
      if (!names.empty()) names += ", ";
      names += key;
      if (data.back() != '[') data += ',';
      data += quote(key);
    }
    return std::unexpected(
        envelope_error("params._meta lacks " + names + ", or it is of another type", data + "]}"));
  }
  if (const json::Value* client = meta->find(kClientKey); client && !is_client_info(*client)) {
    return std::unexpected(
        envelope_error("params._meta: clientInfo must have `name` and `version`"));
  }
  Envelope out{.version_name = *text_of(*meta, kVersionKey), .level = {}};
  if (const json::Value* level = meta->find(kLevelKey)) {
    if (level->as_string() != nullptr) out.level = level_of(*level->as_string());
    if (!out.level) return std::unexpected(envelope_error("params._meta: unknown logLevel"));
  }
  if (const json::Value* token = meta->find("progressToken");
      token != nullptr && progress_token(params).empty()) {
    return std::unexpected(
        envelope_error("params._meta: progressToken must be a string of at most " +
                       std::to_string(kMaxIdBytes) + " bytes or an integer"));
  }
  return out;
}

std::optional<RpcError> check_version(std::string_view version_name) {
  const std::optional<Version> version = version_of(version_name);
  if (version && is_stateless(*version)) return std::nullopt;
  RpcError out = bad_request(kUnsupportedVersion,
                             "Unsupported protocol version: " + std::string(version_name));
  // A version that needs a handshake is served, but not this way.
  const std::string only = "[" + quote(name_of(Version::k2026_07_28)) + "]";
  out.data = R"({"supported":)" + (version ? only : supported_versions()) + R"(,"requested":)" +
             quote(version_name) + "}";
  return out;
}

std::string_view capability_for(std::string_view method) {
  if (method == "elicitation/create") return kCapabilities[0];
  if (method == "sampling/createMessage") return kCapabilities[1];
  if (method == "roots/list") return kCapabilities[2];
  return "";
}

Capabilities::Capabilities(const json::Value& declared) {
  for (size_t i = 0; i < kCapabilities.size(); ++i) {
    if (declared.find(kCapabilities[i]) != nullptr) bits_ |= 1U << i;
  }
}

bool Capabilities::has(std::string_view capability) const {
  const auto found = find_name<size_t>(kCapabilities, capability);
  return found && (bits_ >> *found & 1U) != 0;
}

std::string progress_token(const json::Value& params) {
  const json::Value* meta = object_of(params, "_meta");
  const json::Value* token = meta != nullptr ? meta->find("progressToken") : nullptr;
  if (token == nullptr) return {};
  if (const std::string* text = token->as_string()) {
    return text->size() <= kMaxIdBytes ? json::to_text(*token) : std::string();
  }
  return token->as_int() || token->as_uint() ? json::to_text(*token) : std::string();
}

}  // namespace iii::mcp
