#include "directory/library/merger.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "directory/content/findings.h"
#include "directory/content/ids.h"
#include "directory/content/parse.h"

namespace iii::directory {

namespace {

using content::FileRef;
using content::Finding;
using content::Generation;
using content::GenerationPtr;
using content::Prompt;
using content::PromptPtr;
using content::Skill;
using content::SkillPtr;

constexpr std::string_view kSkills = "skills/";
constexpr std::string_view kPrompts = "prompts/";

const std::string& key_of(const SkillPtr& row) { return row->id; }
const std::string& key_of(const PromptPtr& row) { return row->name; }

template <typename Row>
content::Rows<Row> merged(content::Rows<Row> files, const std::vector<Row>& registered) {
  const auto key = [](const Row& row) -> const std::string& { return key_of(row); };
  for (const Row& row : registered) {
    const auto after = std::ranges::upper_bound(files, key(row), {}, key);
    files.insert(static_cast<size_t>(after - files.begin()), row);
  }
  return files;
}

SkillPtr skill_row(const RegisteredDocument& document, FileRef place, std::string id, bool lenient,
                   int64_t revision) {
  content::ParsedDocument parsed = content::parse_document(document.text, {.lenient = lenient});
  auto skill = std::make_shared<Skill>();
  skill->id = std::move(id);
  skill->file = std::move(place);
  skill->title = std::move(parsed.title ? *parsed.title : parsed.heading);                   // R29
  skill->description = std::move(parsed.description ? *parsed.description : parsed.teaser);  // R31
  skill->name = std::move(parsed.name).value_or("");
  skill->for_agents = parsed.for_agents;
  skill->type = std::move(parsed.type);
  skill->function_id = std::move(parsed.function_id);
  skill->required_functions = std::move(parsed.required_functions);
  skill->bytes = document.text.size();
  skill->mtime_ns = document.time_ns;
  skill->version.ctime_ns = revision;
  return skill;
}

}  // namespace

// The making of one generation.
class GenerationMerger::Run {
 public:
  Run(const Generation& files, bool lenient, int64_t& revision)
      : files_(files), lenient_(lenient), revision_(revision) {
    out_->roots = files.roots;
    out_->accounting = files.accounting;
    out_->accounting_of_roots = files.accounting_of_roots;
    out_->findings = files.findings;
    root_ = static_cast<uint16_t>(out_->roots.size());
  }

  void add(const Registrations& registrations, Rows<SkillPtr>& skills, Rows<PromptPtr>& prompts) {
    out_->skills = with(files_.skills, registrations.skills, kSkills, skills);
    out_->prompts = with(files_.prompts, registrations.prompts, kPrompts, prompts);
  }

  GenerationPtr finish(uint64_t number, bool with_root) {
    out_->number = number;
    if (with_root) out_->roots.push_back({content::RootKind::kRegistered, "registered"});
    return std::move(out_);
  }

 private:
  // `known` holds the rows of the generation before, then those of this one.
  template <typename Row>
  content::Rows<Row> with(const content::Rows<Row>& files, const RegisteredRows& documents,
                          std::string_view folder, Rows<Row>& known) {
    Rows<Row> now;
    std::vector<Row> rows;
    for (const RegisteredPtr& document : documents) {
      const FileRef place{root_, std::string(folder) + document->key};
      const std::optional<std::string> id = free_id(*document, place, rows);
      if (!id) continue;
      const auto before = known.find(document);
      Row row =
          before != known.end() && before->second->file.root == root_ ? before->second : nullptr;
      if (row == nullptr) row = make_row<Row>(*document, place, *id);
      rows.push_back(row);
      now.emplace(document, std::move(row));
    }
    known = std::move(now);
    return merged(files, rows);
  }

  template <typename Row>
  Row make_row(const RegisteredDocument& document, const FileRef& place, const std::string& id) {
    if constexpr (std::is_same_v<Row, SkillPtr>) {
      return skill_row(document, place, id, lenient_, ++revision_);
    } else {
      return std::make_shared<const Prompt>(Prompt{.name = id,
                                                   .file = place,
                                                   .description = document.description,
                                                   .mtime_ns = document.time_ns,
                                                   .bytes = document.text.size(),
                                                   .version = {.ctime_ns = ++revision_}});
    }
  }

  // The on-disk id under which it is served, unless something stands in its way.
  std::optional<std::string> free_id(const RegisteredDocument& document, const FileRef& place,
                                     const std::vector<SkillPtr>& rows) {
    const bool bare = document.key.find('/') == std::string::npos;
    std::string id = bare ? document.key + "/index" : document.key;
    if (const Result<void> legal = content::check_id(id); !legal) {
      invalid(place, legal.error());
      return std::nullopt;
    }
    const Skill* file = files_.skill(id);
    if (file == nullptr && bare) file = files_.skill(document.key);
    if (file != nullptr) {
      hidden(place, file->file);
      return std::nullopt;
    }
    // `mail` comes before `mail/index`, which would be the same.
    const auto same_id = [&id](const SkillPtr& row) { return row->id == id; };
    if (const auto other = bare ? rows.end() : std::ranges::find_if(rows, same_id);
        other != rows.end()) {
      hidden(place, (*other)->file);
      return std::nullopt;
    }
    return id;
  }

  std::optional<std::string> free_id(const RegisteredDocument& document, const FileRef& place,
                                     const std::vector<PromptPtr>&) {
    if (const Result<void> legal = content::check_name(document.key); !legal) {
      invalid(place, legal.error());
    } else if (const Prompt* file = files_.prompt(document.key)) {
      hidden(place, file->file);
    } else {
      return document.key;
    }
    return std::nullopt;
  }

  void hidden(const FileRef& place, const FileRef& by) {
    const std::string root = by.root == root_ ? "registered" : files_.roots[by.root].label;
    add_finding(place, content::findings::kRegisteredHidden,
                "It is registered but not served: " + root + ":" + by.path +
                    " has the same id. Unregister it, or give one of the two another id.");
  }
  void invalid(const FileRef& place, const Error& why) {
    add_finding(place, content::findings::kRegisteredInvalid,
                "It is registered but not served: " + why.message);
  }
  void add_finding(const FileRef& place, const content::findings::Code& code, std::string message) {
    Finding finding;
    finding.file = place;
    finding.severity = code.severity;
    finding.code = code;
    finding.message = std::move(message);
    out_->findings.push_back(std::make_shared<const std::vector<Finding>>(1, std::move(finding)));
  }

  const Generation& files_;
  const bool lenient_;
  int64_t& revision_;
  std::shared_ptr<Generation> out_ = std::make_shared<Generation>();
  uint16_t root_ = 0;
};

GenerationPtr GenerationMerger::merge(const Generation& files, const Registrations& registrations,
                                      uint64_t number, bool lenient) {
  Run run(files, lenient, revision_);
  run.add(registrations, skills_, prompts_);
  return run.finish(number, !registrations.empty());
}

const RegisteredDocument* find_registered(const Registrations& registrations, const FileRef& file) {
  const bool prompt = file.path.starts_with(kPrompts);
  const auto key = std::string_view(file.path).substr(prompt ? kPrompts.size() : kSkills.size());
  return registrations.find(prompt ? ChangeKind::kPrompt : ChangeKind::kSkill, key).get();
}

}  // namespace iii::directory
