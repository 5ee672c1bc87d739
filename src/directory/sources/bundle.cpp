#include "directory/sources/bundle.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "directory/content/ids.h"
#include "foundation/base/sha256.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxSegmentBytes = 255;  // what file systems take
constexpr size_t kQuotedCharacters = 120;

// Whatever bytes the source sent, shown in a message: bounded and printable.
std::string shown(std::string_view path) {
  const std::string text = printable(path);
  const std::string_view head = utf8_prefix(text, kQuotedCharacters);
  return content::quoted(std::string(head) + (head.size() < text.size() ? "…" : ""));
}

std::unexpected<Error> refuse_path(std::string_view path, std::string_view reason) {
  return invalid_bundle("invalid skill path " + shown(path) + ": " + std::string(reason));
}

// Control characters, line separators, and the marks that make a name look like another one by
// turning the direction of writing.
bool is_treacherous(utf8proc_int32_t c) {
  const utf8proc_category_t category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP || c == 0x200e || c == 0x200f || c == 0x061c ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool has_treacherous(std::string_view utf8) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
  auto left = static_cast<utf8proc_ssize_t>(utf8.size());
  while (left > 0) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(at, left, &c);
    if (length <= 0 || is_treacherous(c)) return true;
    at += length;
    left -= length;
  }
  return false;
}

// Two paths with one key are one file on file systems that ignore case or normalise names.
std::string collision_key(const std::string& path) {
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(path.data()),
      static_cast<utf8proc_ssize_t>(path.size()), &mapped,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD));
  if (size < 0) return path;
  std::string key(reinterpret_cast<const char*>(mapped), static_cast<size_t>(size));
  std::free(mapped);  // NOLINT: utf8proc allocates with malloc
  return key;
}

// What the operator can do about a limit.
std::string raise(std::string_view key) {
  return ". Next: raise `" + std::string(key) + "`, or use a smaller skill";
}

std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

// Paths that one folder cannot hold together.
Result<void> check_collisions(const std::vector<BundleFile>& files) {
  std::map<std::string, const std::string*, std::less<>> seen;
  for (const BundleFile& file : files) {
    const auto [other, fresh] = seen.emplace(collision_key(file.path), &file.path);
    if (fresh) continue;
    if (*other->second == file.path)
      return invalid_bundle("the path " + shown(file.path) + " occurs twice");
    return invalid_bundle("the paths " + shown(*other->second) + " and " + shown(file.path) +
                          " are the same file on file systems that ignore case or Unicode forms");
  }
  for (const auto& [key, path] : seen) {
    for (size_t slash = key.find('/'); slash != std::string::npos;
         slash = key.find('/', slash + 1)) {
      const auto file = seen.find(std::string_view(key).substr(0, slash));
      if (file == seen.end()) continue;
      return invalid_bundle("the path " + shown(*file->second) + " is a file, and " + shown(*path) +
                            " needs a folder of that name");
    }
  }
  return {};
}

}  // namespace

Error too_many_files(uint64_t files, const BundleLimits& limits) {
  return {"D312", "D312 invalid_bundle: it has " + std::to_string(files) + " files, at most " +
                      std::to_string(limits.max_files) + " are allowed" +
                      raise("max_bundle_files")};
}

Error too_large_file(std::string_view path, uint64_t bytes, const BundleLimits& limits) {
  return {"D312", "D312 invalid_bundle: the file " + shown(path) + " has " + bytes_text(bytes) +
                      ", at most " + std::to_string(limits.max_file_bytes) + " are allowed" +
                      raise("max_bundle_file_bytes")};
}

Error too_large_bundle(const BundleLimits& limits) {
  return {"D312", "D312 invalid_bundle: it has more than " + bytes_text(limits.max_bundle_bytes) +
                      " in total" + raise("max_bundle_bytes")};
}

