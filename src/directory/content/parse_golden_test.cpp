// What the original directory 0.8.0 answered about its own files, as the oracle. Strictly read,
// every file must come out the same; leniently, exactly the files listed here come out differently,
// each for a reason.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "directory/content/ids.h"
#include "directory/content/parse.h"
#include "foundation/json/value.h"

namespace iii::content {
namespace {

namespace fs = std::filesystem;

const fs::path kData = fs::path(III_TEST_DATA) / "directory-0.8.0";

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<json::Value> recording(const std::string& name) {
  std::ifstream file(kData / name);
  EXPECT_TRUE(file) << name;
  std::vector<json::Value> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(*json::parse(line));
  return lines;
}

std::string text_at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  return found && found->as_string() ? *found->as_string() : "(none)";
}

// A file of the recorded tree with what it was called.
struct Sample {
  std::string path;  // below global or local
  std::string bytes;
};

std::multimap<std::string, Sample> samples(bool prompts) {
  std::multimap<std::string, Sample> out;
  for (const char* root : {"global", "local"}) {
    const fs::path folder = kData / "fixtures" / "main" / root;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string path = fs::relative(entry.path(), folder).generic_string();
      if (!entry.is_regular_file() || !path.ends_with(".md") || is_prompt_path(path) != prompts)
        continue;
      out.emplace(derive_id(path), Sample{path, bytes_of(entry.path())});
    }
  }
  return out;
}

bool only_line_feeds(std::string_view text) {
  return text.find_first_not_of('\n') == std::string_view::npos;
}

// One row as the list shows it, or as we would.
std::string row(std::string_view title, std::string_view type, std::string_view function_id,
                std::string_view description) {
  return std::string(title) + " | " + std::string(type) + " | " + std::string(function_id) + " | " +
         std::string(description);
}

// Ids of rows that differ, with our row.
std::map<std::string, std::string> differing_rows(const ParseOptions& options) {
  const auto files = samples(false);
  const std::vector<json::Value> lines = recording("read-list.jsonl");
  std::map<std::string, std::string> out;
  size_t compared = 0;
  for (const json::Value& recorded : *lines.at(0).find("answer")->find("skills")->as_array()) {
    const std::string shown = text_at(recorded, "id");
    if (shown == "r/nonutf8") continue;  // never parsed (R26)
    const std::string theirs =
        row(text_at(recorded, "title"), text_at(recorded, "type"), text_at(recorded, "function_id"),
            text_at(recorded, "description"));
    std::vector<std::string> ours;  // of every file it may have been; sizes tell most of them apart
    for (const std::string& id : {shown, shown + "/index"}) {
      for (auto [it, last] = files.equal_range(id); it != last; ++it) {
        const std::string_view bytes = it->second.bytes;
        if (static_cast<int64_t>(bytes.size()) != *recorded.find("bytes")->as_int()) continue;
        const ParsedDocument parsed = parse_document(bytes, options);
        if (only_line_feeds(bytes.substr(parsed.body_offset))) continue;  // R28, R47
        const std::string& heading = parsed.heading.empty() ? shown : parsed.heading;
        ours.push_back(row(parsed.title.value_or(heading), parsed.type.value_or("(none)"),
                           parsed.function_id.value_or("(none)"),
                           parsed.description.value_or(parsed.teaser)));
      }
    }
    compared += ours.empty() ? 0 : 1;
    if (!ours.empty() && std::ranges::find(ours, theirs) == ours.end()) out[shown] = ours.front();
  }
  EXPECT_GT(compared, 110U);
  return out;
}

// Better than recorded however we read: code is no title and no teaser (B10 in tests/coverage.md).
const std::map<std::string, std::string> kCodeIsNoText = {
    {"d/fence-first", "d/fence-first | (none) | (none) | Paragraph after fence."},
    {"t/h1-late", "t/h1-late | (none) | (none) | Some text first."},
    {"t/in-fence", "Real title | (none) | (none) | Text."},
};

// What the original lost without a word.
const std::map<std::string, std::string> kLost = {
    {"fm/bad-yaml", "[unclosed | how-to | (none) | Bad yaml text."},
    {"fm/bom", "Bom title | (none) | (none) | Bom text."},
    {"fm/bom-h1", "Bom heading | (none) | (none) | Text after bom heading."},
    {"fm/colon-yaml", "a: b | (none) | (none) | text"},
    {"fm/crlf-then-lf", "Mixed | (none) | (none) | before --- after the LF fence"},
    {"fm/dots-close", "Dots | (none) | (none) | text"},
    {"fm/dup-key", "One | how-to | (none) | Dup text."},
    {"fm/empty-block", "fm/empty-block | (none) | (none) | body of empty block"},
    {"fm/leading-blank", "Leading | (none) | (none) | text"},
    {"fm/list-value", "a, b | how-to | (none) | kept?"},
    {"fm/map-value", "Map title | (none) | (none) | Map text."},
    {"fm/open-space", "Open | (none) | (none) | text"},
    {"fm/tab-yaml", "ok | how-to | (none) | text"},
    {"fm/trailing-fence", "Trailing | (none) | (none) | --- After the rule."},
    {"fm/trailing-fence-only", "Trailing2 | (none) | (none) | No further rule."},
    {"fm/unclosed", "Unclosed | (none) | (none) | no closing fence"},
    {"fm/yaml-two-docs", "Doc one | (none) | (none) | Two docs text."},
};

