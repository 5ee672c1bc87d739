#include "bus/sdk/options.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::sdk {
namespace {

std::string from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && !is_blank(value) ? value : "";
}

void fill(std::string& field, const char* variable) {
  if (field.empty()) field = from_environment(variable);
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "worker";
}

// `linux 6.1.0 (x64)`, spelled as the other SDKs spell it.
std::string operating_system() {
  utsname system{};
  if (::uname(&system) != 0) return "unknown";
  std::string_view machine = system.machine;
  if (machine == "x86_64") machine = "x64";
  if (machine == "aarch64") machine = "arm64";
  return fmt::format("{} {} ({})", ascii_lower(system.sysname), system.release, machine);
}

// `en-US` from `en_US.UTF-8`.
std::string language() {
  std::string locale = from_environment("LC_ALL");
  if (locale.empty()) locale = from_environment("LANG");
  locale.erase(std::min(locale.find_first_of(".@"), locale.size()));
  for (char& c : locale) {
    if (c == '_') c = '-';
  }
  return locale.empty() ? "C" : locale;
}

class Members {
 public:
  Members& text(std::string_view key, std::string_view value) {
    json::append_string(name(key), value);
    return *this;
  }
  Members& text_unless_empty(std::string_view key, std::string_view value) {
    return value.empty() ? *this : text(key, value);
  }
  Members& raw(std::string_view key, std::string_view value) {
    name(key) += value;
    return *this;
  }
  std::string done() { return out_ + "}"; }

 private:
  std::string& name(std::string_view key) {
    if (out_.size() > 1) out_ += ',';
    json::append_string(out_, key);
    return out_ += ':';
  }
  std::string out_ = "{";
};

}  // namespace

WorkerOptions with_environment(WorkerOptions options) {
  fill(options.url, "III_URL");
  if (options.url.empty()) options.url = fmt::format("ws://127.0.0.1:{}", protocol::kDefaultPort);
  fill(options.name, "III_WORKER_NAME");
  if (options.name.empty()) options.name = fmt::format("{}:{}", host_name(), ::getpid());
  fill(options.name_space, "III_NAMESPACE");
  fill(options.token, "III_TOKEN");
  fill(options.ca_file, "III_CA_FILE");
  if (options.version.empty()) options.version = III_SDK_VERSION;
  return options;
}

std::string announcement(const WorkerOptions& options) {
  const std::string isolation = from_environment("III_ISOLATION");
  Members data;
  data.text("runtime", "cpp")
      .text("version", options.version)
      .text("name", options.name)
      .text_unless_empty("description", options.description)
      .text("os", operating_system())
      .raw("pid", std::to_string(::getpid()));
  if (isolation.empty()) {
    data.raw("isolation", "null");
  } else {
    data.text("isolation", isolation);
  }
  data.text_unless_empty("namespace", options.name_space);
  data.raw("telemetry", Members()
                            .text("language", language())
                            .text_unless_empty("project_name", options.project_name)
                            .text("framework", "iii-cpp")
                            .done());
  return data.done();
}

}  // namespace iii::sdk
