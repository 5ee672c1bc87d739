#include "directory/content/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "foundation/base/hash.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::content {

namespace {

constexpr std::string_view kMagic = "iii-index 5\n";
constexpr size_t kHeader = kMagic.size() + 16;  // magic, length, checksum
constexpr size_t kMaxDepth = 4096;
// Reading is shared out among threads in pieces of at least this many bytes.
constexpr size_t kPiece = size_t{1} << 20U;
constexpr size_t kMaxReaders = 8;

class Out {
 public:
  void byte(uint8_t value) { bytes_ += static_cast<char>(value); }
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7U) byte(static_cast<uint8_t>(value | 0x80U));
    byte(static_cast<uint8_t>(value));
  }
  void word(uint64_t value) {
    char raw[8];
    std::memcpy(raw, &value, 8);
    bytes_.append(raw, 8);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  void stamp(const FileStamp& stamp) {
    number(stamp.device);
    number(stamp.inode);
    number(stamp.size);
    word(static_cast<uint64_t>(stamp.mtime_ns));
    word(static_cast<uint64_t>(stamp.ctime_ns));
  }
  void reserve(size_t size) { bytes_.reserve(size); }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

// Reads what Out wrote; at the first thing that does not fit everything after it is empty and `ok`
// false.
class In {
 public:
  explicit In(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool done() const { return bytes_.empty(); }
  uint8_t byte() {
    if (bytes_.empty()) return stop();
    const auto value = static_cast<uint8_t>(bytes_[0]);
    bytes_.remove_prefix(1);
    return value;
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t part = byte();
      value |= static_cast<uint64_t>(part & 0x7fU) << shift;
      if (part < 0x80) return value;
    }
    return stop();
  }
  uint64_t word() {
    if (bytes_.size() < 8) return stop();
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data(), 8);
    bytes_.remove_prefix(8);
    return value;
  }
  std::string_view text() { return bytes(number()); }
  std::string_view bytes(uint64_t length) {
    if (length > bytes_.size()) {
      stop();
      return {};
    }
    const std::string_view value = bytes_.substr(0, static_cast<size_t>(length));
    bytes_.remove_prefix(value.size());
    return value;
  }
  // How many items of at least `size` bytes follow.
  size_t count(size_t size) {
    const uint64_t value = number();
    return value <= bytes_.size() / size ? static_cast<size_t>(value) : stop();
  }
  FileStamp stamp() {
    FileStamp stamp;
    stamp.device = number();
    stamp.inode = number();
    stamp.size = number();
    stamp.mtime_ns = static_cast<int64_t>(word());
    stamp.ctime_ns = static_cast<int64_t>(word());
    return stamp;
  }
  uint8_t stop() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

enum Flag : uint8_t {
  kKindBits = 3,
  kIsLink = 4,
  kTrusted = 8,
  kNormalised = 16,
  kReadable = 32,
  kHasSkill = 64,
  kHasPrompt = 128,
};
enum Extra : uint8_t {
  kHasType = 1,
  kHasFunction = 2,
  kHasTime = 4,
  kHasFindings = 8,
  kForAgents = 16,
  kSkillKindShift = 5,  // two bits
  kKindByFolder = 128,
};
enum FindingPart : uint8_t { kHasLine = 1, kHasColumn = 2, kHasServedAs = 4, kHasFix = 8 };

void put_findings(Out& out, const std::vector<Finding>& findings) {
  out.number(findings.size());
  for (const Finding& finding : findings) {
    out.byte(
        static_cast<uint8_t>((finding.line ? kHasLine : 0) | (finding.column ? kHasColumn : 0) |
                             (finding.served_as ? kHasServedAs : 0) | (finding.fix ? kHasFix : 0)));
    out.byte(static_cast<uint8_t>(finding.severity));
    out.text(finding.code);
    out.text(finding.message);
    if (finding.line) out.number(*finding.line);
    if (finding.column) out.number(*finding.column);
    if (finding.served_as) out.text(*finding.served_as);
    if (finding.fix) {
      out.number(finding.fix->offset);
      out.number(finding.fix->length);
      out.text(finding.fix->text);
    }
  }
}

FindingsPtr get_findings(In& in, const FileRef& file) {
  auto findings = std::make_shared<std::vector<Finding>>(in.count(4));
  for (Finding& finding : *findings) {
    finding.file = file;
    const uint8_t parts = in.byte();
    finding.severity = static_cast<Severity>(in.byte() % 3);
    finding.code = in.text();
    finding.message = in.text();
    if ((parts & kHasLine) != 0) finding.line = static_cast<uint32_t>(in.number());
    if ((parts & kHasColumn) != 0) finding.column = static_cast<uint32_t>(in.number());
    if ((parts & kHasServedAs) != 0) finding.served_as = in.text();
    if ((parts & kHasFix) != 0) {
      const uint64_t offset = in.number(), length = in.number();
      finding.fix = Fix{offset, length, std::string(in.text())};
    }
  }
  return findings;
}

void put_document(Out& out, const Document& document, uint8_t flags) {
  // What cannot be trusted is read again anyway: only its place is kept.
  const bool known = (document.trusted && !document.shared) || document.refusal != Refusal::kNone;
  if (!known) {
    out.byte(flags);
    return;
  }
  if (document.normalised) flags |= kNormalised;
  if (document.skill && document.skill->readable) flags |= kReadable;
  if (document.skill) flags |= kHasSkill;
  if (document.prompt) flags |= kHasPrompt;
  out.byte(flags | kTrusted);
  out.byte(static_cast<uint8_t>(document.refusal));
  out.stamp(document.stamp);
  uint8_t extra = document.own ? kHasFindings : 0;
  if (document.skill) {
    const Skill& skill = *document.skill;
    extra |= static_cast<uint8_t>(
        (skill.type ? kHasType : 0) | (skill.function_id ? kHasFunction : 0) |
        (skill.mtime_ns != kNoTime ? kHasTime : 0) | (skill.for_agents ? kForAgents : 0) |
        (static_cast<unsigned>(skill.kind) << kSkillKindShift) |
        (skill.kind_by_folder ? kKindByFolder : 0));
    out.byte(extra);
    out.text(skill.id);
    out.text(skill.name);
    out.text(skill.title);
    out.text(skill.description);
    if (skill.type) out.text(*skill.type);
    if (skill.function_id) out.text(*skill.function_id);
    out.number(skill.body_offset + 1);  // 0: unknown
  } else {
    out.byte(extra);
    if (document.prompt) {
      out.text(document.prompt->name);
      out.text(document.prompt->description);
    }
  }
  if (document.own) put_findings(out, *document.own);
}

void put_folder(Out& out, const Folder& folder, uint8_t flags) {
  const bool known = folder.trusted && folder.state == FolderState::kOpen;
  out.byte(static_cast<uint8_t>(flags | (known ? kTrusted : 0)));
  if (known) out.stamp(folder.stamp);
  out.number(folder.entries.size());
}

void put_node(Out& out, const Node& node) {
  auto flags = static_cast<uint8_t>(node.kind);
  if (node.is_link) flags |= kIsLink;
  out.text(node.name);
  if (node.kind == NodeKind::kSupporting) return out.byte(flags);
  if (node.kind == NodeKind::kDocument) {
    return put_document(out, static_cast<const Document&>(node), flags);
  }
  const auto& folder = static_cast<const Folder&>(node);
  put_folder(out, folder, flags);
  for (const auto& entry : folder.entries) put_node(out, *entry);
}

// Each entry of a root is preceded by its length, so that they can be read side by side.
void put_top(Out& out, const Folder& top) {
  put_folder(out, top, static_cast<uint8_t>(top.kind));
  for (const auto& entry : top.entries) {
    const size_t before = out.bytes().size();
    out.word(0);
    put_node(out, *entry);
    const uint64_t length = out.bytes().size() - before - sizeof length;
    std::memcpy(out.bytes().data() + before, &length, sizeof length);
  }
}

// About what a node takes, so that writing does not have to move tens of megabytes.
size_t size_of(const Node& node) {
  constexpr size_t kNode = 48;  // flags, lengths, a stamp
  size_t size = kNode + node.name.size();
  if (node.kind == NodeKind::kFolder) {
    for (const auto& entry : static_cast<const Folder&>(node).entries) size += size_of(*entry);
  } else if (node.kind == NodeKind::kDocument) {
    const auto& document = static_cast<const Document&>(node);
    if (document.skill) {
      const Skill& skill = *document.skill;
      size += skill.id.size() + skill.name.size() + skill.title.size() + skill.description.size();
    }
    if (document.own) size += document.own->size() * 256;
  }
  return size;
}

// Reads nodes and notes what was found in `tree`.
class Loader {
 public:
  Loader(In in, StoredTree& tree, uint16_t root) : in_(in), tree_(tree), root_(root) {}

  In& in() { return in_; }

  // Everything about a folder but its entries, of which there are `count`.
  std::unique_ptr<Folder> bare_folder(std::string name, Folder* parent, uint8_t flags,
                                      size_t& count) {
    auto made = std::make_unique<Folder>(std::move(name), parent);
    made->is_link = (flags & kIsLink) != 0;
    made->trusted = (flags & kTrusted) != 0;
    made->root = root_;
    if (parent != nullptr) {
      made->depth = static_cast<uint16_t>(parent->depth + 1);
      made->below_link = parent->below_link || made->is_link;
      if (parent->parent == nullptr) tree_.changes.top_names.push_back(made->name);
    }
    if (made->trusted) made->stamp = in_.stamp();
    count = in_.count(2);
    if (made->depth >= kMaxDepth) in_.stop();
    ++tree_.nodes;
    return made;
  }

  std::unique_ptr<Node> node(Folder* parent, const std::string& parent_path) {
    std::string name(in_.text());
    const uint8_t flags = in_.byte();
    const auto kind = static_cast<NodeKind>(flags & kKindBits);
    const std::string path = join_path(parent_path, name);
    std::unique_ptr<Node> made;
    if (kind == NodeKind::kFolder) {
      made = folder(std::move(name), parent, path, flags);
    } else if (kind == NodeKind::kDocument) {
      made = document(std::move(name), parent, path, flags);
      ++tree_.nodes;
    } else if (kind == NodeKind::kSupporting) {
      made = std::make_unique<Node>(kind, std::move(name), parent);
      made->is_link = (flags & kIsLink) != 0;
      ++tree_.changes.supporting;
      ++tree_.nodes;
    } else {
      in_.stop();
      return nullptr;
    }
    if (made->is_link) tree_.changes.links.push_back(made.get());
    return made;
  }

 private:
  std::unique_ptr<Node> folder(std::string name, Folder* parent, const std::string& path,
                               uint8_t flags) {
    size_t count = 0;
    std::unique_ptr<Folder> made = bare_folder(std::move(name), parent, flags, count);
    made->entries.reserve(count);
    for (size_t i = 0; i < count && in_.ok(); ++i) {
      std::unique_ptr<Node> entry = node(made.get(), path);
      // Order and uniqueness of the names is what everything else relies on.
      if (entry == nullptr ||
          (!made->entries.empty() && made->entries.back()->name >= entry->name)) {
        in_.stop();
        break;
      }
      made->entries.push_back(std::move(entry));
    }
    return made;
  }

  std::unique_ptr<Node> document(std::string name, Folder* parent, const std::string& path,
                                 uint8_t flags) {
    auto made = std::make_unique<Document>(std::move(name), parent);
    made->is_link = (flags & kIsLink) != 0;
    made->root = root_;
    if ((flags & kTrusted) == 0) return made;
    made->unread = false;
    made->refusal = static_cast<Refusal>(in_.byte() % kRefusals);
    made->trusted = made->refusal == Refusal::kNone;
    made->normalised = (flags & kNormalised) != 0;
    made->stamp = in_.stamp();
    const uint8_t extra = in_.byte();
    if ((flags & kHasSkill) != 0) {
      made->skill = skill(*made, path, flags, extra);
    } else if ((flags & kHasPrompt) != 0) {
      auto prompt = std::make_shared<Prompt>();
      prompt->name = in_.text();
      prompt->file = {root_, path};
      prompt->description = in_.text();
      prompt->mtime_ns = made->stamp.mtime_ns;
      prompt->bytes = made->stamp.size;
      prompt->version = {made->stamp.inode, made->stamp.ctime_ns};
      made->prompt = std::move(prompt);
    }
    if ((extra & kHasFindings) != 0) made->own = get_findings(in_, {root_, printable(path)});
    tree_.changes.added.push_back(made.get());
    return made;
  }

  SkillPtr skill(const Document& document, const std::string& path, uint8_t flags, uint8_t extra) {
    auto skill = std::make_shared<Skill>();
    skill->id = in_.text();
    skill->file = {root_, path};
    skill->kind = static_cast<SkillKind>((extra >> kSkillKindShift & 3) % kSkillKinds);
    skill->kind_by_folder = (extra & kKindByFolder) != 0;
    skill->for_agents = (extra & kForAgents) != 0;
    skill->name = in_.text();
    skill->title = in_.text();
    skill->description = in_.text();
    if ((extra & kHasType) != 0) skill->type = in_.text();
    if ((extra & kHasFunction) != 0) skill->function_id = in_.text();
    skill->body_offset = in_.number() - 1;
    skill->bytes = document.stamp.size;
    skill->mtime_ns = (extra & kHasTime) != 0 ? document.stamp.mtime_ns : kNoTime;
    skill->readable = (flags & kReadable) != 0;
    skill->version = {document.stamp.inode, document.stamp.ctime_ns};
    return skill;
  }

  In in_;
  StoredTree& tree_;
  const uint16_t root_;
};

// Neighbouring entries of a root, read by one thread.
struct Piece {
  std::span<const std::string_view> texts;
  StoredTree tree;
  std::vector<std::unique_ptr<Node>> entries;
  bool ok = true;

  void read(Folder& top, uint16_t root) {
    entries.reserve(texts.size());
    for (const std::string_view text : texts) {
      Loader loader(In(text), tree, root);
      entries.push_back(loader.node(&top, ""));
      ok = loader.in().ok() && loader.in().done() && entries.back() != nullptr;
      if (!ok) return;
    }
  }
};

std::vector<Piece> cut(std::span<const std::string_view> texts, size_t bytes) {
  const size_t readers = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxReaders);
  const size_t size = std::max(kPiece, bytes / readers + 1);
  std::vector<Piece> pieces;
  while (!texts.empty()) {
    size_t count = 0;
    for (size_t sum = 0; count < texts.size() && sum < size; ++count) sum += texts[count].size();
    pieces.emplace_back().texts = texts.first(count);
    texts = texts.subspan(count);
  }
  return pieces;
}

