#include "directory/content/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "directory/content/frontmatter_yaml.h"
#include "directory/content/ids.h"
#include "directory/content/kinds.h"
#include "directory/content/parse.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::content {

namespace {

// How much of an oversize file is looked at: the longest frontmatter and a paragraph.
constexpr uint64_t kHead = 2 * kMaxFrontmatter;

std::string_view file_stem(std::string_view path) {
  const std::string_view name = file_name(path);
  return name.ends_with(".md") ? name.substr(0, name.size() - 3) : name;
}

// Under which id or name a file is served, and what there is to say about it.
struct Naming {
  std::string name;  // empty: not served
  bool normalised = false;
  std::optional<Finding> finding;
};

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

// At most one finding: what is wrong with the file's name, and what it is served as.
Naming name_skill(const Document& document, const std::string& path,
                  const ContentOptions& options) {
  std::string id = options.normalise_ids ? path_id(path) : derive_id(path);
  const Result<void> legal = check_id(id);
  if (!legal && !options.normalise_ids) {
    return {.finding = make_finding(document.root, path, findings::kInvalidId,
                                    sentence(legal.error().message))};
  }
  const std::string problem = legal ? "" : sentence(id_problem(id));
  Naming naming{.name = legal ? std::move(id) : normalise_id(id), .normalised = !legal};
  const auto say = [&](const findings::Code& code, const std::string& what) {
    naming.finding =
        make_finding(document.root, path, code, what + served_as_sentence(naming.name));
  };
  switch (options.normalise_ids ? overview_name(file_name(path)) : OverviewName::kNone) {
    case OverviewName::kSpelling:
      say(findings::kSkillCase, "Other readers look for exactly `SKILL.md`. Rename the file.");
      break;
    case OverviewName::kNear:
      say(findings::kNearSkill,
          "The file is not called `SKILL.md`, so it is not the overview of its folder. Rename it "
          "if it was meant to be.");
      break;
    default:
      if (!legal) say(findings::kIdNormalised, "The path is not an id: " + problem);
  }
  return naming;
}

Naming name_prompt(const Document& document, const std::string& path,
                   const std::optional<std::string>& given, const ContentOptions& options) {
  std::string name = given ? *given : std::string(file_stem(path));  // R71
  const Result<void> legal = check_name(name);
  if (legal) return {.name = std::move(name)};
  const std::string why = sentence(legal.error().message);
  if (!options.normalise_ids)
    return {.finding = make_finding(document.root, path, findings::kInvalidName, why)};
  Naming naming{.name = normalise_name(name), .normalised = true};
  naming.finding = make_finding(document.root, path, findings::kNameNormalised,
                                why + served_as_sentence(naming.name));
  return naming;
}

// R28: nothing but line feeds.
bool is_empty_body(std::string_view body) {
  return body.find_first_not_of('\n') == std::string_view::npos;
}

class Builder {
 public:
  Builder(Document& document, const std::string& path, const ContentOptions& options)
      : document_(document), path_(path), options_(options) {}

  void add(const findings::Code& code, std::string message) {
    findings_.push_back(make_finding(document_.root, path_, code, std::move(message)));
  }

  void take(std::vector<Finding> found) {
    for (Finding& finding : found) {
      finding.file = FileRef{document_.root, printable(path_)};
      findings_.push_back(std::move(finding));
    }
  }

  // `parsed` is null when the text could not be had; the row stays (R47). Of an oversize file it
  // is the beginning.
  void skill(ParsedDocument* parsed, bool whole = true) {
    Naming naming = name_skill(document_, path_, options_);
    if (naming.finding) findings_.insert(findings_.begin(), std::move(*naming.finding));
    if (naming.name.empty()) return finish("");
    document_.normalised = naming.normalised;
    auto skill = std::make_shared<Skill>();
    skill->id = std::move(naming.name);
    skill->file = {document_.root, path_};
    skill->bytes = document_.stamp.size;
    skill->mtime_ns = time();
    skill->readable = parsed != nullptr && whole;
    skill->version = version();
    if (parsed != nullptr) {
      const OwnKind own = own_kind(path_, *parsed);
      skill->kind = own.kind;
      skill->kind_by_folder = own.by_folder;
      skill->for_agents = parsed->for_agents;
      skill->title = title_of(*parsed, options_.title_from_name);
      if (parsed->name) skill->name = std::move(*parsed->name);
      skill->description =
          std::move(parsed->description ? *parsed->description : parsed->teaser);  // R31
      skill->type = std::move(parsed->type);
      skill->function_id = std::move(parsed->function_id);
      skill->required_functions = std::move(parsed->required_functions);
      // They are kept for long, and grew while they were read.
      skill->name.shrink_to_fit();
      skill->title.shrink_to_fit();
      skill->description.shrink_to_fit();
      if (document_.trusted) skill->body_offset = parsed->body_offset;
    }
    finish(skill->id);
    document_.skill = std::move(skill);
  }

