#include "app/daemon/verbs/config_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/daemon/config_keys.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

bool sets(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return false;
  return trim(line.substr(key.size())).starts_with(':');
}

// A line that belongs to the key above it.
bool continues(std::string_view line) {
  return line.starts_with(' ') || line.starts_with('\t') || line.starts_with("- ");
}

}  // namespace

bool has_own_key(std::string_view yaml) {
  const std::vector<std::string> keys = config_key_names();
  return std::ranges::any_of(split(yaml, '\n'), [&keys](std::string_view line) {
    return std::ranges::any_of(keys, [line](const std::string& key) { return sets(line, key); });
  });
}

std::string with_key(std::string_view yaml, std::string_view key, const json::Value& value) {
  const std::string entry = std::string(key) + ": " + json::to_text(value) + "\n";
  std::string out;
  bool done = false;
  bool skipping = false;
  while (!yaml.empty()) {
    const size_t end = std::min(yaml.find('\n'), yaml.size());
    const std::string_view line = yaml.substr(0, end);
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
    if (skipping && continues(line)) continue;
    skipping = false;
    if (sets(line, key)) {
      if (!done) out += entry;
      done = skipping = true;
      continue;
    }
    out.append(line).append("\n");
  }
  return done ? out : out + entry;
}

Result<void> set_in_file(const std::string& path, std::string_view key, const json::Value& value) {
  std::string before;
  {
    std::ifstream file(path, std::ios::binary);
    if (file.is_open()) {
      before.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    if (file.bad()) return fail("write", path + " cannot be read");
  }
  const std::string next = path + ".new";
  std::ofstream file(next, std::ios::binary | std::ios::trunc);
  file << with_key(before, key, value);
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(next, path, error);
  if (file && !error) return {};
  const std::string why = error ? error.message() : std::strerror(errno);
  std::filesystem::remove(next, error);
  return fail("write", path + " cannot be written: " + why);
}

}  // namespace iii::daemon
