#include "directory/library/merger.h"

#include <algorithm>
#include <iterator>
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

SkillPtr make_row(const RegisteredDocument& document, FileRef place, std::string id, bool lenient,
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

  // `known` holds the rows of the generation before, then those of this one.
  void add_skills(const RegisteredRows& documents, Rows<SkillPtr>& known) {
    Rows<SkillPtr> now;
    std::vector<SkillPtr> rows;
    for (const RegisteredPtr& each : documents) {
      const RegisteredDocument& document = *each;
      const FileRef place{root_, std::string(kSkills) + document.key};
      const std::optional<std::string> id = free_id(document, place, rows);
      if (!id) continue;
      SkillPtr row = same_row(known, each);
      if (row == nullptr) row = make_row(document, place, *id, lenient_, ++revision_);
      rows.push_back(row);
      now.emplace(document.key, Known<SkillPtr>{each, std::move(row)});
    }
    known = std::move(now);
    out_->skills = merged(files_.skills, rows);
  }

  void add_prompts(const RegisteredRows& documents, Rows<PromptPtr>& known) {
    Rows<PromptPtr> now;
    std::vector<PromptPtr> rows;
    for (const RegisteredPtr& each : documents) {
      const RegisteredDocument& document = *each;
      const FileRef place{root_, std::string(kPrompts) + document.key};
      if (const Result<void> legal = content::check_name(document.key); !legal) {
        invalid(place, legal.error());
        continue;
      }
      if (const Prompt* file = files_.prompt(document.key)) {
        hidden(place, file->file);
        continue;
      }
      PromptPtr row = same_row(known, each);
      if (row == nullptr) {
        row = std::make_shared<const Prompt>(Prompt{.name = document.key,
                                                    .file = place,
                                                    .description = document.description,
                                                    .mtime_ns = document.time_ns,
                                                    .bytes = document.text.size(),
                                                    .version = {.ctime_ns = ++revision_}});
      }
      rows.push_back(row);
      now.emplace(document.key, Known<PromptPtr>{each, std::move(row)});
    }
    known = std::move(now);
    out_->prompts = merged(files_.prompts, rows);
  }

  GenerationPtr finish(uint64_t number, bool with_root) {
    out_->number = number;
    if (with_root) out_->roots.push_back({content::RootKind::kRegistered, "registered"});
    return std::move(out_);
  }

 private:
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

  template <typename Row>
  Row same_row(const Rows<Row>& known, const RegisteredPtr& document) const {
    const auto at = known.find(document->key);
    const bool same =
        at != known.end() && at->second.document == document && at->second.row->file.root == root_;
    return same ? at->second.row : nullptr;
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
  run.add_skills(registrations.skills, skills_);
  run.add_prompts(registrations.prompts, prompts_);
  return run.finish(number, !registrations.empty());
}

const RegisteredDocument* find_registered(const Registrations& registrations, const FileRef& file) {
  const bool prompt = file.path.starts_with(kPrompts);
  const auto key = std::string_view(file.path).substr(prompt ? kPrompts.size() : kSkills.size());
  return registrations.find(prompt ? ChangeKind::kPrompt : ChangeKind::kSkill, key).get();
}

}  // namespace iii::directory
