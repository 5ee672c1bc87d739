#include "faces/console/assets.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "faces/console/gzip.h"
#include "faces/console/web_files.h"
#include "foundation/base/discard.h"

namespace iii::console {

namespace {

constexpr std::string_view kDevelopment = "dev";

const WebFile* embedded(std::string_view name) {
  const auto found = std::ranges::find(web_files(), name, &WebFile::name);
  return found == web_files().end() ? nullptr : &*found;
}

// Every part is a plain name, so the path stays below its folder.
bool is_plain_path(std::string_view name) {
  return std::ranges::all_of(name,
                             [](char c) {
                               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                      (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
                                      c == '/';
                             }) &&
         name.find("..") == std::string_view::npos && !name.starts_with('/');
}

std::optional<std::string> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

SharedBytes shared(std::string text) {
  const auto owner = shared_text(std::move(text));
  return {owner, *owner};
}

}  // namespace

std::string_view content_type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return {};
}

Assets::Assets() : digest_(web_digest()) {}

Assets::Assets(std::filesystem::path folder) : folder_(std::move(folder)), digest_(kDevelopment) {}

std::optional<Asset> Assets::find(std::string_view name, bool gzip) const {
  Asset out{.content_type = std::string(content_type_of(name))};
  if (out.content_type.empty()) return std::nullopt;
  if (!folder_.empty()) {
    std::optional<std::string> text;
    if (is_plain_path(name)) text = read(folder_ / name);
    if (!text) return std::nullopt;
    out.bytes = shared(std::move(*text));
    return out;
  }
  const WebFile* file = embedded(name);
  if (file == nullptr) return std::nullopt;
  out.gzipped = gzip;
  if (gzip) {
    out.bytes = {nullptr, file->gzip};
  } else {
    out.bytes = shared(gunzip(file->gzip, file->size));
  }
  return out;
}

std::string Assets::text(std::string_view name) const {
  const std::optional<Asset> asset = find(name, false);
  return asset ? std::string(asset->bytes.bytes) : std::string();
}

}  // namespace iii::console
