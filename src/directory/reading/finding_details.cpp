#include "directory/reading/finding_details.h"

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/content/parse.h"
#include "foundation/base/saturate.h"
#include "foundation/base/sha256.h"

namespace iii::directory {

namespace {

constexpr size_t kExcerptLines = 8;
constexpr uint32_t kExcerptBefore = 3;
constexpr size_t kExcerptLineBytes = 400;
constexpr size_t kPatchContext = 2;
constexpr size_t kPatchLines = 200;
constexpr size_t kPatchLineBytes = 4'096;

// At most `most` bytes, and no half of a character at the end.
std::string cut(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::string_view kMore = "…";
  size_t end = most - kMore.size();
  const auto is_inside = [&](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && is_inside(end)) --end;
  return std::string(text.substr(0, end)).append(kMore);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

size_t line_begin(std::string_view bytes, size_t at) {
  return at == 0 ? 0 : bytes.rfind('\n', at - 1) + 1;  // npos + 1 is 0
}
size_t line_end(std::string_view bytes, size_t at) {
  const size_t found = bytes.find('\n', at);
  return found == std::string_view::npos ? bytes.size() : found + 1;
}

// One file as it is now.
struct Opened {
  std::string bytes;
  std::string digest;
  std::optional<std::vector<content::Finding>> findings = {};  // made when a patch is wanted
};

class Details {
 public:
  Details(content::Content& content, const content::Generation& generation)
      : content_(content), generation_(generation) {}

  void add_to(DoctorFinding& finding) {
    finding.key = finding_key(finding.code, finding.root, finding.path, finding.line);
    Opened* const file = open(finding);
    if (file == nullptr) return;
    finding.digest = file->digest;
    if (finding.line) finding.excerpt = excerpt_of(file->bytes, *finding.line);
    if (!finding.fix) return;
    if (const content::Fix* fix = same_fix(*file, finding)) {
      finding.patch = patch_of(file->bytes, *fix);
    } else {
      finding.digest.reset();  // another file by now: there is nothing to apply
    }
  }

 private:
  // Findings about one file mostly follow each other, so the last one is kept.
  Opened* open(const DoctorFinding& finding) {
    if (finding.root != root_ || finding.path != path_) {
      root_ = finding.root;
      path_ = finding.path;
      file_ = read(finding);
    }
    return file_ ? &*file_ : nullptr;
  }

  std::optional<Opened> read(const DoctorFinding& finding) const {
    const auto root = std::ranges::find(generation_.roots, finding.root, &content::RootInfo::label);
    if (root == generation_.roots.end() || root->kind == content::RootKind::kRegistered) return {};
    const auto index = static_cast<uint16_t>(root - generation_.roots.begin());
    auto now = content_.read(generation_, {.root = index, .path = finding.path});
    if (!now) return {};
    std::string digest = file_digest(now->bytes);
    return Opened{.bytes = std::move(now->bytes), .digest = std::move(digest)};
  }

  const content::Fix* same_fix(Opened& file, const DoctorFinding& finding) const {
    if (!file.findings) {
      const content::ParseOptions options = parse_options(content_, finding.path);
      file.findings = content::parse_document(file.bytes, options).findings;
    }
    for (const content::Finding& each : *file.findings) {
      const bool same = each.fix && each.code == finding.code && each.line == finding.line &&
                        each.fix->offset == finding.fix->offset &&
                        each.fix->length == finding.fix->length &&
                        each.fix->text == finding.fix->text;
      if (same) return &*each.fix;
    }
    return nullptr;
  }

  content::Content& content_;
  const content::Generation& generation_;
  std::string root_;
  std::string path_;
  std::optional<Opened> file_;
};

}  // namespace

std::string finding_key(std::string_view code, std::string_view root, std::string_view path,
                        std::optional<uint32_t> line) {
  std::string out;
  for (const std::string_view part : {code, root, path}) out.append(part).append(":");
  return out += std::to_string(line.value_or(0));
}

std::string file_digest(std::string_view bytes) { return "sha256:" + sha256_hex(bytes); }

content::ParseOptions parse_options(const content::Content& content, std::string_view path) {
  return {.lenient = content.lenient(), .prompt = content::is_prompt_path(path)};
}

std::vector<std::vector<json::Value>> excerpt_of(std::string_view bytes, uint32_t line) {
  const uint32_t first = line > kExcerptBefore ? line - kExcerptBefore : 1;
  size_t at = 0;
  for (uint32_t number = 1; number < first && at < bytes.size(); ++number) at = line_end(bytes, at);
  std::vector<std::vector<json::Value>> out;
  for (uint32_t number = first; at < bytes.size() && out.size() < kExcerptLines; ++number) {
    const size_t end = line_end(bytes, at);
    std::string_view text = bytes.substr(at, end - at);
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    out.push_back({json::Value(uint64_t{number}), json::Value(cut(text, kExcerptLineBytes))});
    at = end;
  }
  return out;
}

std::vector<std::vector<std::string>> patch_of(std::string_view bytes, const content::Fix& fix) {
  const size_t from = std::min(saturated_size(fix.offset), bytes.size());
  const size_t to = from + std::min(saturated_size(fix.length), bytes.size() - from);
  size_t begin = line_begin(bytes, from);
  size_t end = line_end(bytes, to);
  for (size_t i = 0; i < kPatchContext && begin > 0; ++i) begin = line_begin(bytes, begin - 1);
  for (size_t i = 0; i < kPatchContext && end < bytes.size(); ++i) end = line_end(bytes, end);
  const std::string mended = std::string(bytes.substr(begin, from - begin)) + fix.text +
                             std::string(bytes.substr(to, end - to));
  const auto before = lines_of(bytes.substr(begin, end - begin));
  const auto after = lines_of(mended);
  const size_t least = std::min(before.size(), after.size());
  size_t head = 0;  // lines that both begin with
  while (head < least && before[head] == after[head]) ++head;
  size_t tail = 0;
  while (tail < least - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  std::vector<std::vector<std::string>> out;
  const auto add = [&out](const char* mark, const auto& lines, size_t first, size_t last) {
    for (size_t i = first; i < last && out.size() < kPatchLines; ++i) {
      out.push_back({mark, cut(lines[i], kPatchLineBytes)});
    }
  };
  add(" ", before, head - std::min(head, kPatchContext), head);
  add("-", before, head, before.size() - tail);
  add("+", after, head, after.size() - tail);
  const size_t rest = before.size() - tail;
  add(" ", before, rest, rest + std::min(tail, kPatchContext));
  return out;
}

void add_details(content::Content& content, const content::Generation& generation,
                 std::vector<DoctorFinding>& findings) {
  Details details(content, generation);
  for (DoctorFinding& finding : findings) details.add_to(finding);
}

}  // namespace iii::directory