// Reads one root's tree; false when it is damaged.
bool read_tree(In& in, StoredTree& tree, uint16_t root) {
  Loader loader(in, tree, root);
  size_t count = 0;
  const uint8_t flags = loader.in().byte();
  std::unique_ptr<Folder> top = loader.bare_folder("", nullptr, flags, count);
  in = loader.in();
  std::vector<std::string_view> texts;
  size_t bytes = 0;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    texts.push_back(in.bytes(in.word()));
    bytes += texts.back().size();
  }
  if (!in.ok()) return false;
  std::vector<Piece> pieces = cut(texts, bytes);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < pieces.size(); ++i) {
      const auto read = [&piece = pieces[i], &top, root] { piece.read(*top, root); };
      try {
        threads.emplace_back(read);
      } catch (const std::system_error&) {
        read();  // no more threads to be had
      }
    }
    if (!pieces.empty()) pieces[0].read(*top, root);
  }
  top->entries.reserve(count);
  for (Piece& piece : pieces) {
    if (!piece.ok) return false;
    for (auto& entry : piece.entries) top->entries.push_back(std::move(entry));
    tree.changes.absorb(std::move(piece.tree.changes));
    tree.nodes += piece.tree.nodes;
  }
  const auto in_order = [](const auto& a, const auto& b) { return a->name < b->name; };
  const auto& entries = top->entries;
  if (std::ranges::adjacent_find(entries, std::not_fn(in_order)) != entries.end()) return false;
  tree.top = std::move(top);
  return true;
}

}  // namespace

