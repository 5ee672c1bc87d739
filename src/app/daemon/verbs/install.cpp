// `add` (`install`): skills of a repository, of a folder, or of a worker.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "app/daemon/config_read.h"
#include "app/daemon/verbs/installing.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/ask.h"
#include "faces/cli/interrupt.h"
#include "faces/cli/output.h"
#include "faces/cli/table.h"
#include "foundation/base/counted.h"
#include "foundation/base/text.h"

namespace iii::daemon {

namespace {

constexpr std::array<std::string_view, 8> kSourceOptions = {"repo", "skill", "path", "as",
                                                            "ref",  "tag",   "list", "all"};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string flat(text);
  std::ranges::replace(flat, ',', ' ');
  for (const std::string_view word : split(flat, ' ')) {
    if (!word.empty()) out.emplace_back(word);
  }
  return out;
}

// A word that means something else may also be the name of a folder here; whoever typed it may have
// meant that.
void tell_folder(const std::string& word, bool repo) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (sources::is_local_word(word) || word.find(':') != std::string::npos) return;
  const bool meant =
      repo ? fs::is_directory(word, failed) : fs::exists(fs::path(word) / "SKILL.md", failed);
  if (!meant) return;
  cli::note(
      "Note: {} is taken as a {}; there is also a folder of that name here. Next: `iii-directory "
      "add ./{}` "
      "installs from the folder.\n",
      word, repo ? "repository on GitHub" : "worker of the registry", word);
}

// The words of the command line as fields. `SOURCE` is told from `WORKER` by its slash.
Result<sources::SourceFields> asked_fields(const cli::Args& args) {
  sources::SourceFields fields;
  fields.repo = args.value("repo");
  fields.skill = args.value("skill");
  fields.path = args.value("path");
  fields.as = args.value("as");
  fields.ref = args.value("ref");
  fields.tag = args.value("tag");
  if (args.positionals().empty()) return fields;
  const std::string& word = args.positionals().front();
  const bool repo = sources::is_local_word(word) || word.find('/') != std::string::npos ||
                    word.starts_with("git@");
  tell_folder(word, repo);
  if (repo && fields.repo) {
    return fail("usage", "the repository is given twice: as `" + word + "` and with --repo");
  }
  if (repo) {
    fields.repo = word;
  } else {
    const size_t at = word.find('@');
    fields.worker = word.substr(0, at);
    if (at != std::string::npos) fields.version = word.substr(at + 1);
  }
  return fields;
}

// A local folder is named by its whole path from here on.
void make_local(sources::SourceFields& fields) {
  if (!fields.repo || !sources::is_local_word(*fields.repo)) return;
  std::string path = *fields.repo;
  if (path.starts_with("file://")) path.erase(0, 7);
  if (path.starts_with("~/")) path = home_folder() + path.substr(1);
  fields.repo = "file://" + std::filesystem::absolute(path).lexically_normal().string();
  while (fields.repo->ends_with('/')) fields.repo->pop_back();
  fields.local = true;
}

// For `./folder@name`, which names a skill as sources on servers do.
std::string meant_skill(const std::filesystem::path& folder, const std::string& typed) {
  const size_t at = typed.rfind('@');
  const size_t in_path = folder.string().rfind('@');
  if (at == std::string::npos || in_path == std::string::npos) return "";
  const std::string name = typed.substr(at + 1);
  std::error_code ignored;
  const bool there = std::filesystem::is_directory(folder.string().substr(0, in_path), ignored);
  if (!there || name.empty() || name.contains('/')) return "";
  return " Did you mean `" + typed.substr(0, at) + " --skill " + name + "`?";
}