  void prompt(ParsedDocument* parsed) {
    if (parsed == nullptr || !parsed->description) return finish("");  // R70; a finding says why
    Naming naming = name_prompt(document_, path_, parsed->name, options_);
    if (naming.finding) findings_.insert(findings_.begin(), std::move(*naming.finding));
    if (naming.name.empty()) return finish("");
    document_.normalised = naming.normalised;
    auto prompt = std::make_shared<Prompt>();
    prompt->name = std::move(naming.name);
    prompt->file = {document_.root, path_};
    prompt->description = std::move(*parsed->description);
    prompt->mtime_ns = time();
    prompt->bytes = document_.stamp.size;
    prompt->version = version();
    finish(prompt->name);
    document_.prompt = std::move(prompt);
  }

  void finish(const std::string& served_as) {
    if (findings_.empty()) return;
    if (!served_as.empty()) {
      for (Finding& finding : findings_) finding.served_as = served_as;
    }
    findings_.shrink_to_fit();
    document_.own = std::make_shared<const std::vector<Finding>>(std::move(findings_));
  }

 private:
  FileVersion version() const { return {document_.stamp.inode, document_.stamp.ctime_ns}; }
  int64_t time() const { return document_.stamp.inode == 0 ? kNoTime : document_.stamp.mtime_ns; }

  Document& document_;
  const std::string& path_;
  const ContentOptions& options_;
  std::vector<Finding> findings_;
};

void unreadable_document(Document& document, const std::string& path, const ContentOptions& options,
                         const findings::Code& code, const std::string& why) {
  Builder builder(document, path, options);
  const bool prompt = is_prompt_path(path);
  // R47: the row of a skill stays.
  builder.add(code,
              sentence(why) + (prompt ? " It is not served."
                                      : " Lists keep its row, but it cannot be read (D113)."));
  prompt ? builder.prompt(nullptr) : builder.skill(nullptr);
}

// Nothing reads prompts in parts.
void refuse_oversize_prompt(Document& document, const std::string& path,
                            const ContentOptions& options) {
  Builder builder(document, path, options);
  builder.add(findings::kPromptTooLarge,
              fmt::format("The prompt is larger than {} bytes. It is not served. Next: shorten it.",
                          read_limit(options)));
  builder.finish("");
}

// What an oversize file is comes from its beginning.
void read_oversize(Document& document, const RootFolder& folder, const std::string& path,
                   const ContentOptions& options, const std::string& why) {
  Result<FileBytes> head = folder.read_head(path, kHead);
  if (!head) return unreadable_document(document, path, options, findings::kUnreadable, why);
  document.stamp = head->stamp;
  std::string_view text = head->bytes;
  // The cut may have gone through a character.
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) {
    text.remove_suffix(1);
  }
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0U) text.remove_suffix(1);
  if (!is_utf8(text)) {
    return unreadable_document(document, path, options, findings::kNotUtf8,
                               "The file is not UTF-8 text.");
  }
  const bool prompt = is_prompt_path(path);
  ParsedDocument parsed = parse_document(text, {.lenient = options.lenient, .prompt = prompt});
  for (Finding& finding : parsed.findings) finding.fix.reset();  // made for the head, not the file
  // The fence may be closed in what was not read.
  std::erase_if(parsed.findings, [](const Finding& f) { return f.code == findings::kOpenFence; });
  Builder builder(document, path, options);
  if (prompt) {
    builder.add(findings::kPromptTooLarge, sentence(why) + " It cannot be read (D212).");
  } else {
    builder.add(findings::kTooLarge,
                fmt::format("The document is larger than {} bytes; it is served in parts only. "
                            "Next: split it.",
                            read_limit(options)));
  }
  builder.take(std::move(parsed.findings));
  prompt ? builder.prompt(&parsed) : builder.skill(&parsed, false);
}

template <typename T>
bool equal(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a && b ? *a == *b : !a && !b;
}

// Without what the folders above decide, and without what follows from the stamp.
bool equal(const SkillPtr& a, const SkillPtr& b) {
  if (!a || !b) return !a && !b;
  Skill other = *b;
  if (b->kind_by_folder) other.kind = a->kind;
  other.body_offset = a->body_offset;
  return *a == other;
}

}  // namespace

std::string title_of(ParsedDocument& parsed, bool from_name) {
  if (parsed.title) return std::move(*parsed.title);
  if (from_name && parsed.name) return *parsed.name;
  return std::move(parsed.heading);
}

FindingsPtr one_finding(uint16_t root, std::string_view path, const findings::Code& code,
                        std::string message) {
  return std::make_shared<const std::vector<Finding>>(
      1, make_finding(root, path, code, std::move(message)));
}