std::string write_index(std::string_view fingerprint, const std::vector<const Folder*>& trees) {
  size_t size = kHeader + fingerprint.size() + 16;
  for (const Folder* tree : trees) size += tree != nullptr ? size_of(*tree) : 0;
  Out out;
  out.reserve(size);
  out.bytes() = kMagic;
  out.word(0);  // length and checksum, when they are known
  out.word(0);
  out.text(fingerprint);
  for (const Folder* tree : trees) {
    out.byte(tree != nullptr ? 1 : 0);
    if (tree != nullptr) put_top(out, *tree);
  }
  const std::string_view body = std::string_view(out.bytes()).substr(kHeader);
  const uint64_t head[] = {body.size(), checksum(body)};
  std::memcpy(out.bytes().data() + kMagic.size(), head, sizeof head);
  return std::move(out.bytes());
}

std::vector<StoredTree> read_index(std::string_view bytes, std::string_view fingerprint,
                                   size_t roots) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kHeader) return {};
  In head(bytes.substr(kMagic.size(), 16));
  const std::string_view body = bytes.substr(kHeader);
  if (head.word() != body.size() || head.word() != checksum(body)) return {};
  In in(body);
  if (in.text() != fingerprint) return {};
  std::vector<StoredTree> trees(roots);
  for (size_t root = 0; root < roots; ++root) {
    if (in.byte() == 0) continue;
    if (!read_tree(in, trees[root], static_cast<uint16_t>(root))) return {};
  }
  if (!in.ok() || !in.done()) return {};
  return trees;
}

std::string program_identity() {
  const Result<FileStatus> program = path_status("/proc/self/exe");
  if (!program) return "";
  return fmt::format("{}-{}-{}", program->stamp.inode, program->stamp.size,
                     program->stamp.mtime_ns);
}

}  // namespace iii::content
