// Which documents are served: ids resolved, roots merged, losers explained, everything counted.
// Turns what the scanner reports into generations.
//
// All documents that could be served stand in one sorted list each for skills and prompts, in the
// order of precedence among those that want the same id. The first one that no folder of a higher
// root hides is served; the others get a finding that names the winner.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "content/tree.h"
#include "content/types.h"

namespace iii::content {

class Catalog {
 public:
  // The last root holds the documents compiled in.
  Catalog(std::vector<RootInfo> roots, uint64_t generations_before);

  // The top folder of a root as it stands now, null when it is missing. Decides R17.
  void set_top(uint16_t root, const Folder* top) { tops_[root] = top; }

  // Changes are collected and take effect in publish(). A document may be removed before it was
  // ever added.
  void remove(Document& document);
  void add(Document& document);
  void top_name_changed(const std::string& name) { shadow_names_.push_back(name); }
  void set_findings(uint16_t root, std::string_view path, FindingsPtr findings);
  void count_supporting(int64_t difference);

  // The new generation, or the present one when nothing has changed.
  GenerationPtr publish();
  const GenerationPtr& current() const { return current_; }

 private:
  using Documents = std::vector<Document*>;
  enum class Kind { kSkill, kPrompt };
  struct FileOrder {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return a.first != b.first ? a.first < b.first : walk_before(a.second, b.second);
    }
  };

  // One of the two lists, with what happened to it since the last generation.
  struct List {
    Kind kind;
    Documents documents;
    Documents removed;
    Documents added;
    std::vector<std::string> dirty;  // ids to decide again
    bool all_dirty = false;
  };

  std::string_view key(const Document& document) const;
  bool precedes(const Document& a, const Document& b) const;
  void sort_by_key(Documents& documents) const;
  void merge(List& list);
  void mark_shadowed(List& list);
  void decide(List& list);
  void decide_run(Documents::const_iterator first, Documents::const_iterator last);
  const RootInfo* hidden_by(const Document& document) const;
  void serve(Document& document);
  void skip(Document& document, Severity severity, std::string_view code, std::string message);
  void account(Document& document, Account column);
  void count_overview(const Document& document, bool there);
  void set_kinds();
  template <typename Row>
  void update_rows(const List& list, std::vector<Row>& rows);

  std::vector<RootInfo> roots_;
  std::vector<const Folder*> tops_;
  List skills_{.kind = Kind::kSkill};
  List prompts_{.kind = Kind::kPrompt};
  std::vector<std::string> shadow_names_;
  std::vector<Folder*> overview_folders_;  // where a SKILL.md came or went
  std::map<std::pair<uint16_t, std::string>, FindingsPtr, FileOrder> findings_;
  bool findings_changed_ = true;
  bool changed_ = true;
  Accounting accounting_;
  GenerationPtr current_;
};

}  // namespace iii::content
