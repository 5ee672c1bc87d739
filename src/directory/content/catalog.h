// Which documents are served: ids resolved, roots merged, losers explained, everything counted.
// Turns what the scanner reports into generations.
//
// All documents that could be served stand in one ordered set each for skills and prompts, in the
// order of precedence among those that want the same id. Where several files of one root want the
// same id, those that are not called exactly so get an alternate id with a hash of their own
// name. Of those that remain the first one that no folder of a higher root hides is served; the
// others get a finding that names the winner.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/content/findings.h"
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
  // A folder of the root came or went (R17).
  void top_name_changed(uint16_t root, const std::string& name);
  void set_findings(uint16_t root, std::string_view path, FindingsPtr findings);
  void count_supporting(uint16_t root, int64_t difference);

  // The new generation, or the present one when nothing has changed.
  GenerationPtr publish();
  const GenerationPtr& current() const { return current_; }

 private:
  using Documents = std::vector<Document*>;
  struct FileOrder {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return a.first != b.first ? a.first < b.first : walk_before(a.second, b.second);
    }
  };

  static std::string_view key(const Document& document) {
    return document.skill ? document.skill->id : document.prompt->name;
  }
  // By key, and who comes first among those that want one.
  struct Order {
    using is_transparent = void;
    bool operator()(const Document* a, const Document* b) const;
    bool operator()(const Document* a, std::string_view id) const { return key(*a) < id; }
    bool operator()(std::string_view id, const Document* b) const { return id < key(*b); }
    size_t builtin_root;
  };

  // One of the two lists, with what happened to it since the last generation.
  struct List {
    explicit List(size_t builtin_root) : documents(Order{builtin_root}) {}

    std::set<Document*, Order> documents;
    std::multimap<std::string, Document*, std::less<>> alternates;  // by alternate id
    Documents removed;
    Documents added;
    // Ids to decide again, and who is served under them; null: nobody.
    std::map<std::string, const Document*, std::less<>> dirty;
  };

  void merge(List& list);
  void mark_shadowed(List& list);
  // All that want one id.
  static Documents run_of(const List& list, std::string_view id);
  void displace(List& list, const Documents& run);
  void give_alternate(List& list, Document& document, AlternateRow::Kind kind);
  void take_alternate(List& list, Document& document);
  static Documents candidates(const List& list, std::string_view id);
  void decide(List& list);
  const Document* decide_among(std::string_view id, const Documents& candidates);
  const RootInfo* hidden_by(const Document& document, std::string_view id) const;
  void serve(Document& document);
  void skip(Document& document, const findings::Code& code, std::string message);
  void account(Document& document, Account column);
  void count_overview(const Document& document, bool there);
  void set_kinds();
  template <typename Row>
  void update_rows(const List& list, Rows<Row>& rows);

  std::vector<RootInfo> roots_;
  std::vector<const Folder*> tops_;
  List skills_;
  List prompts_;
  std::set<std::string, std::less<>> shadow_names_;
  std::vector<Folder*> overview_folders_;  // where a SKILL.md came or went
  std::map<std::pair<uint16_t, std::string>, FindingsPtr, FileOrder> findings_;
  bool findings_changed_ = false;
  bool changed_ = true;
  std::vector<Accounting> accounting_;  // of each root
  GenerationPtr current_;
};

}  // namespace iii::content
