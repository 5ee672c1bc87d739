// Which document explains a function: how-tos by what their frontmatter declares, then by their
// links; and every other document that mentions it (directory-write §10).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/sdk/worker.h"
#include "directory/discovery/introspection_types.h"
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

// On the loop thread. Documents are looked at once each and again when they change; many of them a
// few at a time, so that others are answered meanwhile.
class Guides {
 public:
  Guides(sdk::Worker& worker, Library& library, RootPath root_path)
      : worker_(worker), library_(library), root_path_(std::move(root_path)) {}
  Guides(const Guides&) = delete;
  Guides& operator=(const Guides&) = delete;

  template <Line L>
  struct Found {
    std::optional<HowGuide<L>> guide;
    std::vector<RelatedSkill> related;
  };
  template <Line L>
  task::Task<Found<L>> about(std::string function_id);
  // For other work that an answer about functions needs.
  task::Pool& pool() { return library_.answer_threads(); }

 private:
  template <Line L>
  task::Task<Result<Found<L>>> about(const View& view, const std::string& function_id);
  // A row of a generation, kept so that its address is not used again.
  struct Seen {
    std::shared_ptr<const void> row;
    std::shared_ptr<const GuideDocument> document;  // null: unreadable, or about no function
  };
  using SeenRows = std::map<const void*, Seen>;

  task::Task<GuideDocuments> documents(const View& view);
  template <typename Row>
  task::Task<void> add_rows(const View& view, const content::Rows<std::shared_ptr<const Row>>& rows,
                            SeenRows& seen);
  template <typename Row>
  Seen read_row(const View& view, const std::shared_ptr<const Row>& row);
  Result<std::string> body_of(const View& view, const GuideDocument& guide);

  sdk::Worker& worker_;
  Library& library_;
  RootPath root_path_;
  content::GenerationPtr known_;  // what `ready_` was made of
  GuideDocuments ready_;
  SeenRows seen_;
};

}  // namespace iii::directory
