#include "directory/discovery/guides.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "directory/content/parse.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

constexpr std::string_view kHowTo = "how-to";
constexpr std::string_view kLink = "iii://fn/";
constexpr size_t kMaxMentioned = 64 * 1024;  // bytes kept of one document

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

bool mentions_functions(const GuideDocument& document) {
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
                                    .functions = std::move(parsed.functions),
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
      out.push_back({{.id = document->skill_id, .title = document->title}});
    }
  }
  return out;
}

static std::string id_of(const content::Skill& skill) { return skill.id; }
static std::string id_of(const content::Prompt& prompt) { return guide_id_of(prompt.file.path); }

// The documents of the last generation that was asked about. Used by one thread at a time.
class Guides::Index {
 public:
  explicit Index(Library& library) : library_(library) {}

  struct Answer {
    FoundGuides found;
    content::FileRef file;  // of the guide
  };
  Result<Answer> about(const View& view, const std::string& function_id) {
    update(view);
    Answer out;
    const GuideDocument* guide = find_guide(documents_, function_id);
    out.found.related = related_to(documents_, function_id, guide);
    if (guide == nullptr) return out;
    Result<std::string> body = body_of(view, *guide);
    if (!body) return std::unexpected(std::move(body.error()));
    out.file = guide->file;
    out.found.guide = HowGuide{.skill_id = guide->skill_id,
                               .title = guide->title,
                               .frontmatter = guide->frontmatter,
                               .body = std::move(*body)};
    return out;
  }

 private:
  // By the row of a generation; null: unreadable, or about no function.
  using SeenRows = std::map<std::shared_ptr<const void>, std::shared_ptr<const GuideDocument>>;

  void update(const View& view) {
    if (view.shared_generation() == generation_) return;
    SeenRows now;
    for (const content::SkillPtr& row : view.generation().skills) add(view, row, now);
    for (const content::PromptPtr& row : view.generation().prompts) add(view, row, now);
    seen_ = std::move(now);
    documents_.clear();
    for (const auto& [row, document] : seen_) {
      if (document != nullptr) documents_.push_back(document);
    }
    std::ranges::sort(documents_, {},
                      [](const auto& document) { return std::string_view(document->skill_id); });
    generation_ = view.shared_generation();
  }

  template <typename Row>
  void add(const View& view, const std::shared_ptr<const Row>& row, SeenRows& now) {
    const auto before = seen_.find(row);
    now.emplace(row, before != seen_.end() ? before->second : read(view, *row));
  }

  template <typename Row>
  std::shared_ptr<const GuideDocument> read(const View& view, const Row& row) {
    const Result<FileBytes> file = library_.read_file(view, row);
    if (!file || !is_utf8(file->bytes)) return nullptr;
    const bool lenient = view.snapshot().folders->content->lenient();
    GuideDocument document = read_guide(id_of(row), row.file, file->bytes, lenient);
    // Most documents mention no function at all: those cost nothing more.
    if (!mentions_functions(document)) return nullptr;
    return std::make_shared<GuideDocument>(std::move(document));
  }

  Result<std::string> body_of(const View& view, const GuideDocument& guide) {
    Result<Body> body = fail("missing", "it is not served");
    if (const content::Skill* skill = view.generation().skill(guide.skill_id)) {
      body = library_.read(view, *skill);
    } else {
      for (const content::PromptPtr& prompt : view.generation().prompts) {
        if (id_of(*prompt) == guide.skill_id) body = library_.read(view, *prompt);
      }
    }
    if (!body && body.error().code == kStale) return std::unexpected(body.error());
    std::string text = body ? std::move(body->text) : std::string();
    text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  Library& library_;
  content::GenerationPtr generation_;
  GuideDocuments documents_;
  SeenRows seen_;
};

Guides::Guides(Library& library, RootPath root_path)
    : library_(library),
      root_path_(std::move(root_path)),
      index_(std::make_shared<Index>(library)) {}

task::Task<FoundGuides> Guides::about(std::string function_id) {
  const auto answer = [&](const View& view) -> task::Task<Result<Index::Answer>> {
    co_return co_await library_.on_reading_thread(
        [index = index_, view, function_id] { return index->about(view, function_id); });
  };
  Result<Index::Answer> made = co_await library_.answer_from({.filtered = false}, answer);
  if (!made) co_return FoundGuides();
  if (made->found.guide) {
    const std::filesystem::path root = root_path_(made->file.root);
    made->found.guide->abs_path =
        root.empty() ? made->file.path : (root / made->file.path).string();
  }
  co_return std::move(made->found);
}

}  // namespace iii::directory
