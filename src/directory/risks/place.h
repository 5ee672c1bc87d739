// Where a line stands in its file: the same words are an order in a script, an example in a code
// block and a warning in a list of things to avoid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "directory/risks/tokens.h"

namespace iii::risks {

enum class FileKind : uint8_t {
  kDocument,     // Markdown and other prose
  kShellScript,  // sh, PowerShell, batch
  kScript,       // other programs
  kData,         // JSON, YAML, HTML …
};

// In lower case; empty: the name has none.
std::string extension_of(std::string_view path);

// By extension; a `#!` line decides for names without one.
FileKind kind_of(std::string_view path, std::string_view bytes);

enum class Where : uint8_t { kProse, kCode, kComment };

struct Place {
  Where where = Where::kProse;
  Syntax syntax = Syntax::kProse;
  bool shell = false;   // code of a shell, or of a language that is not named
  bool warned = false;  // the heading, introduction or comment that it stands under warns
  bool markup = false;  // the line opens or closes a code block
};

// Follows the lines of one file. Holds views of them, so the bytes outlive it.
class Places {
 public:
  explicit Places(FileKind kind) : kind_(kind) {}
  Place next(std::string_view line);

 private:
  Place in_document(std::string_view line);
  Place in_block(std::string_view text);
  Place in_code(std::string_view text, bool shell);
  bool opens_block(std::string_view text);
  void heading(std::string_view text);
  void prose(std::string_view text);

  const FileKind kind_;
  // The open code block.
  char fence_ = 0;
  size_t fence_length_ = 0;
  bool fence_shell_ = false;
  bool fence_warned_ = false;
  bool comment_warned_ = false;  // a comment in code warns of the lines below it
  size_t warned_level_ = 0;      // level of the heading that warns; 0: none
  bool introduced_ = false;      // a line that ends with a colon warns of the list below it
  std::string_view last_prose_;
};

// Whether a line mentions dangers or forbids something.
bool warns(std::string_view line);

}  // namespace iii::risks