Finding make_finding(uint16_t root, std::string_view path, const findings::Code& code,
                     std::string message) {
  Finding finding;
  finding.file = {root, printable(path)};
  finding.severity = code.severity;
  finding.code = code;
  finding.message = std::move(message);
  return finding;
}

std::string served_as_sentence(std::string_view name) {
  return fmt::format(" It is served as `{}`.", name);
}

bool is_about_name(const Finding& finding) {
  return finding.code == findings::kIdNormalised || finding.code == findings::kNameNormalised ||
         finding.code == findings::kSkillCase || finding.code == findings::kNearSkill;
}

void understand_document(Document& document, const std::string& path, std::string_view bytes,
                         const ContentOptions& options) {
  const bool is_prompt = is_prompt_path(path);
  if (!is_utf8(bytes)) {
    return unreadable_document(document, path, options, findings::kNotUtf8,
                               "The file is not UTF-8 text.");
  }
  ParsedDocument parsed = parse_document(bytes, {.lenient = options.lenient, .prompt = is_prompt});
  Builder builder(document, path, options);
  if (bytes.size() > options.max_file_bytes) {
    builder.add(findings::kTooLarge,
                fmt::format("The document is too large ({} bytes; max {}). It is served anyway; "
                            "split it, so that readers need not load all of it.",
                            bytes.size(), options.max_file_bytes));
  }
  if (is_prompt) {
    if (options.lenient && !parsed.has_frontmatter && is_readme_file(path)) {
      builder.add(findings::kPromptReadme, "A README beside prompts is not a prompt itself.");
      return builder.finish("");
    }
    builder.take(std::move(parsed.findings));
    return builder.prompt(&parsed);
  }
  const bool empty = is_empty_body(bytes.substr(parsed.body_offset));
  if (empty) {
    builder.add(findings::kEmptyBody, "There is no text after the frontmatter.");
  }
  builder.take(std::move(parsed.findings));
  // R28, R47: for 0.8.0 a document without text cannot be read.
  builder.skill(empty && !options.lenient ? nullptr : &parsed);
}

void read_document(Document& document, const RootFolder& folder, const std::string& path,
                   const ContentOptions& options, int64_t now_ns) {
  if (!is_utf8(path)) {
    Builder builder(document, path, options);
    builder.add(findings::kNameNotUtf8,
                "The name is not UTF-8, so it cannot be an id. Rename the file.");
    document.trusted = false;
    return builder.finish("");
  }
  const Result<FileBytes> file = folder.read(path, read_limit(options));
  if (file) {
    document.stamp = file->stamp;
    document.trusted = file->stamp.settled(now_ns);
    return understand_document(document, path, file->bytes, options);
  }
  // What can be said of a file that cannot be read comes from looking at it once more.
  if (const Result<FileStatus> status = folder.status(path)) {
    document.stamp = status->stamp;
  }
  if (file.error().code != "too_large") {
    return unreadable_document(document, path, options, findings::kUnreadable,
                               file.error().message);
  }
  document.trusted = document.stamp.settled(now_ns);
  // As 0.8.0 does it: prompts of any size are listed (R72), of skills only the id is known (R47).
  const bool prompt = is_prompt_path(path);
  if (prompt && options.lenient) return refuse_oversize_prompt(document, path, options);
  if (prompt || options.lenient) {
    return read_oversize(document, folder, path, options, file.error().message);
  }
  unreadable_document(document, path, options, findings::kTooLarge, file.error().message);
}

namespace {

// Code and message.
std::pair<findings::Code, std::string> reason_of(Refusal why, std::string_view elsewhere) {
  switch (why) {
    case Refusal::kOutside:
      return {findings::kOutsideRoot,
              "The link leaves its root, so it is not followed. Copy what it points to, or link to "
              "it by a relative path inside the root."};
    case Refusal::kOtherRoot:
      return {findings::kOtherRoot,
              fmt::format("The link leads to {}, and is served there.", elsewhere)};
    case Refusal::kMisnamed:
      return {findings::kNearSkill,
              "The file is not called `SKILL.md`, so it is not served. Rename it if it was meant "
              "to be the overview of its folder."};
    case Refusal::kDangling:
      return {findings::kDanglingLink, "The link points to nothing."};
    case Refusal::kNotRegular:
      return {findings::kNotRegular,
              "Not a regular file (a pipe, socket or device), so it is never opened."};
    default:
      return {findings::kUnreadable, "It cannot be read (permission denied)."};
  }
}

}  // namespace

void refuse_document(Document& document, const std::string& path, Refusal why,
                     std::string_view elsewhere) {
  document.refusal = why;
  auto [code, message] = reason_of(why, elsewhere);
  document.own = one_finding(document.root, path, code, std::move(message));
}

bool same_outcome(const Document& a, const Document& b) {
  return a.refusal == b.refusal && a.normalised == b.normalised && equal(a.skill, b.skill) &&
         equal(a.prompt, b.prompt) && equal(a.own, b.own);
}

}  // namespace iii::content
