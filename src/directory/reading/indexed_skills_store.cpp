#include "directory/reading/indexed_skills_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "foundation/base/files.h"
#include "foundation/base/hash.h"

namespace iii::directory {

namespace {

constexpr std::string_view kMagic = "iii-skills 1\n";

// Followed by a mark per document, then by the segment.
struct Header {
  char magic[16];
  uint64_t program;
  uint64_t documents;
  uint64_t segment_bytes;
  uint64_t checksum;  // of everything after the header
};
static_assert(kMagic.size() <= sizeof(Header::magic));
static_assert(sizeof(Header) % 8 == 0);

uint64_t program() { return checksum(program_identity()); }

// The file as it is in memory; a replaced file stays mapped.
std::optional<SharedBytes> map_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return std::nullopt;
  struct stat status{};
  void* at = MAP_FAILED;
  const bool regular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                       status.st_uid == ::geteuid() && status.st_size > 0;
  const auto size = static_cast<size_t>(regular ? status.st_size : 0);
  if (regular) at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (at == MAP_FAILED) return std::nullopt;
  std::shared_ptr<const void> owner(at, [size](void* held) { ::munmap(held, size); });
  return SharedBytes{std::move(owner), std::string_view(static_cast<const char*>(at), size)};
}

struct Stored {
  search::SegmentPointer segment;
  std::vector<uint64_t> marks;
};

std::optional<Stored> open_stored(const std::filesystem::path& path) {
  const std::optional<SharedBytes> file = map_file(path);
  if (!file || file->bytes.size() < sizeof(Header)) return std::nullopt;
  Header header{};
  std::memcpy(&header, file->bytes.data(), sizeof header);
  const std::string_view rest = file->bytes.substr(sizeof header);
  if (std::memcmp(header.magic, kMagic.data(), kMagic.size()) != 0 || header.program != program() ||
      header.documents > rest.size() / 8 ||
      header.segment_bytes != rest.size() - header.documents * 8 ||
      header.checksum != checksum(rest)) {
    return std::nullopt;
  }
  Stored out;
  const auto documents = static_cast<size_t>(header.documents);
  out.marks.resize(documents);
  std::memcpy(out.marks.data(), rest.data(), documents * 8);
  auto segment =
      search::Segment::open({file->owner, rest.substr(documents * 8)}, search::skill_profile());
  if (!segment || (*segment)->documents() != header.documents) return std::nullopt;
  out.segment = std::move(*segment);
  return out;
}

// What the segment has and the view has not, and the other way round.
RowChanges changes_since(const Stored& stored, const content::Generation& now) {
  RowChanges out;
  std::unordered_map<std::string_view, uint64_t> marks;
  marks.reserve(stored.marks.size());
  for (uint32_t i = 0; i < stored.marks.size(); ++i) {
    marks.emplace(stored.segment->key(i), stored.marks[i]);
  }
  for (const content::SkillPtr& row : now.skills) {
    const auto known = marks.find(row->id);
    const uint64_t mark = known != marks.end() ? known->second : 0;
    if (mark == 0 || mark != row_mark(*row)) out.put.push_back(row);
    if (known != marks.end()) marks.erase(known);
  }
  for (const auto& [key, mark] : marks) out.removed.emplace_back(key);
  return out;
}

}  // namespace

Result<void> write_indexed_skills(const std::filesystem::path& path,
                                  const IndexedSkillsBuild& build) {
  if (build.segment() == nullptr) return {};
  const std::string_view segment = build.segment()->bytes();
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.program = program();
  header.documents = build.marks().size();
  header.segment_bytes = segment.size();
  std::string bytes(sizeof header, '\0');
  bytes.reserve(sizeof header + build.marks().size() * 8 + segment.size());
  bytes.append(reinterpret_cast<const char*>(build.marks().data()), build.marks().size() * 8);
  bytes += segment;
  header.checksum = checksum(std::string_view(bytes).substr(sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
  return write_cache_file(path, bytes);
}

IndexedSkillsPtr read_indexed_skills(const std::filesystem::path& path, const View& view) {
  std::optional<Stored> stored = open_stored(path);
  if (!stored) return nullptr;
  const RowChanges changes = changes_since(*stored, view.generation());
  // The mean lengths of its fields would be those of other documents.
  const size_t rows = view.generation().skills.size();
  if ((changes.put.size() + changes.removed.size()) * 4 > rows) return nullptr;
  IndexedSkills before{.index = search::Index(search::skill_profile(), stored->segment),
                       .generation = nullptr};
  return followed(before, changes, view);
}

}  // namespace iii::directory
