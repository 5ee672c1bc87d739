// The files of one root as they were last seen: folders, documents, and files that merely stand
// there.
//
// A tree belongs to the thread that owns the Content; while a scan runs, each folder belongs to one
// of its threads. Nodes that leave the tree are marked `gone` and live on until the round is over,
// so that whatever still points at them can see it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"
#include "foundation/base/files.h"

namespace iii::content {

struct Folder;

enum class NodeKind : uint8_t { kFolder, kDocument, kSupporting };

struct Node {
  Node(NodeKind what, std::string called, Folder* in)
      : kind(what), name(std::move(called)), parent(in) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  std::string path() const;  // relative to the root; empty for the root itself

  const NodeKind kind;
  bool is_link = false;
  bool gone = false;
  std::string name;
  Folder* parent;
};

// Why an entry is not read although it has to be accounted for.
enum class Refusal : uint8_t {
  kNone,
  kOutside,    // a link that leaves all roots
  kOtherRoot,  // a link into another root, or by an absolute path into its own
  kDangling,
  kNotRegular,
  kUnreadable,
  kMisnamed,  // almost SKILL.md
};

// What a document is served as instead of the id that its path gives (Catalog::displace).
struct AlternateRow {
  enum class Kind : uint8_t { kHashed, kSecondOverview };
  Kind kind = Kind::kHashed;
  std::string id;
  SkillPtr skill;
  PromptPtr prompt;
  FindingsPtr own;
};

// In which column of the accounting a document stands.
enum class Account : uint8_t { kNone, kSkill, kPrompt, kSkipped };

// A `.md` file or another spelling of SKILL.md, or an entry that cannot be one and has to be
// accounted for. Has a skill, or a prompt, or (not servable) neither and at least one finding.
struct Document final : Node {
  Document(std::string called, Folder* in) : Node(NodeKind::kDocument, std::move(called), in) {}

  Refusal refusal = Refusal::kNone;
  bool unread = true;       // still empty
  bool trusted = false;     // an equal stamp means equal content
  bool normalised = false;  // its own path would not give this id or name
  Account account = Account::kNone;
  std::unique_ptr<AlternateRow> alternate;
  uint16_t root = 0;
  FileStamp stamp;
  SkillPtr skill;
  PromptPtr prompt;
  FindingsPtr own;  // what is to say about the file itself; null: nothing
};

enum class FolderState : uint8_t { kOpen, kUnreadable, kCycle, kTooDeep };

struct Folder final : Node {
  Folder(std::string called, Folder* in) : Node(NodeKind::kFolder, std::move(called), in) {}

  // Where `called` stands, or would stand, among the entries.
  std::vector<std::unique_ptr<Node>>::iterator position(std::string_view called);
  Node* find(std::string_view called) const;

  FolderState state = FolderState::kOpen;
  bool trusted = false;     // an equal stamp means equal entries
  bool below_link = false;  // it or a folder above it is a link
  // SKILL.md files in it that the catalog knows, and whether there were any when kinds were
  // decided.
  uint32_t overviews = 0;
  bool had_overview = false;
  uint16_t root = 0;
  uint16_t depth = 0;
  int watch = -1;
  uint64_t used = 0;  // when a file in it was last asked for: a count of uses (Live::watch_used)
  Folder* next_watched =
      nullptr;  // another folder of the same watch: the same directory through a link
  FileStamp stamp;
  std::vector<std::unique_ptr<Node>> entries;  // ascending by name, bytewise (R3)
  FindingsPtr findings;
};

// R3: depth first, the entries of a folder in bytewise order of their names.
bool walk_before(std::string_view a, std::string_view b);

inline bool is_same_folder(const FileStamp& a, const FileStamp& b) {
  return a.inode == b.inode && a.device == b.device;
}

bool is_document_name(std::string_view name);  // R1, and every spelling of SKILL.md

// Visits a node and everything below it.
template <typename Visit>
void each_node(Node& node, const Visit& visit) {
  visit(node);
  if (node.kind != NodeKind::kFolder) return;
  for (const auto& entry : static_cast<Folder&>(node).entries) each_node(*entry, visit);
}

}  // namespace iii::content
