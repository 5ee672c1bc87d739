#include "faces/mcp/uri.h"

#include <array>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::mcp {

namespace {

constexpr std::string_view kDocuments = "iii://";
constexpr std::string_view kFiles = "skill://";
constexpr std::string_view kFunctions = "fn/";

constexpr std::string_view kInSegments = "-._~!$&'()*+,;=:@[]|";
// The first segment is the authority of the address, where `:` would begin a port.
constexpr std::string_view kInAuthority = "-._~!$&'()*+,;=";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void append_encoded(std::string& out, std::string_view segment, std::string_view also) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : segment) {
    if (is_letter_or_digit(c) || also.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
}

bool is_legal_path(std::string_view path) {
  if (path.empty() || !is_utf8(path) || path.find('\0') != std::string_view::npos) return false;
  for (const std::string_view segment : split(path, '/')) {
    if (segment.empty() || segment == "." || segment == "..") return false;
  }
  return true;
}

// Decoded segment by segment, so that an encoded slash cannot make a segment.
std::optional<std::string> decoded_path(std::string_view text) {
  if (text.find_first_of("?#\\") != std::string_view::npos) return std::nullopt;
  std::string out;
  for (const std::string_view segment : split(text, '/')) {
    const std::string decoded = percent_decode(segment);
    if (decoded.find('/') != std::string::npos) return std::nullopt;
    if (!out.empty()) out += '/';
    out += decoded;
    if (decoded.empty()) return std::nullopt;
  }
  if (!is_legal_path(out)) return std::nullopt;
  return out;
}

struct Suffix {
  std::string_view suffix;
  std::string_view type;
};
constexpr std::array kSuffixes = {
    Suffix{".md", "text/markdown"},      Suffix{".markdown", "text/markdown"},
    Suffix{".txt", "text/plain"},        Suffix{".py", "text/x-python"},
    Suffix{".sh", "text/x-shellscript"}, Suffix{".js", "text/javascript"},
    Suffix{".mjs", "text/javascript"},   Suffix{".ts", "text/x-typescript"},
    Suffix{".json", "application/json"}, Suffix{".yaml", "application/yaml"},
    Suffix{".yml", "application/yaml"},  Suffix{".toml", "application/toml"},
    Suffix{".xml", "application/xml"},   Suffix{".html", "text/html"},
    Suffix{".css", "text/css"},          Suffix{".csv", "text/csv"},
    Suffix{".svg", "image/svg+xml"},     Suffix{".png", "image/png"},
    Suffix{".jpg", "image/jpeg"},        Suffix{".jpeg", "image/jpeg"},
    Suffix{".gif", "image/gif"},         Suffix{".webp", "image/webp"},
    Suffix{".pdf", "application/pdf"},   Suffix{".zip", "application/zip"},
    Suffix{".wasm", "application/wasm"}};

}  // namespace

std::optional<Uri> parse_uri(std::string_view text) {
  if (text == kIndexUri) return Uri{Uri::Kind::kIndex};
  if (iequals(text.substr(0, kFiles.size()), kFiles)) {
    std::optional<std::string> path = decoded_path(text.substr(kFiles.size()));
    if (!path) return std::nullopt;
    return Uri{Uri::Kind::kFile, std::move(*path)};
  }
  if (!iequals(text.substr(0, kDocuments.size()), kDocuments)) return std::nullopt;
  if (iequals(text.substr(0, kTaskUri.size()), kTaskUri)) {
    std::string task(text.substr(kTaskUri.size()));
    for (char& c : task) c = c == '+' ? ' ' : c;
    task = percent_decode(task);
    if (!is_utf8(task)) return std::nullopt;
    return Uri{Uri::Kind::kIndex, std::move(task)};
  }
  std::optional<std::string> path = decoded_path(text.substr(kDocuments.size()));
  if (!path) return std::nullopt;
  if (path->starts_with(kFunctions)) {
    return Uri{Uri::Kind::kFunction, path->substr(kFunctions.size())};
  }
  return Uri{Uri::Kind::kDocument, std::move(*path)};
}

std::string document_uri(std::string_view id) {
  std::string out(kDocuments);
  for (const std::string_view segment : split(id, '/')) {
    if (out.size() > kDocuments.size()) out += '/';
    append_encoded(out, segment, kInSegments);
  }
  return out;
}

std::string file_uri(std::string_view path) {
  std::string out(kFiles);
  bool first = true;
  for (const std::string_view segment : split(path, '/')) {
    if (!first) out += '/';
    append_encoded(out, segment, first ? kInAuthority : kInSegments);
    first = false;
  }
  return out;
}

std::string canonical_uri(std::string_view text) {
  const std::optional<Uri> uri = parse_uri(text);
  if (!uri) return std::string(text);
  switch (uri->kind) {
    case Uri::Kind::kIndex:
      return std::string(kIndexUri);
    case Uri::Kind::kFile:
      return file_uri(uri->rest);
    case Uri::Kind::kFunction:
      return document_uri(std::string(kFunctions) + uri->rest);
    case Uri::Kind::kDocument:
      return document_uri(uri->rest);
  }
  return std::string(text);
}

std::string_view mime_type(std::string_view path, bool utf8) {
  const std::string lower = ascii_lower(last_segment(path));
  for (const Suffix& each : kSuffixes) {
    if (lower.ends_with(each.suffix)) return each.type;
  }
  return utf8 ? "text/plain" : "application/octet-stream";
}

std::string_view folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view last_segment(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace iii::mcp