// What somebody typed has to be there; `typed` is in their words.
Result<void> check_folder(const sources::SourceFields& fields, const std::string& typed) {
  namespace fs = std::filesystem;
  if (!fields.local) return {};
  const fs::path folder = fields.repo->substr(std::string_view("file://").size());
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return {};
  if (fs::exists(folder, ignored)) {
    return fail("D310", "D310 not_found: " + typed + " is not a folder. Next: name the folder of " +
                            "the skill, or one that has several.");
  }
  std::string meant = meant_skill(folder, typed);
  std::vector<std::string> beside;
  std::error_code failed;
  for (fs::directory_iterator entry(folder.parent_path(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->is_directory(ignored)) beside.push_back(entry->path().filename().string());
  }
  if (meant.empty()) meant = cli::did_you_mean(folder.filename().string(), beside);
  return fail("D310", "D310 not_found: there is no folder " + typed +
                          (typed == folder ? "" : " (" + folder.string() + ")") + "." + meant +
                          " Next: check the path.");
}

int print_listing(const Installing& to, const sources::RepoListing& listing) {
  if (to.args().has("json")) {
    cli::print_json(json::encode(listing));
    return 0;
  }
  const cli::Screen screen = cli::screen_of(to.args());
  cli::Table table({{"PATH", cli::Style::kName}, {"NAME"}, {"DESCRIPTION", cli::Style::kDim}});
  for (const sources::ListedSkill& skill : listing.skills) {
    table.add({skill.path, skill.name.value_or(""), skill.description.value_or("")});
  }
  cli::print_styled(table.text(screen), screen);
  cli::note("{}\n", counted(listing.skills.size(), "skill"));
  return 0;
}

using Choices = std::vector<const sources::ListedSkill*>;

// Those that can be installed by themselves.
Choices choices_of(const sources::RepoListing& listing) {
  Choices out;
  for (const sources::ListedSkill& skill : listing.skills) {
    if (skill.name_space) out.push_back(&skill);
  }
  return out;
}

std::unexpected<Error> several_skills(const Choices& skills) {
  constexpr size_t kShown = 10;
  std::vector<std::string> paths;
  for (const sources::ListedSkill* skill : skills) {
    if (paths.size() < kShown) paths.push_back(skill->path);
  }
  return fail("D310", "D310 ambiguous: the repository has " + std::to_string(skills.size()) +
                          " skills: " + join(paths, ", ") + (skills.size() > kShown ? ", …" : "") +
                          ". Next: name one with --skill or --path, or take --all; --list shows "
                          "what each is for");
}

// The numbers that a person typed, such as `1 3-5`; `all`. Nothing: what was typed is not that.
std::optional<std::vector<size_t>> numbers_in(std::string_view answer, size_t count) {
  std::vector<size_t> out;
  for (const std::string& word : words_of(answer)) {
    if (word == "all" || word == "a") {
      for (size_t i = 0; i < count; ++i) out.push_back(i);
      continue;
    }
    const size_t dash = word.find('-');
    const auto most = static_cast<int64_t>(count);
    const auto first = cli::number("", word.substr(0, dash), 1, most);
    const auto last =
        dash == std::string::npos ? first : cli::number("", word.substr(dash + 1), 1, most);
    if (!first || !last || *last < *first) return std::nullopt;
    for (int64_t i = *first; i <= *last; ++i) out.push_back(static_cast<size_t>(i - 1));
  }
  return out;
}

// Which of them, asked on the terminal; none: nobody wants any.
Choices ask_which(const Choices& skills) {
  const cli::Screen screen{
      .terminal = true, .colours = false, .width = cli::terminal_width(STDERR_FILENO)};
  cli::Table table({{"#"}, {"NAME"}, {"DESCRIPTION"}});
  for (size_t i = 0; i < skills.size(); ++i) {
    table.add({std::to_string(i + 1), skills[i]->name.value_or(skills[i]->path),
               skills[i]->description.value_or("")});
  }
  cli::note_text(table.text(screen).text(false));
  while (const auto answer = cli::ask_line("Which? Numbers such as `1 3-5`, `all`, or nothing:")) {
    const auto numbers = numbers_in(*answer, skills.size());
    if (!numbers) {
      cli::note("That is not a number from 1 to {}.\n", skills.size());
      continue;
    }
    Choices out;
    for (const size_t at : *numbers) out.push_back(skills[at]);
    return out;
  }
  return {};
}

class AddVerb {
 public:
  AddVerb(Installing& to, sources::SourceFields fields)
      : to_(to), args_(to.args()), fields_(std::move(fields)) {}

  int run() {
    if (args_.has("list")) {
      const auto listing = list();
      return listing ? print_listing(to_, *listing) : to_.complain(listing.error());
    }
    if (args_.has("all")) return several(nullptr);
    if (fields_.repo && !fields_.skill && !fields_.path) {
      const sources::RepoAddress address = sources::parse_repo(*fields_.repo);
      if (!address.skill && !address.path) return choose();
    }
    return one();
  }

 private:
  void add(json::Object& input, const char* key, const std::optional<std::string>& value) const {
    if (value) input.emplace(key, *value);
  }
  json::Object repository() const {
    json::Object input;
    add(input, "repo", fields_.repo);
    add(input, "ref", fields_.ref);
    add(input, "path", fields_.path);
    return input;
  }
  json::Object with_wishes(json::Object input) const {
    if (args_.has("force")) input.emplace("force", true);
    if (args_.has("accept-risks")) input.emplace("accept_risks", true);
    return input;
  }
  std::string about() const {
    if (fields_.worker) return *fields_.worker;
    if (!fields_.repo) return "add";
    return std::string(sources::repository_name(sources::parse_repo(*fields_.repo).repo));
  }
  Result<sources::RepoListing> list() {
    return to_.ask<sources::RepoListing>(about(), "directory::repo::skills", repository());
  }

  // Without a name it is clear what is meant only where there is one skill; else somebody is asked.
  int choose() {
    const auto listing = list();
    if (!listing) return to_.complain(listing.error());
    const Choices skills = choices_of(*listing);
    if (skills.empty()) {
      return to_.complain(
          {"D310", std::string("D310 not_found: ") +
                       (fields_.local ? "the folder has no SKILL.md. Next: name a folder that has "
                                        "one, at its top or further down"
                                      : "the repository has no SKILL.md. Next: check the address "
                                        "and --ref")});
    }
    if (skills.size() == 1) return take(*skills.front());
    if (!cli::can_ask() || args_.has("json") || args_.has("yes") || fields_.as) {
      return to_.complain(several_skills(skills).error());
    }
    const Choices chosen = ask_which(skills);
    if (chosen.empty()) return not_done("Nothing was installed.", 0);
    return chosen.size() == 1 ? take(*chosen.front()) : several(&chosen);
  }
  int take(const sources::ListedSkill& skill) {
    fields_.path = skill.path;
    if (skill.path == ".") fields_.skill = skill.name_space;
    return one();
  }

  // Null: all of them.
  int several(const Choices* chosen) {
    json::Object input = with_wishes(repository());
    if (chosen != nullptr) {
      json::Array paths;
      for (const sources::ListedSkill* skill : *chosen) paths.emplace_back(skill->path);
      input.emplace("skills", std::move(paths));
    }
    const auto outcomes = to_.install<directory::OutcomesOutput>(
        about(), "directory::repo::download", std::move(input));
    return outcomes ? to_.print(*outcomes) : to_.complain(outcomes.error());
  }

  int one() {
    json::Object input = with_wishes(repository());
    add(input, "skill", fields_.skill);
    add(input, "as", fields_.as);
    add(input, "worker", fields_.worker);
    add(input, "version", fields_.version);
    add(input, "tag", fields_.tag);
    const auto done = to_.install<sources::InstallReport>(about(), "directory::skills::download",
                                                          std::move(input));
    return done ? to_.print(*done) : to_.complain(done.error());
  }

  Installing& to_;
  const cli::Args& args_;
  sources::SourceFields fields_;
};

Result<void> check_options(const cli::Args& args, const sources::SourceFields& fields) {
  if (args.has("frozen")) {
    return fail("usage", "--frozen takes everything from directory.lock; name no source");
  }
  const bool many = args.has("list") || args.has("all");
  if (many && (fields.skill || fields.as)) {
    return fail("usage", "--list and --all go with neither --skill nor --as");
  }
  if (many && !fields.repo) return fail("usage", "--list and --all need a repository");
  if (!fields.local || !names_server(args)) return {};
  return fail("usage",
              "a local folder is read by this process, not by the server that was named. Next: "
              "leave the server out, or pass --skills FOLDER: this process installs into that "
              "folder; a server that reads the same folder follows.");
}

}  // namespace

int run_add(const cli::Args& args) {
  const bool has_source =
      !args.positionals().empty() ||
      std::ranges::any_of(kSourceOptions, [&](auto option) { return args.has(option); });
  if (!has_source) return run_restore(args);
  Result<sources::SourceFields> fields = asked_fields(args);
  if (!fields) return cli::complain(fields.error());
  const std::string typed = fields->repo.value_or("");
  make_local(*fields);
  if (const auto there = check_folder(*fields, typed); !there) return cli::complain(there.error());
  if (const auto fit = check_options(args, *fields); !fit) return cli::complain(fit.error());
  auto to = Installing::begin(args, fields->local);
  if (!to) return cli::complain(to.error());
  return AddVerb(*to, std::move(*fields)).run();
}

}  // namespace iii::daemon
