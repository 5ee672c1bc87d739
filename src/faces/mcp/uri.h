// Addresses of resources: `iii://…` for documents and functions, `skill://…` for the files of
// skills. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iii::mcp {

struct Uri {
  enum class Kind {
    kIndex,     // iii://skills, iii://skills?task=…
    kDocument,  // iii://<id>
    kFunction,  // iii://fn/<function>
    kFile,      // skill://<path>
  };
  Kind kind = Kind::kDocument;
  std::string rest =
      {};  // decoded: a task, an id, a function's id, or a path without slashes at its ends
};

inline constexpr std::string_view kIndexUri = "iii://skills";
inline constexpr std::string_view kTaskUri = "iii://skills?task=";

// Nothing for other schemes, other uses of `?`, `#`, and segments that are empty, `.` or `..`, also
// when encoded.
std::optional<Uri> parse_uri(std::string_view text);

// The one spelling that we answer with. Paths are relative to a root of skills.
std::string document_uri(std::string_view id);
std::string file_uri(std::string_view path);
// The same address in that spelling; texts that are no address of ours stay as they are.
std::string canonical_uri(std::string_view text);

// By the suffix of the name; `utf8` decides about unknown ones.
std::string_view mime_type(std::string_view path, bool utf8 = true);

// What stands before and after the last slash: `a/b` and `SKILL.md` of `a/b/SKILL.md`.
std::string_view folder_of(std::string_view path);
std::string_view last_segment(std::string_view path);

}  // namespace iii::mcp
