// Which document explains a function: how-tos by what their frontmatter declares, then by their
// links; and every other document that mentions it (directory-write §10).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/discovery/function_parts.h"
#include "directory/library/library.h"

namespace iii::directory {

// What matters of one document.
struct GuideDocument {
  std::string skill_id;
  content::FileRef file;
  std::string title;  // frontmatter, heading, else the id
  GuideFrontmatter frontmatter;
  // Everything in the body that may be a function's id or link, one per line.
  std::string mentioned;
};
using GuideDocuments = std::vector<std::shared_ptr<const GuideDocument>>;  // ascending by skill_id

GuideDocument read_guide(std::string skill_id, content::FileRef file, std::string_view bytes,
                         bool lenient);
// First by declaration, then by `iii://fn/…` in the body; null when there is none.
const GuideDocument* find_guide(const GuideDocuments& documents, std::string_view function_id);
// Documents of any type that declare, link or name the function; `guide` left out.
std::vector<RelatedSkill> related_to(const GuideDocuments& documents, std::string_view function_id,
                                     const GuideDocument* guide);

// Where a root of the current configuration lies; empty for compiled-in documents.
using RootPath = std::function<std::filesystem::path(uint16_t root)>;

struct FoundGuides {
  std::optional<HowGuide> guide;
  std::vector<RelatedSkill> related;
};

// On the loop thread. A document is read once and again when it changes, on a thread for answers.
class Guides {
 public:
  Guides(Library& library, RootPath root_path);

  task::Task<FoundGuides> about(std::string function_id);
  // For other work that an answer about functions needs.
  task::Pool& pool() { return library_.answer_threads(); }

 private:
  class Index;

  Library& library_;
  RootPath root_path_;
  std::shared_ptr<Index> index_;  // used by the reading thread
};

}  // namespace iii::directory
