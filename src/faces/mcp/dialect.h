// The versions of the protocol, and what a request of the stateless dialect says about itself.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "faces/mcp/rpc.h"
#include "foundation/json/value.h"

namespace iii::mcp {

// All but the last open with a handshake (`initialize`) and have sessions.
enum class Version : uint8_t { k2024_11_05, k2025_03_26, k2025_06_18, k2025_11_25, k2026_07_28 };
inline constexpr Version kNewestHandshake = Version::k2025_11_25;

inline bool is_stateless(Version version) { return version == Version::k2026_07_28; }
std::string_view name_of(Version version);
std::optional<Version> version_of(std::string_view name);
// JSON array, newest first.
std::string supported_versions();

// What a server of the handshake dialect answers to a client that asks for `requested`.
Version negotiate(std::string_view requested);

// RFC 5424 severities, least severe first.
enum class Level : uint8_t {
  kDebug,
  kInfo,
  kNotice,
  kWarning,
  kError,
  kCritical,
  kAlert,
  kEmergency
};
std::optional<Level> level_of(std::string_view name);
std::string_view name_of(Level level);

// Keys of `_meta`.
inline constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientKey = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kLevelKey = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kServerKey = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

inline constexpr std::string_view kSkillsExtension = "io.modelcontextprotocol/skills";

// Whether `params._meta` names a version, whatever its value: then the request is stateless.
bool claims_version(const json::Value& params);

// What `_meta` of a stateless request may take in memory: parts of it are kept while it runs.
inline constexpr size_t kMaxMetaBytes = 64 * 1024;

struct Envelope {
  std::string version_name;
  std::optional<Level> level;
};
// What a stateless request must say; the version is not judged yet (see check_version).
std::expected<Envelope, RpcError> read_envelope(const json::Value& params);
// -32022 with the versions that are served, unless it is served without a handshake.
std::optional<RpcError> check_version(std::string_view version_name);

// What a client has to be capable of to answer such a request; empty for other methods.
std::string_view capability_for(std::string_view method);
// Which of these a client of the handshake dialect has declared; of its other capabilities nothing
// is kept.
class Capabilities {
 public:
  Capabilities() = default;
  explicit Capabilities(const json::Value& declared);
  bool has(std::string_view capability) const;

 private:
  unsigned bits_ = 0;
};

// JSON text of `_meta.progressToken`; empty when there is none, it is of another type or too long.
std::string progress_token(const json::Value& params);

}  // namespace iii::mcp
