// Which documents are served: ids resolved, roots merged, losers explained, everything counted.
// Turns what the scanner reports into generations.
//
// All documents that could be served stand in one sorted list each for skills and prompts, in the
// order of precedence among those that want the same id. Where several files of one root want the
// same id, those that are not called exactly so step aside to a spare id with a hash of their own
// name. Of those that remain the first one that no folder of a higher root hides is served; the
// others get a finding that names the winner.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/content/tree.h"
#include "directory/content/types.h"

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
  void count_supporting(uint16_t root, int64_t difference);

  // The new generation, or the present one when nothing has changed.
  GenerationPtr publish();
  const GenerationPtr& current() const { return current_; }

 private:
  // More changes than this at once, and everything is sorted and decided again instead of one by
  // one.
  static constexpr size_t kFewChanges = 256;

  using Documents = std::vector<Document*>;
  enum class Kind { kSkill, kPrompt };
  struct FileOrder {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return a.first != b.first ? a.first < b.first : walk_before(a.second, b.second);
    }
  };

  // A document that stepped aside: its row and findings under its spare id.
  struct Aside {
    Document* document = nullptr;
    SkillPtr skill;
    PromptPtr prompt;
    FindingsPtr own;
  };
  // One that could be served under the id in question.
  struct Candidate {
    Document* document = nullptr;
    const Aside* aside = nullptr;
  };

  // One of the two lists, with what happened to it since the last generation.
  struct List {
    Kind kind;
    Documents documents;
    std::multimap<std::string, Aside, std::less<>> aside;  // by spare id
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
  using Run = std::span<Document* const>;  // all that want one id
  Run run_of(const List& list, std::string_view id) const;
  void displace(List& list, Run run);
  void step_aside(List& list, Document& document, Spare how);
  void step_back(List& list, Document& document);
  std::vector<Candidate> candidates(const List& list, std::string_view id) const;
  void decide(List& list);
  void decide_id(List& list, std::string_view id);
  void decide_among(std::string_view id, std::span<const Candidate> candidates);
  const RootInfo* hidden_by(const Document& document, std::string_view id) const;
  void serve(Document& document, const FindingsPtr& own);
  void skip(Document& document, std::string_view code, std::string message);
  void account(Document& document, Account column);
  void count_overview(const Document& document, bool there);
  void set_kinds();
  template <typename Row>
  void update_rows(const List& list, Rows<Row>& rows);
  void update_findings(Rows<FindingsPtr>& rows);

  std::vector<RootInfo> roots_;
  std::vector<const Folder*> tops_;
  List skills_{.kind = Kind::kSkill};
  List prompts_{.kind = Kind::kPrompt};
  std::vector<std::string> shadow_names_;
  std::vector<Folder*> overview_folders_;  // where a SKILL.md came or went
  // A null value is removed by the next generation.
  using Findings = std::map<std::pair<uint16_t, std::string>, FindingsPtr, FileOrder>;
  Findings findings_;
  Rows<Findings::iterator> told_;               // those in the present generation, in its order
  std::vector<Findings::iterator> to_be_told_;  // changed since then
  bool changed_ = true;
  std::vector<Accounting> accounting_;  // of each root
  GenerationPtr current_;
};

}  // namespace iii::content
