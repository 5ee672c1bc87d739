#include "functions/repo_skills.h"

#include <optional>
#include <utility>
#include <vector>

#include "functions/descriptions.h"
#include "json/describe.h"

namespace iii::directory {

namespace {

struct RepoSkillsInput {
  std::string repo;
  std::optional<std::string> ref;
};
struct RepoSkillRow {
  std::string path;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> name_space;
};
struct RepoSkillsOutput {
  std::string branch;
  std::string commit;
  std::vector<RepoSkillRow> skills;
};

auto describe(json::Type<RepoSkillsInput>) {
  using T = RepoSkillsInput;
  return json::object<T>(
      "RepoSkillsInput", "",
      json::field("repo", &T::repo,
                  "Git repository: `owner/repo` on GitHub, `owner/repo/folder`, the URL of a page "
                  "that shows a folder, or an https, ssh or git@ address."),
      json::field("ref", &T::ref, "Branch, tag or commit. When absent the default branch.")
          .null_default());
}
auto describe(json::Type<RepoSkillRow>) {
  using T = RepoSkillRow;
  return json::object<T>(
      "RepoSkill", "",
      json::field(
          "path", &T::path,
          "Folder of the skill in the repository, `.` for the repository itself. Pass it as "
          "`path` to directory::skills::download."),
      json::field("name", &T::name, "`name` in its frontmatter; absent if it has none."),
      json::field("description", &T::description,
                  "The beginning of its description; absent if it has none."),
      json::field("namespace", &T::name_space,
                  "Namespace that `install --all` writes it to. Absent for a skill inside another "
                  "one, which comes with that one, and for a copy of one listed before."));
}
auto describe(json::Type<RepoSkillsOutput>) {
  using T = RepoSkillsOutput;
  return json::object<T>(
      "RepoSkillsOutput", "",
      json::field("branch", &T::branch, "Branch, tag or commit that was looked at."),
      json::field("commit", &T::commit, "Its commit."),
      json::field("skills", &T::skills, "One row per SKILL.md, visible folders first, by path."));
}

std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

RepoSkillsOutput output_of(const sources::RepoListing& listing) {
  RepoSkillsOutput out{.branch = listing.branch, .commit = listing.commit, .skills = {}};
  for (const sources::ListedSkill& skill : listing.skills) {
    out.skills.push_back({.path = skill.path,
                          .name = if_any(skill.name),
                          .description = if_any(skill.description),
                          .name_space = if_any(skill.name_space)});
  }
  return out;
}

sdk::Task<Result<RepoSkillsOutput>> list(Downloader& downloader, Context context,
                                         RepoSkillsInput in) {
  Result<sources::RepoSource> source = sources::classify_repository(in.repo, in.ref, false);
  if (!source) co_return std::unexpected(on_the_bus(std::move(source.error())));
  Result<sources::RepoListing> listing =
      co_await downloader.list(std::move(context), std::move(*source));
  if (!listing) co_return std::unexpected(std::move(listing.error()));
  co_return output_of(*listing);
}

}  // namespace

std::string repo_skills_json(const sources::RepoListing& listing) {
  return json::encode(output_of(listing));
}

void add_repo_functions(FunctionTable& table, Downloader& downloader) {
  table.add<RepoSkillsInput, RepoSkillsOutput>(
      {.id = "directory::repo::skills",
       .title = "Skills of a repository",
       .description = about::kRepoSkills,
       .hints = {.read_only = true, .idempotent = true, .network = true}},
      [&downloader](const Context& context, const RepoSkillsInput& in) {
        return list(downloader, context, in);
      });
}

}  // namespace iii::directory
