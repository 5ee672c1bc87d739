// `add` (`install`): skills of a repository, of a folder, or of a worker.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/counted.h"
#include "base/text.h"
#include "cli/ask.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/table.h"
#include "daemon/config_read.h"
#include "daemon/verbs/session.h"
#include "daemon/verbs/verbs.h"
#include "functions/repo_skills.h"

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
Result<sources::SourceFields> asked_fields(Session& session) {
  sources::SourceFields fields;
  fields.repo = session.args().value("repo");
  fields.skill = session.args().value("skill");
  fields.path = session.args().value("path");
  fields.as = session.args().value("as");
  fields.ref = session.args().value("ref");
  fields.tag = session.args().value("tag");
  if (!session.name()) return fields;
  const std::string word = *session.name();
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

int print_listing(Session& session, const sources::RepoListing& listing) {
  if (session.args().has("json")) {
    cli::print_json(directory::repo_skills_json(listing));
    return 0;
  }
  const cli::Screen screen = cli::screen_of(session.args());
  cli::Table table({{"PATH", cli::Style::kName}, {"NAME"}, {"DESCRIPTION", cli::Style::kDim}});
  for (const sources::ListedSkill& skill : listing.skills) {
    table.add({skill.path, skill.name, skill.description});
  }
  cli::print_styled(table.text(screen), screen);
  cli::note("{}\n", counted(listing.skills.size(), "skill"));
  return 0;
}

// Those that can be installed by themselves.
std::vector<const sources::ListedSkill*> choices_of(const sources::RepoListing& listing) {
  std::vector<const sources::ListedSkill*> out;
  for (const sources::ListedSkill& skill : listing.skills) {
    if (!skill.name_space.empty()) out.push_back(&skill);
  }
  return out;
}

std::unexpected<Error> several_skills(const std::vector<const sources::ListedSkill*>& skills) {
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
  for (std::string word : words_of(answer)) {
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
std::vector<const sources::ListedSkill*> ask_which(
    const std::vector<const sources::ListedSkill*>& skills) {
  const cli::Screen screen{
      .terminal = true, .colours = false, .width = cli::terminal_width(STDERR_FILENO)};
  cli::Table table({{"#"}, {"NAME"}, {"DESCRIPTION"}});
  for (size_t i = 0; i < skills.size(); ++i) {
    table.add({std::to_string(i + 1), skills[i]->name.empty() ? skills[i]->path : skills[i]->name,
               skills[i]->description});
  }
  cli::note_text(table.text(screen).text(false));
  while (const auto answer = cli::ask_line("Which? Numbers such as `1 3-5`, `all`, or nothing:")) {
    const auto numbers = numbers_in(*answer, skills.size());
    if (!numbers) {
      cli::note("That is not a number from 1 to {}.\n", skills.size());
      continue;
    }
    std::vector<const sources::ListedSkill*> out;
    for (const size_t at : *numbers) out.push_back(skills[at]);
    return out;
  }
  return {};
}

class AddVerb {
 public:
  explicit AddVerb(Session& session) : session_(session), args_(session.args()) {}

  int run() {
    Result<sources::SourceFields> fields = asked_fields(session_);
    if (!fields) return session_.complain(fields.error());
    fields_ = std::move(*fields);
    make_local(fields_);
    const bool many = args_.has("list") || args_.has("all");
    if (many && (fields_.skill || fields_.as)) {
      return cli::complain({"usage", "--list and --all go with neither --skill nor --as"});
    }
    if (many && !fields_.repo)
      return cli::complain({"usage", "--list and --all need a repository"});
    if (args_.has("list")) {
      const auto listing = list();
      return listing ? print_listing(session_, *listing) : session_.complain(listing.error());
    }
    if (many) return all();
    if (fields_.repo && !fields_.skill && !fields_.path) {
      const sources::RepoAddress address = sources::parse_repo(*fields_.repo);
      if (!address.skill && !address.path) return choose();
    }
    return one();
  }

 private:
  sources::InstallOptions options() const {
    sources::InstallOptions options;
    options.force = args_.has("force");
    options.accept_risks = args_.has("accept-risks");
    return options;
  }
  Result<sources::RepoSource> repository() const {
    auto source = sources::classify_repository(*fields_.repo, fields_.ref, fields_.local);
    if (source && fields_.path) source->path = fields_.path;
    return source;
  }
  Result<sources::RepoListing> list() {
    const auto source = repository();
    if (!source) return std::unexpected(source.error());
    auto listing = session_.downloads().list(*source, session_.job(source->skill));
    session_.line().clear();
    return listing;
  }

  // Without a name it is clear what is meant only where there is one skill; else somebody is asked.
  int choose() {
    const auto listing = list();
    if (!listing) return session_.complain(listing.error());
    const auto skills = choices_of(*listing);
    if (skills.empty()) {
      return session_.complain(
          {"D310",
           "D310 not_found: the repository has no SKILL.md. Next: check the address and --ref"});
    }
    if (skills.size() == 1) return take(*skills.front());
    if (!cli::can_ask() || args_.has("json") || args_.has("yes") || fields_.as) {
      return session_.complain(several_skills(skills).error());
    }
    const auto chosen = ask_which(skills);
    if (cli::was_interrupted()) return session_.complain({"interrupted", ""});
    if (chosen.empty()) cli::note("Nothing was installed.\n");
    if (chosen.size() == skills.size()) return all();
    int code = 0;
    for (const sources::ListedSkill* skill : chosen) {
      const int ended = take(*skill);
      if (ended == cli::kInterrupted) return ended;
      code = std::max(code, ended);
    }
    return code;
  }
  int take(const sources::ListedSkill& skill) {
    fields_.path = skill.path;
    fields_.skill.reset();
    if (skill.path == ".") fields_.skill = skill.name_space;
    return one();
  }

  int all() {
    const auto source = repository();
    if (!source) return session_.complain(source.error());
    return session_.print_outcomes(
        session_.downloads().download_all(*source, options(), session_.job(source->skill)));
  }

  int one() {
    const Result<sources::Source> source = sources::classify(fields_);
    if (!source) return session_.complain(source.error());
    const auto report = session_.downloads().download(*source, options(),
                                                      session_.job(sources::namespace_of(*source)));
    return report ? session_.print_report(*source, *report) : session_.complain(report.error());
  }

  Session& session_;
  const cli::Args& args_;
  sources::SourceFields fields_;
};

}  // namespace

int run_add(const cli::Args& args) {
  const auto session = Session::begin(args);
  if (!session) return cli::complain(session.error());
  const bool has_source =
      (*session)->name() ||
      std::ranges::any_of(kSourceOptions, [&](auto option) { return args.has(option); });
  if (!has_source) return run_restore(args);
  if (args.has("frozen")) {
    return cli::complain(
        {"usage", "--frozen takes everything from directory.lock; name no source"});
  }
  return AddVerb(**session).run();
}

}  // namespace iii::daemon
