#include "directory/sources/git_blobs.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "directory/sources/git_errors.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

using Ids = std::set<std::string, std::less<>>;

constexpr uint64_t kMaxBlobListingBytes = 64ULL * 1024 * 1024;
constexpr uint64_t kHeaderBytes = 128;  // what `cat-file --batch` writes around each

std::unexpected<Error> incomplete() {
  return fail("D321",
              "D321 git_error: the server did not send everything that was asked for. Next: retry "
              "shortly");
}

std::string lines(const Ids& ids) {
  std::string text;
  for (const std::string& id : ids) text += id + '\n';
  return text;
}

// `<id> blob <size>`.
struct Header {
  std::string_view id;
  uint64_t size = 0;
};

std::optional<Header> parse_header(std::string_view line) {
  const std::vector<std::string_view> words = split(line, ' ');
  if (words.size() != 3 || words[1] != "blob") return std::nullopt;
  Header header{.id = words[0]};
  const std::string digits(words[2]);
  const char* end = digits.data() + digits.size();
  const auto [rest, bad] = std::from_chars(digits.data(), end, header.size);
  if (bad != std::errc() || rest != end) return std::nullopt;
  return header;
}

// Looks without fetching.
Result<Ids> missing_of(const Git& git, const std::string& tree, const Ids& ids) {
  auto listing = git.output({"rev-list", "--objects", "--no-object-names", "--missing=print", tree},
                            {.step = "checking", .input = "", .max_output = kMaxBlobListingBytes});
  if (!listing) return std::unexpected(listing.error());
  Ids missing;
  for (const std::string_view line : split(*listing, '\n')) {
    if (!line.starts_with('?')) continue;
    if (const auto id = ids.find(line.substr(1)); id != ids.end()) missing.insert(*id);
  }
  return missing;
}

Result<void> fetch_everything(Git& git, const std::string& wanted) {
  if (auto made = make_store(git, "whole", wanted); !made) return made;
  auto fetched = git.output(
      {"fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "origin", wanted},
      {.step = "fetching"});
  if (!fetched) return std::unexpected(fetched.error());
  return {};
}

Ids ids_of(const std::vector<WantedFile>& files) {
  Ids ids;
  for (const WantedFile& file : files) ids.insert(file.id);
  return ids;
}

Result<void> fetch_missing(Git& git, const BlobSource& source, const Ids& ids) {
  if (ids.empty() || source.tree.empty()) return {};
  auto missing = missing_of(git, source.tree, ids);
  if (!missing) return std::unexpected(missing.error());
  if (missing->empty()) return {};
  const Ran ran = git.run({"-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags",
                           "--no-write-fetch-head", "--filter=blob:none", "--stdin", "origin"},
                          {.step = "fetching", .input = lines(*missing)});
  if (ran.ok()) return {};
  if (is_unadvertised(ran.errors)) return fetch_everything(git, source.wanted);
  return std::unexpected(git.explain(ran));
}

// What they have together, each counted once; a refusal when one or all have too much.
// Ids of files that are left out are taken from `ids`.
Result<uint64_t> check_sizes(const Git& git, const std::vector<WantedFile>& files, Ids& ids,
                             const BundleLimits& limits, TooLarge too_large) {
  auto listing = git.output({"cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"},
                            {.step = "checking", .input = lines(ids)});
  if (!listing) return std::unexpected(listing.error());
  std::map<std::string, uint64_t, std::less<>> sizes;
  uint64_t once = 0;
  for (const std::string_view line : split(*listing, '\n')) {
    const auto header = parse_header(line);
    if (header && sizes.emplace(header->id, header->size).second) once += header->size;
  }
  uint64_t total = 0;
  for (const WantedFile& file : files) {
    const auto size = sizes.find(file.id);
    if (size == sizes.end()) return incomplete();
    const bool fits =
        size->second <= limits.max_file_bytes && total + size->second <= limits.max_bundle_bytes;
    if (!fits && too_large == TooLarge::kLeaveOut) {
      ids.erase(file.id);
      continue;
    }
    if (size->second > limits.max_file_bytes) {
      return std::unexpected(too_large_file(file.path, size->second, limits));
    }
    if (!fits) return std::unexpected(too_large_bundle(limits));
    total += size->second;
  }
  return once;
}

// Header, bytes, newline, one after the other.
Result<Blobs> cut_blobs(std::string_view content, const Ids& ids) {
  Blobs blobs;
  while (!content.empty()) {
    const size_t end = content.find('\n');
    if (end == std::string_view::npos) return incomplete();
    const auto header = parse_header(content.substr(0, end));
    content.remove_prefix(end + 1);
    if (!header || content.size() <= header->size) return incomplete();
    const auto size = static_cast<size_t>(header->size);
    blobs.emplace(header->id, content.substr(0, size));
    content.remove_prefix(size + 1);
  }
  if (!std::ranges::all_of(ids, [&](const std::string& id) { return blobs.contains(id); })) {
    return incomplete();
  }
  return blobs;
}

}  // namespace

Result<void> make_store(Git& git, std::string_view name, std::string_view id) {
  git.set_store(name);
  std::vector<std::string> args = {"init", "--quiet", "--bare", "--template="};
  if (id.size() == 64) args.emplace_back("--object-format=sha256");
  auto made = git.output(args, {.step = "fetching"});
  if (!made) return std::unexpected(made.error());
  return {};
}

Result<void> fetch_blobs(Git& git, const BlobSource& source, const std::vector<WantedFile>& files) {
  return fetch_missing(git, source, ids_of(files));
}

Result<Blobs> read_blobs(Git& git, const BlobSource& source, const std::vector<WantedFile>& files,
                         const BundleLimits& limits, TooLarge too_large) {
  Ids ids = ids_of(files);
  if (auto there = fetch_missing(git, source, ids); !there) return std::unexpected(there.error());
  auto bytes = check_sizes(git, files, ids, limits, too_large);
  if (!bytes) return std::unexpected(bytes.error());
  if (ids.empty()) return Blobs{};
  auto content = git.output(
      {"cat-file", "--batch", "--buffer"},
      {.step = "checking", .input = lines(ids), .max_output = *bytes + ids.size() * kHeaderBytes});
  if (!content) return std::unexpected(content.error());
  return cut_blobs(*content, ids);
}

}  // namespace iii::sources