std::string reported_name(const BundleFile& file) {
  if (file.role != FileRole::kPrompt) return file.path;
  const size_t slash = file.path.rfind('/');
  std::string name = slash == std::string::npos ? file.path : file.path.substr(slash + 1);
  if (name.ends_with(".md")) name.resize(name.size() - 3);
  return name;
}

std::unexpected<Error> invalid_bundle(std::string reason) {
  return fail("D312", "D312 invalid_bundle: " + std::move(reason));
}

FileRole role_of(std::string_view path) {
  const content::OverviewName name = content::overview_name(path.substr(path.rfind('/') + 1));
  const bool overview =
      name == content::OverviewName::kExact || name == content::OverviewName::kSpelling;
  if (!overview && !path.ends_with(".md")) return FileRole::kAsset;
  return content::is_prompt_path(path) ? FileRole::kPrompt : FileRole::kSkill;
}

bool is_hidden_path(std::string_view path) {
  return std::ranges::any_of(split(path, '/'), [](std::string_view segment) {
    return segment.starts_with('.') && segment != "." && segment != "..";
  });
}

Result<std::string> clean_path(std::string_view path, const BundleLimits& limits) {
  if (path.empty()) return refuse_path(path, "path must be non-empty");
  if (path.size() > limits.max_path_bytes) {
    return refuse_path(path, "path is longer than " + bytes_text(limits.max_path_bytes) +
                                 raise("max_bundle_path_bytes"));
  }
  if (path.starts_with('/')) return refuse_path(path, "path may not be absolute");
  if (!is_utf8(path)) return refuse_path(path, "path is not UTF-8");
  if (has_treacherous(path)) return refuse_path(path, "path holds control characters");
  if (path.find('\\') != std::string_view::npos) {
    return refuse_path(path, "path may not contain '\\'; segments are separated by '/'");
  }
  std::string clean;
  size_t depth = 0;
  for (const std::string_view segment : split(path, '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") return refuse_path(path, "path may not contain '..'");
    if (segment.starts_with('.')) return refuse_path(path, "hidden names are not taken");
    if (segment.size() > kMaxSegmentBytes) {
      return refuse_path(path, "a part of it is longer than " + bytes_text(kMaxSegmentBytes));
    }
    if (++depth > limits.max_depth) {
      return refuse_path(path, "path has more than " + std::to_string(limits.max_depth) + " parts" +
                                   raise("max_bundle_depth"));
    }
    if (!clean.empty()) clean += '/';
    clean += segment;
  }
  if (clean.empty()) return refuse_path(path, "path names nothing");
  return clean;
}

void hash_files(Bundle& bundle) {
  for (BundleFile& file : bundle.files) {
    if (file.sha256.empty()) file.sha256 = sha256_hex(file.bytes);
  }
}

Result<void> check_paths(const Bundle& bundle, const BundleLimits& limits) {
  for (const BundleFile& file : bundle.files) {
    const Result<std::string> clean = clean_path(file.path, limits);
    if (!clean) return std::unexpected(clean.error());
    if (*clean != file.path) return refuse_path(file.path, "the path is not in its clean form");
  }
  return check_collisions(bundle.files);
}

Result<Bundle> checked(Bundle bundle, const BundleLimits& limits) {
  if (bundle.files.size() > limits.max_files) {
    return std::unexpected(too_many_files(bundle.files.size(), limits));
  }
  uint64_t total = 0;
  for (const BundleFile& file : bundle.files) {
    const uint64_t bytes = file.bytes.size();
    if (bytes > limits.max_file_bytes) {
      return std::unexpected(too_large_file(file.path, bytes, limits));
    }
    total += bytes;
    if (total > limits.max_bundle_bytes) return std::unexpected(too_large_bundle(limits));
  }
  if (auto ok = check_paths(bundle, limits); !ok) return std::unexpected(std::move(ok.error()));
  hash_files(bundle);
  return bundle;
}

}  // namespace iii::sources
