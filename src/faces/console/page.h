// The page, and what it is given to begin with.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "faces/console/assets.h"
#include "faces/console/gzip.h"
#include "faces/console/host.h"

namespace iii::console {

struct Boot {
  std::string text;  // JSON
  // Of everything in it but the time.
  std::string tag;
};

// When the process started, in milliseconds since 1970, and how long it runs.
struct Uptime {
  int64_t started_ms = 0;
  std::chrono::seconds up{0};
};
Boot boot_of(const Host& host, bool token_required, Uptime uptime);
// For somebody who has no session yet.
Boot boot_without_session(const Facts& facts);

// `index.html` with `{{assets}}` and `{{boot}}` replaced. What is the same for every request is
// made once, compressed as well.
class Page {
 public:
  explicit Page(const Assets& assets);

  std::string text(std::string_view boot) const;
  std::string gzipped(std::string_view boot) const;

 private:
  explicit Page(std::string whole);

  const std::string before_;
  const std::string after_;
  const GzipFrame frame_;
};

// JSON text that can stand in a script element: without `<`, and without the two line ends that
// JSON has and scripts once did not.
std::string for_script(std::string_view json);

}  // namespace iii::console
