// From what a caller wrote to the document it means (directory-read §5). Pure: no I/O.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "directory/library/document_paths.h"
#include "directory/library/view.h"
#include "directory/reading/suggest.h"
#include "foundation/base/result.h"

namespace iii::directory {

// directory-read §5.1: trimmed, `iii://` and `.md` forms brought to an on-disk id, letter case
// forgiven.
Result<std::string> normalise_input(std::string_view input);

// The document, or null: exact id first, then its overview.
const content::Skill* look_up(const View& view, std::string_view id);

// Whether `input`, which look_up() brought to `skill` by `id`, can mean nothing else: it is that
// id, or the path of that file.
bool is_exact(const content::Skill& skill, std::string_view id, std::string_view input);
// The document whose path was written, with `by_id` as what it means otherwise; a path that differs
// in case comes last. Null when there is none that is shown. Looks at every row.
const content::Skill* look_up_path(const View& view, std::string_view input,
                                   const content::Skill* by_id);

// An id or a path, in any spelling. Looks at every row unless the input is_exact().
struct Lookup {
  const content::Skill* skill = nullptr;
  std::string id;  // what was looked for when there is no skill that is shown
};
Result<Lookup> look_up_input(const View& view, std::string_view input);

// The row of the table that a caller means, also of what is not served: an id as rows show it,
// `root:path`, another spelling of an id, or the path of a file. May look at every row.
std::optional<size_t> find_row(const View& view, std::string_view text);

struct Resolution {
  const content::Skill* skill = nullptr;
  std::string note;  // put before the body when something else than asked for is shown
};

// directory-read §5.2, from step 3 on: for an id that look_up() missed. `workers` are the installed
// names.
Result<Resolution> resolve_miss(const View& view, const NameSet& workers, const std::string& id);

}  // namespace iii::directory
