// One file's text, understood: strictly first, then leniently with a finding for whatever was bent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"

namespace iii::content {

struct ParseOptions {
  bool lenient = true;
  // The rules for prompts (directory-read §9): `name` and `description` count, and a missing
  // description is a finding; when lenient, the first paragraph takes its place, also without
  // frontmatter.
  bool prompt = false;
};

inline constexpr size_t kMaxRequired = 32;

// Values of the frontmatter, trimmed; blank and null are absent (R23–R25).
struct FrontmatterFields {
  std::optional<std::string> title;
  std::optional<std::string> name;
  std::optional<std::string> type;
  std::optional<std::string> function_id;
  std::optional<std::string> description;
  bool stub = false;       // the description says nothing (frontmatter_description.h)
  bool for_agents = true;  // false: `disable-model-invocation`
  std::vector<std::string> required_functions;  // ids in `requires`, at most kMaxRequired
  std::vector<std::string> functions;           // as `functions` lists them

  // The field a key names, or null.
  std::optional<std::string>* find(std::string_view key);
};

struct ParsedDocument : FrontmatterFields {
  bool has_frontmatter = false;
  size_t body_offset = 0;  // the body is the file's bytes from here on, untouched (R22)
  // From the body, fences and indented code respected.
  std::string heading;            // first H1 (R30)
  std::string teaser;             // first paragraph (R32), cut to kMaxTeaser
  std::vector<Finding> findings;  // `file` and `served_as` are filled in by the caller
};

// `bytes` is the whole file, valid UTF-8, within the size limit. Fixes that come out have been
// tried: all of them applied together give a document that says the same, of which only the
// findings without a fix remain. They lose nothing that the author wrote.
ParsedDocument parse_document(std::string_view bytes, const ParseOptions& options);

// Whether all of `before` is still in `after`, in the same order, but for blanks, quotes, the byte
// order mark, and block indicators at its beginning.
bool keeps_text(std::string_view before, std::string_view after);

// Whether the fixes among the document's findings work without others: the file then says the same,
// and only findings without a fix are left.
bool fixes_work(std::string_view bytes, const ParsedDocument& document,
                const ParseOptions& options);

// The file with all fixes among `findings` applied, in whatever order they come.
std::string apply_fixes(std::string_view bytes, const std::vector<Finding>& findings);
// The YAML between the fences, by the same rules; empty when there is none.
std::string_view frontmatter_of(std::string_view bytes, const ParseOptions& options);
// Where the body starts, by the same rules, without looking at the rest.
size_t body_offset(std::string_view bytes, const ParseOptions& options);

}  // namespace iii::content
