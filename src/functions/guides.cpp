#include "functions/guides.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/utf8.h"
#include "content/frontmatter_split.h"
#include "content/frontmatter_yaml.h"
#include "content/parse.h"
#include "library/registered_view.h"

namespace iii::directory {

namespace {

constexpr std::string_view kHowTo = "how-to";
constexpr std::string_view kLink = "iii://fn/";
constexpr size_t kMaxMentioned = 64 * 1024;  // bytes kept of one document
constexpr size_t kSlice = 64;                // documents read before others have their turn

content::YamlInterest wants(std::string_view key) {
  return key == "functions" ? content::YamlInterest::kValue : content::YamlInterest::kNone;
}

std::vector<std::string> declared(std::string_view bytes, bool lenient) {
  std::optional<content::Fences> fences = content::strict_fences(bytes);
  if (!fences && lenient) {
    if (const auto found = content::lenient_fences(bytes)) fences = found->fences;
  }
  if (!fences) return {};
  const auto yaml = content::read_yaml(
      bytes.substr(fences->yaml_begin, fences->yaml_end - fences->yaml_begin), wants);
  if (!yaml) return {};
  for (const content::YamlEntry& entry : yaml->entries) {
    if (entry.key != "functions") continue;
    if (entry.kind == content::YamlEntry::Kind::kList) return entry.items;
    if (entry.kind == content::YamlEntry::Kind::kText && lenient) return {entry.text};
  }
  return {};
}

bool may_be_in_an_id(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == ':' || c == '/';
}

std::string mentions_in(std::string_view body) {
  std::set<std::string_view> words;
  size_t begin = 0;
  while (begin < body.size()) {
    if (!may_be_in_an_id(body[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < body.size() && may_be_in_an_id(body[end])) ++end;
    const std::string_view word = body.substr(begin, end - begin);
    if (word.find("::") != std::string_view::npos || word.find(kLink) != std::string_view::npos) {
      words.insert(word);
    }
    begin = end;
  }
  std::string out;
  for (const std::string_view word : words) {
    if (out.size() + word.size() >= kMaxMentioned) break;
    out.append(word).push_back('\n');
  }
  return out;
}

bool declares(const GuideDocument& document, std::string_view function_id) {
  const auto& functions = document.frontmatter.functions;
  return std::ranges::find(functions, function_id) != functions.end() ||
         document.frontmatter.function_id == function_id;
}

std::string link_to(std::string_view function_id) {
  std::string out(kLink);
  for (size_t i = 0; i < function_id.size(); ++i) {
    if (function_id.substr(i, 2) == "::") {
      out += '/';
      ++i;
    } else {
      out += function_id[i];
    }
  }
  return out;
}

bool speaks_of_functions(const GuideDocument& document) {
  return !document.mentioned.empty() || !document.frontmatter.functions.empty() ||
         document.frontmatter.function_id;
}

bool is_how_to(const GuideDocument& document) { return document.frontmatter.type == kHowTo; }

std::string without_suffix(std::string_view path) {
  if (path.ends_with(".md")) path.remove_suffix(3);
  return std::string(path);
}

}  // namespace

GuideDocument read_guide(std::string skill_id, content::FileRef file, std::string_view bytes,
                         bool lenient) {
  content::ParsedDocument parsed =
      content::parse_document(bytes, {.lenient = lenient, .prompt = false});
  GuideDocument out{.skill_id = std::move(skill_id),
                    .file = std::move(file),
                    .title = parsed.title.value_or(parsed.heading),
                    .frontmatter = {.type = std::move(parsed.type),
                                    .functions = declared(bytes, lenient),
                                    .function_id = std::move(parsed.function_id),
                                    .title = std::move(parsed.title)},
                    .mentioned = mentions_in(bytes.substr(parsed.body_offset))};
  if (out.title.empty()) out.title = out.skill_id;
  return out;
}

const GuideDocument* find_guide(const GuideDocuments& documents, std::string_view function_id) {
  for (const auto& document : documents) {
    if (is_how_to(*document) && declares(*document, function_id)) return document.get();
  }
  const std::string link = link_to(function_id);
  for (const auto& document : documents) {
    if (is_how_to(*document) && document->mentioned.find(link) != std::string::npos) {
      return document.get();
    }
  }
  return nullptr;
}

std::vector<RelatedSkill> related_to(const GuideDocuments& documents, std::string_view function_id,
                                     const GuideDocument* guide) {
  const std::string link = link_to(function_id);
  // A lone word such as `list` is in every other sentence: only ids with `::` are looked for.
  const bool by_name = function_id.find("::") != std::string_view::npos;
  std::vector<RelatedSkill> out;
  for (const auto& document : documents) {
    if (document.get() == guide) continue;
    if (declares(*document, function_id) || document->mentioned.find(link) != std::string::npos ||
        (by_name && document->mentioned.find(function_id) != std::string::npos)) {
      out.push_back({.title = document->title, .skill_id = document->skill_id});
    }
  }
  return out;
}

Guides::Seen Guides::look_at(const content::Generation& generation, std::shared_ptr<const void> row,
                             std::string skill_id, const content::FileRef& file) {
  Seen out{.row = std::move(row), .document = nullptr};
  const Result<FileBytes> bytes = content_.read(generation, file);
  if (!bytes || !is_utf8(bytes->bytes)) return out;
  GuideDocument document = read_guide(std::move(skill_id), file, bytes->bytes, content_.lenient());
  // Most documents speak of no function at all: those cost nothing more.
  if (speaks_of_functions(document)) {
    out.document = std::make_shared<GuideDocument>(std::move(document));
  }
  return out;
}

sdk::Task<GuideDocuments> Guides::documents(content::GenerationPtr generation) {
  if (generation == known_) co_return ready_;
  struct Row {
    std::shared_ptr<const void> row;
    std::string id;
    const content::FileRef* file;
  };
  std::vector<Row> rows;
  for (const content::SkillPtr& skill : generation->skills) {
    rows.push_back({.row = skill, .id = skill->id, .file = &skill->file});
  }
  for (const content::PromptPtr& prompt : generation->prompts) {
    rows.push_back({.row = prompt, .id = without_suffix(prompt->file.path), .file = &prompt->file});
  }
  SeenRows seen;
  size_t read = 0;
  for (Row& row : rows) {
    const void* key = row.row.get();
    if (const auto before = seen_.find(key); before != seen_.end()) {
      seen.insert_or_assign(key, before->second);
      continue;
    }
    Seen fresh = look_at(*generation, row.row, row.id, *row.file);
    seen.insert_or_assign(key, fresh);
    seen_.insert_or_assign(key, std::move(fresh));
    if (++read % kSlice == 0) {
      co_await worker_.sleep(std::chrono::milliseconds(0));
    }
  }
  GuideDocuments out;
  for (const auto& [key, each] : seen) {
    if (each.document) out.push_back(each.document);
  }
  std::ranges::sort(out, {},
                    [](const auto& document) { return std::string_view(document->skill_id); });
  known_ = std::move(generation);
  ready_ = out;
  seen_ = std::move(seen);
  co_return out;
}

std::string Guides::body_of(const content::Generation& generation, const content::FileRef& file) {
  const Result<FileBytes> bytes = content_.read(generation, file);
  if (!bytes) return "";
  std::string body = bytes->bytes.substr(
      content::body_offset(bytes->bytes, {.lenient = content_.lenient(), .prompt = false}));
  body.erase(0, std::min(body.find_first_not_of('\n'), body.size()));
  while (body.ends_with('\n')) body.pop_back();
  return body;
}

template <Line L>
sdk::Task<Guides::Found<L>> Guides::about(std::string function_id) {
  if (registered_ != nullptr && !registered_->is_fresh()) {
    co_await registered_->refresh();
  }
  const content::GenerationPtr generation = content_.fresh();
  const GuideDocuments all = co_await documents(generation);
  Found<L> out;
  const GuideDocument* guide = find_guide(all, function_id);
  if (guide != nullptr) {
    const std::filesystem::path root = root_path_(guide->file.root);
    out.guide = HowGuide<L>{
        .skill_id = guide->skill_id,
        .title = guide->title,
        .abs_path = root.empty() ? guide->file.path : (root / guide->file.path).string(),
        .frontmatter = guide->frontmatter,
        .body = body_of(*generation, guide->file)};
  }
  if constexpr (L == Line::k051) out.related = related_to(all, function_id, guide);
  co_return out;
}

template sdk::Task<Guides::Found<Line::k041>> Guides::about(std::string);
template sdk::Task<Guides::Found<Line::k051>> Guides::about(std::string);

}  // namespace iii::directory
