// What directory::skills::inspect takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "directory/reading/skill_types.h"
#include "foundation/json/describe.h"

namespace iii::directory {

struct InspectInput {
  std::string id;
};

inline auto describe(json::Type<InspectInput>) {
  using T = InspectInput;
  return json::object<T>(
      "InspectInput", "",
      json::field("id", &T::id,
                  "Required. An id as directory::skills::browse shows it (also `root:path` of a "
                  "file that is "
                  "not served), another spelling of it, or the path of a file."));
}
inline auto describe(json::Type<InspectRoot>) {
  using T = InspectRoot;
  return json::object<T>(
      "InspectRoot", "", json::field("root", &T::root, "Label of the folder."),
      json::field("folder", &T::folder, "The folder as people write it."),
      json::field("role", &T::role,
                  "`serves`, `hidden` (another document has the place), `not served` or `none`."),
      json::field("path", &T::path, "The file there."));
}
inline auto describe(json::Type<InspectLock>) {
  using T = InspectLock;
  return json::object<T>(
      "InspectLock", "", json::field("namespace", &T::name_space, "What was installed."),
      json::field("source", &T::source, "Where from, as in directory::lock::verify."),
      json::field("resolved", &T::resolved, "Version or commit."),
      json::field("state", &T::state, "`intact`, or `edited` since."),
      json::field("written", &T::written, "Digest of the file as it was installed."));
}
inline auto describe(json::Type<InspectTokens>) {
  using T = InspectTokens;
  return json::object<T>("InspectTokens", "Estimates, rather too high than too low.",
                         json::field("index", &T::index, "Title and description."),
                         json::field("body", &T::body, "The document."));
}
inline auto describe(json::Type<InspectedSkill>) {
  using T = SkillDocument;
  json::ObjectDescription out = json::object<InspectedSkill>(
      "InspectOutput", "A row of directory::skills::browse, and:",
      json::field("generation", &T::generation, "The state of the folders that this answer shows."),
      json::field("since_generation", &T::since_generation,
                  "The generation that last changed it; absent when that is not known: it has not "
                  "changed since the server started, or its last change is forgotten."),
      json::field("served", &T::served, "Whether agents can read it."),
      json::field("body", &T::body, "The text without frontmatter; at most 1 MiB."),
      json::field("tree", &T::tree,
                  "The body as nodes: a text, or [name, attributes or null, children...]. Links "
                  "are classified; raw HTML is text."),
      json::field("tree_cut", &T::tree_cut, "true: the tree does not show everything."),
      json::field("source", &T::source,
                  "The file as it is, at most 1 MiB; absent when it cannot be read as text."),
      json::field("source_cut", &T::source_cut, "true: the file is longer."),
      json::field("digest", &T::digest, "`sha256:` of the file."),
      json::field("chain", &T::chain, "All folders in order of precedence, and who serves."),
      json::field("lock", &T::lock, "What directory.lock says about the file; null: nothing.")
          .nullable(),
      json::field("findings", &T::findings, "As directory::doctor gives them with details."),
      json::field("tokens", &T::tokens, ""),
      json::field("related", &T::related, "Skills that it links to, or that stand beside it."),
      json::field("functions", &T::functions, "Functions that it names."),
      json::field("risks", &T::risks, kRisksHelp));
  const json::ObjectDescription row = describe(json::Type<BrowsedSkill>());
  out.fields.insert(out.fields.begin(), row.fields.begin(), row.fields.end());
  return out;
}

}  // namespace iii::directory
