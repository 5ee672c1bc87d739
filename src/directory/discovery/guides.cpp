#include "directory/discovery/guides.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "directory/content/frontmatter_split.h"
#include "directory/content/frontmatter_yaml.h"
#include "directory/content/parse.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

constexpr std::string_view kHowTo = "how-to";
constexpr std::string_view kLink = "iii://fn/";
constexpr size_t kMaxMentioned = 64 * 1024;  // bytes kept of one document
constexpr size_t kReadPerSlice = 64;         // documents read before others have their turn

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

std::string guide_id_of(std::string_view path) {
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

static std::string id_of(const content::Skill& skill) { return skill.id; }
static std::string id_of(const content::Prompt& prompt) { return guide_id_of(prompt.file.path); }

template <typename Row>
Guides::Seen Guides::read_row(const View& view, const std::shared_ptr<const Row>& row) {
  Seen out{.row = row, .document = nullptr};
  const Result<FileBytes> file = library_.read_file(view, *row);
  if (!file || !is_utf8(file->bytes)) return out;
  const bool lenient = view.snapshot().folders->content->lenient();
  GuideDocument document = read_guide(id_of(*row), row->file, file->bytes, lenient);
  // Most documents mention no function at all: those cost nothing more.
  if (speaks_of_functions(document)) {
    out.document = std::make_shared<GuideDocument>(std::move(document));
  }
  return out;
}

template <typename Row>
task::Task<void> Guides::add_rows(const View& view,
                                  const content::Rows<std::shared_ptr<const Row>>& rows,
                                  SeenRows& seen) {
  size_t read = 0;
  for (const std::shared_ptr<const Row>& row : rows) {
    if (const auto before = seen_.find(row.get()); before != seen_.end()) {
      seen.insert_or_assign(row.get(), before->second);
      continue;
    }
    Seen fresh = read_row(view, row);
    seen.insert_or_assign(row.get(), fresh);
    seen_.insert_or_assign(row.get(), std::move(fresh));
    if (++read % kReadPerSlice == 0) co_await worker_.sleep(std::chrono::milliseconds(0));
  }
}

task::Task<GuideDocuments> Guides::documents(const View& view) {
  if (view.shared_generation() == known_) co_return ready_;
  SeenRows seen;
  co_await add_rows(view, view.generation().skills, seen);
  co_await add_rows(view, view.generation().prompts, seen);
  GuideDocuments out;
  for (const auto& [key, each] : seen) {
    if (each.document) out.push_back(each.document);
  }
  std::ranges::sort(out, {},
                    [](const auto& document) { return std::string_view(document->skill_id); });
  known_ = view.shared_generation();
  ready_ = out;
  seen_ = std::move(seen);
  co_return out;
}

Result<std::string> Guides::body_of(const View& view, const GuideDocument& guide) {
  Result<Body> body = fail("missing", "it is not served");
  if (const content::Skill* skill = view.generation().skill(guide.skill_id)) {
    body = library_.read(view, *skill);
  } else {
    for (const content::PromptPtr& prompt : view.generation().prompts) {
      if (id_of(*prompt) == guide.skill_id) body = library_.read(view, *prompt);
    }
  }
  if (!body) {
    if (body.error().code == kStale) return std::unexpected(body.error());
    return "";
  }
  std::string text = std::move(body->text);
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

template <Line L>
task::Task<Result<Guides::Found<L>>> Guides::about(const View& view,
                                                   const std::string& function_id) {
  const GuideDocuments all = co_await documents(view);
  Found<L> out;
  const GuideDocument* guide = find_guide(all, function_id);
  if (guide != nullptr) {
    Result<std::string> body = body_of(view, *guide);
    if (!body) co_return std::unexpected(std::move(body.error()));
    const std::filesystem::path root = root_path_(guide->file.root);
    out.guide = HowGuide<L>{
        .skill_id = guide->skill_id,
        .title = guide->title,
        .abs_path = root.empty() ? guide->file.path : (root / guide->file.path).string(),
        .frontmatter = guide->frontmatter,
        .body = std::move(*body)};
  }
  if constexpr (L == Line::k051) out.related = related_to(all, function_id, guide);
  co_return out;
}

template <Line L>
task::Task<Guides::Found<L>> Guides::about(std::string function_id) {
  Result<Found<L>> found = co_await library_.answer_from(
      {.filtered = false}, [&](const View& view) { return about<L>(view, function_id); });
  co_return found ? std::move(*found) : Found<L>();
}

template task::Task<Guides::Found<Line::k041>> Guides::about(std::string);
template task::Task<Guides::Found<Line::k051>> Guides::about(std::string);

}  // namespace iii::directory
