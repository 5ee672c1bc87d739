// Programs and archives, recognised by their content.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "directory/risks/matcher.h"

namespace iii::risks {

namespace {

uint32_t little(std::string_view bytes, size_t at, size_t width) {
  uint32_t out = 0;
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i) {
    out |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8U * i);
  }
  return out;
}

std::string_view program_format(std::string_view bytes) {
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return "ELF";
  if (bytes.starts_with("MZ") && bytes.size() >= 64) {
    const uint32_t header = little(bytes, 60, 4);
    if (header < bytes.size() && bytes.substr(header).starts_with(std::string_view("PE\0\0", 4))) {
      return "PE";
    }
  }
  const uint32_t magic = little(bytes, 0, 4);
  if (magic == 0xfeedface || magic == 0xfeedfacf || magic == 0xcefaedfe || magic == 0xcffaedfe) {
    return "Mach-O";
  }
  // Java classes begin the same way; there the next number is a version, 45 or more.
  if (magic == 0xbebafeca && bytes.size() >= 8 && bytes[7] > 0 && bytes[7] < 30) return "Mach-O";
  return "";
}

constexpr auto kOtherThings = std::to_array<std::string_view>(
    {"md",  "markdown", "txt",  "json", "yaml", "yml",   "toml", "csv", "xml",  "html", "svg",
     "png", "jpg",      "jpeg", "gif",  "webp", "ico",   "pdf",  "sh",  "bash", "py",   "js",
     "mjs", "ts",       "rb",   "ttf",  "woff", "woff2", "mp3",  "mp4", "wav"});

// The entry of the end of a ZIP archive; comments are at most 64 KiB.
size_t end_record(std::string_view bytes) {
  constexpr size_t kSearched = 66'000;
  const size_t from = bytes.size() > kSearched ? bytes.size() - kSearched : 0;
  const size_t at = bytes.substr(from).rfind(std::string_view("PK\5\6", 4));
  return at == std::string_view::npos ? at : from + at;
}

// Bit 0 of the flags of any entry. Each step goes forward, so it is linear in the bytes.
bool is_encrypted_zip(std::string_view bytes) {
  constexpr std::string_view kEntry("PK\1\2", 4);
  const size_t end = end_record(bytes);
  if (end == std::string_view::npos) return (little(bytes, 6, 2) & 1U) != 0;
  size_t at = little(bytes, end + 16, 4);
  while (at + 46 <= bytes.size() && bytes.substr(at, 4) == kEntry) {
    if ((little(bytes, at + 8, 2) & 1U) != 0) return true;
    at += 46 + little(bytes, at + 28, 2) + little(bytes, at + 30, 2) + little(bytes, at + 32, 2);
  }
  return (little(bytes, 6, 2) & 1U) != 0;
}

// Formats that contain compressed data, in which words mean nothing.
bool is_known_data(std::string_view bytes) {
  for (const std::string_view magic :
       {std::string_view("\x89PNG"), std::string_view("\xff\xd8\xff"), std::string_view("GIF8"),
        std::string_view("%PDF-"), std::string_view("\x1f\x8b"), std::string_view("PK\3\4", 4),
        std::string_view("PK\5\6", 4), std::string_view("7z\xbc\xaf"), std::string_view("Rar!"),
        std::string_view("wOFF"), std::string_view("wOF2"), std::string_view("\0asm", 4),
        std::string_view("SQLite format 3"), std::string_view("OggS"), std::string_view("ID3")}) {
    if (bytes.starts_with(magic)) return true;
  }
  return bytes.starts_with("RIFF") && bytes.size() > 12;
}

// A NUL early on. A shell skips them, so scripts are read nevertheless.
bool has_nul(std::string_view bytes) { return bytes.substr(0, 4'096).contains('\0'); }

}  // namespace

bool match_binary(std::string_view path, std::string_view bytes, Sink& sink) {
  if (const std::string_view format = program_format(bytes); !format.empty()) {
    const bool disguised = is_one_of(extension_of(path), kOtherThings);
    sink.found(disguised ? code::kDisguisedExecutable : code::kExecutable,
               disguised ? Severity::kHigh : Severity::kMedium, 0,
               "a program in the format " + std::string(format));
    return true;
  }
  if (bytes.starts_with(std::string_view("PK\3\4", 4)) && is_encrypted_zip(bytes)) {
    sink.found(code::kEncryptedArchive, Severity::kHigh, 0, "a ZIP archive that needs a password");
  }
  if (is_known_data(bytes)) return true;
  const FileKind kind = kind_of(path, bytes);
  const bool script = kind == FileKind::kShellScript || kind == FileKind::kScript;
  return has_nul(bytes) && !script && kind != FileKind::kDocument;
}

}  // namespace iii::risks