TEST(ParseGolden, StrictRowsAreTheRecordedOnes) {
  EXPECT_THAT(differing_rows({.lenient = false}), testing::ContainerEq(kCodeIsNoText));
}

TEST(ParseGolden, LenientRowsDifferWhereTheOriginalLostSomething) {
  auto expected = kLost;
  expected.insert(kCodeIsNoText.begin(), kCodeIsNoText.end());
  EXPECT_THAT(differing_rows({}), testing::ContainerEq(expected));
}

TEST(ParseGolden, EveryLenientRowHasAFinding) {
  const auto files = samples(false);
  for (const auto& [id, was] : kLost) {
    const ParsedDocument parsed = parse_document(files.find(id)->second.bytes, {});
    EXPECT_FALSE(parsed.findings.empty()) << id;
  }
}

std::set<std::string> differing_bodies(const ParseOptions& options) {
  const auto files = samples(false);
  std::set<std::string> out;
  size_t compared = 0;
  for (const json::Value& line : recording("read-get.jsonl")) {
    const json::Value* answer = line.find("answer");
    if (!answer || line.find("note")) continue;
    const std::string shown = text_at(*answer, "id");
    const std::string recorded = text_at(*answer, "body");
    bool same = false;
    bool any = false;
    for (const std::string& id : {shown, shown + "/index"}) {
      for (auto [it, last] = files.equal_range(id); it != last; ++it) {
        any = true;
        const std::string_view bytes = it->second.bytes;
        same = same || bytes.substr(parse_document(bytes, options).body_offset) == recorded;
      }
    }
    compared += any ? 1 : 0;
    if (any && !same) out.insert(shown);
  }
  EXPECT_GT(compared, 100U);
  return out;
}

TEST(ParseGolden, R22_StrictBodiesAreTheRecordedOnes) {
  EXPECT_THAT(differing_bodies({.lenient = false}), testing::IsEmpty());
}

TEST(ParseGolden, LenientBodiesDifferWhereTheFenceWasNotSeen) {
  EXPECT_THAT(differing_bodies({}),
              testing::ElementsAre("fm/bom", "fm/bom-h1", "fm/crlf-then-lf", "fm/dots-close",
                                   "fm/empty-block", "fm/leading-blank", "fm/open-space",
                                   "fm/trailing-fence", "fm/trailing-fence-only", "fm/unclosed"));
}

// Prompts by name with their description, as R70–R73 serve them.
std::map<std::string, std::string> prompts(bool lenient) {
  std::map<std::string, std::string> out;
  for (const auto& [id, file] : samples(true)) {
    // Hidden by folders of the local root (R18).
    if (file.path.starts_with("shadow/") || file.path == "over/prompts/gone.md") continue;
    if (file.path.ends_with("nonutf8.md")) continue;  // R26
    const ParsedDocument parsed = parse_document(file.bytes, {.lenient = lenient, .prompt = true});
    if (!parsed.description) continue;
    const std::string name = parsed.name.value_or(fs::path(file.path).stem().string());
    if (check_name(name)) out.emplace(name, *parsed.description);
  }
  return out;
}

TEST(ParseGolden, R70_StrictPromptsAreTheRecordedOnes) {
  std::map<std::string, std::string> recorded;
  for (const json::Value& prompt :
       *recording("read-prompts.jsonl").at(0).find("answer")->find("prompts")->as_array()) {
    recorded[text_at(prompt, "name")] = text_at(prompt, "description");
  }
  recorded.erase("big");                   // made by materialize.py
  recorded["both"] = "both from global.";  // which root wins is the merge's business
  EXPECT_EQ(prompts(false), recorded);
}

TEST(ParseGolden, R70_LenientPromptsAreTheRecordedOnesAndAFewMore) {
  std::map<std::string, std::string> more = prompts(true);
  for (const auto& [name, description] : prompts(false)) {
    EXPECT_EQ(more[name], description) << name;
    more.erase(name);
  }
  const std::map<std::string, std::string> expected = {{"a", "d"},
                                                       {"bad-yaml", "Body."},
                                                       {"blank-desc", "Body."},
                                                       {"empty-block", "Body."},
                                                       {"no-desc", "Body."},
                                                       {"no-fm", "Body."}};
  EXPECT_EQ(more, expected);
}

}  // namespace
}  // namespace iii::content
