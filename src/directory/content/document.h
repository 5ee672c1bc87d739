// From a file to what is served of it: skill, prompt, or the reason why not.
#pragma once

#include <string>
#include <string_view>

#include "directory/content/content.h"
#include "directory/content/findings.h"
#include "directory/content/parse.h"
#include "directory/content/tree.h"
#include "foundation/base/files.h"
#include "foundation/base/result.h"

namespace iii::content {

// The most that is read of a file. Real skills are larger than the rule allows (R27) now and then:
// leniently they are served up to four times the limit, with a finding.
inline uint64_t read_limit(const ContentOptions& options) {
  const bool more = options.lenient && options.max_file_bytes <= UINT64_MAX / 4;
  return more ? options.max_file_bytes * 4 : options.max_file_bytes;
}

// Each of these fills a document that is still empty but for its root. `path` is relative to that
// root.

// Reads the file. `now_ns` is a time before the call: it decides whether the stamp can be trusted.
void read_document(Document& document, const RootFolder& folder, const std::string& path,
                   const ContentOptions& options, int64_t now_ns);
// The same from bytes that are at hand.
void understand_document(Document& document, const std::string& path, std::string_view bytes,
                         const ContentOptions& options);
// An entry that is not read at all. `elsewhere`: where a link into another root leads.
void refuse_document(Document& document, const std::string& path, Refusal why,
                     std::string_view elsewhere = {});

// True when a reader could not tell the two apart (their stamps may differ).
bool same_outcome(const Document& a, const Document& b);

// The last sentence of a finding about a file's name.
std::string served_as_sentence(std::string_view name);
// Whether a finding says how the id or name came to be: true only of a file that is served.
bool is_about_name(const Finding& finding);

// Frontmatter `title`, else `name`, else the first heading. Without `from_name` a name is not a
// title, as in iii-directory 0.8.0 (R29).
std::string title_of(ParsedDocument& parsed, bool from_name);

Finding make_finding(uint16_t root, std::string_view path, const findings::Code& code,
                     std::string message);
FindingsPtr one_finding(uint16_t root, std::string_view path, const findings::Code& code,
                        std::string message);

}  // namespace iii::content
