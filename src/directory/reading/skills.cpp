#include "directory/reading/skills.h"

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/content/kinds.h"
#include "directory/library/document_paths.h"
#include "directory/library/library.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/reading/skill_files.h"
#include "directory/reading/skill_links.h"
#include "directory/reading/skill_list.h"
#include "directory/reading/skill_search.h"
#include "directory/reading/skill_types.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/saturate.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr std::string_view kGetLess = "directory::skills::get with fewer `ids`, one after another";

// Where the file of a skill stands that a caller asked for.
struct FilePlace {
  std::string folder;  // of the skill
  std::string path;    // of the file; both relative to the root
};

// Skills that a page for a task may name.
constexpr size_t kMostForTask = 200;

// What was asked for beside the budget, for the call that shows more.
std::string index_arguments(const IndexSkillsInput& in) {
  std::string out;
  const auto add = [&out](std::string_view key, const std::optional<std::string>& value) {
    if (!value) return;
    out += (out.empty() ? "\"" : ", \"") + std::string(key) + "\": ";
    json::append_string(out, *value);
  };
  add("task", in.task);
  add("prefix", in.prefix);
  return out;
}

// The functions share one object; a handler holds it by shared_ptr, so it lives as long as they do.
class SkillFunctions {
 public:
  SkillFunctions(Library& library, SkillLimits limits, SkillSearch* search, SkillLinks* links)
      : library_(library), limits_(limits), search_(search), links_(links) {}

  task::Task<Result<json::Raw>> list(ListSkillsInput in) {
    auto make = [in = std::move(in),
                 most = limits_.max_answer_bytes](const View& view) -> Result<json::Raw> {
      const Result<ListedSkills> rows = list_skills(view, in);
      if (!rows) return std::unexpected(rows.error());
      return bounded(list_json(view, *rows, in.include_description.value_or(true)),
                     "directory::skills::list with `limit` (and `cursor` for what follows), or "
                     "narrow it with `prefix`, `search`, `type`, `kind` or "
                     "include_description=false",
                     most);
    };
    co_return co_await library_.answer(co_await library_.current(), std::move(make));
  }

  task::Task<Result<json::Raw>> get(SkillGetInput in) {
    if (!in.id && !in.ids) {
      co_return fail("invocation_failed", "serialization error: missing field `id`");
    }
    if (in.ids && in.ids->size() > limits_.max_batch && !in.id) {
      co_return std::unexpected(too_many_ids(in.ids->size(), limits_.max_batch));
    }
    if (in.limit == 0U) co_return std::unexpected(empty_page("directory::skills::get"));
    co_return co_await library_.answer_from(
        {}, [&](const View& view) { return in.id ? get_one_text(view, in) : get_many(view, in); });
  }

  task::Task<Result<json::Raw>> file(SkillFileInput in) {
    if (in.limit == 0U) co_return std::unexpected(empty_page("directory::skills::file"));
    co_return co_await library_.answer_from({},
                                            [&](const View& view) { return file_of(view, in); });
  }

  task::Task<Result<json::Raw>> index(IndexSkillsInput in) {
    const Result<KindFilter> kinds = KindFilter::parse(in.kind);
    if (!kinds) co_return std::unexpected(kinds.error());
    if (in.budget_tokens && *in.budget_tokens < kLeastIndexBudget) {
      co_return std::unexpected(small_budget("directory::skills::index", kLeastIndexBudget));
    }
    View view = co_await library_.current({.ask_for_workers = true});
    if ((in.task && search_ != nullptr) || in.budget_tokens) {
      co_return co_await chosen_index(std::move(view), std::move(in), *kinds);
    }
    auto make = [in = std::move(in),
                 most = limits_.max_answer_bytes](const View& v) -> Result<json::Raw> {
      const Result<IndexPage> page = index_page(v, in);
      if (!page) return std::unexpected(page.error());
      return bounded(json::encode(page->out),
                     "directory::skills::index with `prefix`, or directory::skills::list with "
                     "type=index and `limit` for the same overviews in pages",
                     most);
    };
    co_return co_await library_.answer(std::move(view), std::move(make));
  }

 private:
  task::Task<Result<json::Raw>> file_of(const View& view, const SkillFileInput& in) {
    const Result<Resolution> found = co_await resolved(view, in.id);
    if (!found) co_return std::unexpected(found.error());
    const content::Skill& skill = *found->skill;
    const std::string shown = view.display(skill.id);
    const auto folder = view.snapshot().folders->content->folder_of(skill.file);
    if (folder == nullptr) co_return std::unexpected(without_files(shown));
    auto look = [&skill, path = in.path](const View& v) { return place_of(v, skill, path); };
    const Result<FilePlace> place = co_await library_.answer(view, std::move(look));
    if (!place) co_return std::unexpected(place.error());
    const uint64_t limit = std::min<uint64_t>(in.limit.value_or(kPartBytes), kMaxPartBytes);
    auto work = [folder, place = *place, asked = in.path, offset = in.offset.value_or(0), limit,
                 shown, most = limits_.max_answer_bytes]() -> Result<json::Raw> {
      const Result<SkillFileOutput> out = read_file(*folder, place, shown, asked, offset, limit);
      if (!out) return std::unexpected(out.error());
      return bounded(json::encode(*out), "directory::skills::file with a lower `limit`", most);
    };
    co_return co_await library_.on_reading_thread(std::move(work));
  }

  // The page within a budget: what fits the task, or the usual overviews.
  task::Task<Result<json::Raw>> chosen_index(View view, IndexSkillsInput in, KindFilter kinds) {
    TaskIndexRequest request;
    request.task = in.task.value_or("");
    request.budget = saturated_size(in.budget_tokens.value_or(kDefaultIndexBudget));
    request.arguments = index_arguments(in);
    if (in.task && search_ != nullptr) {
      if (auto problem = co_await choose_for_task(view, in, kinds, request)) {
        co_return std::unexpected(std::move(*problem));
      }
    }
    auto make = [in = std::move(in), kinds, by_task = search_ != nullptr,
                 request = std::move(request)](const View& v) mutable -> Result<json::Raw> {
      if (!in.task || !by_task) request.rows = index_rows(v, in, kinds);
      return json::Raw{json::encode(task_index(v, request))};
    };
    co_return co_await library_.answer(std::move(view), std::move(make));
  }

  task::Task<std::optional<Error>> choose_for_task(const View& view, const IndexSkillsInput& in,
                                                   KindFilter kinds, TaskIndexRequest& request) {
    const IndexedSkillsPtr index = co_await search_->follow(view);
    const SkillFilter filter{.prefix = in.prefix,
                             .kinds = in.kind ? kinds : searched_kinds(),
                             .user_only = in.include_user_only.value_or(false)};
    const Result<search::Answer> found =
        co_await search_->find(view, index, *in.task, filter, kMostForTask);
    if (!found) co_return bad_search("directory::skills::index", found.error().code);
    for (const search::Hit& hit : found->hits) {
      if (const content::Skill* skill = view.generation().skill(hit.key)) {
        request.rows.push_back(skill);
      }
    }
    for (const std::string& key : found->nearest) request.nearest.push_back(view.display(key));
    request.others =
        index->index.documents() - std::min(index->index.documents(), request.rows.size());
    co_return std::nullopt;
  }

  task::Task<Result<json::Raw>> get_one_text(const View& view, const SkillGetInput& in) {
    Result<GotSkill> out = co_await get_one(view, *in.id, in);
    if (!out) co_return std::unexpected(out.error());
    co_return bounded(co_await encoded(std::move(*out)), kGetLess, limits_.max_answer_bytes);
  }

  task::Task<std::string> encoded(GotSkill out) {
    if (out.body.size() <= Library::kSmallBytes) co_return json::encode(out);
    co_return co_await library_.on_reading_thread(
        [out = std::move(out)] { return json::encode(out); });
  }

  task::Task<Result<GotSkill>> get_one(const View& view, const std::string& input,
                                       const SkillGetInput& in) {
    const Result<Resolution> found =
        co_await (in.from ? linked(view, input, *in.from) : resolved(view, input));
    if (!found) co_return std::unexpected(found.error());
    Result<GotSkill> out = co_await read(view, *found, in);
    const bool first = in.offset.value_or(0) == 0;
    if (out && first && in.include_files.value_or(in.id.has_value())) {
      co_await add_files(view, *found->skill, *out);
    }
    if (out && first && in.id && links_ != nullptr) {
      std::vector<SkillFunction> functions = co_await links_->of(*found->skill);
      if (!functions.empty()) out->functions = std::move(functions);
    }
    if (!out || !in.risks.value_or(false)) co_return out;
    // Only on request: a scan takes longer than all the rest of a call.
    auto rows = co_await document_risks(library_, view, *found->skill);
    if (!rows && rows.error().code == kStale) co_return std::unexpected(rows.error());
    out->risks = std::move(rows).value_or(std::vector<RiskRow>());
    co_return out;
  }

  // An exact id is found at once; for everything else all rows are looked at.
  task::Task<Result<Resolution>> resolved(const View& view, const std::string& input) {
    const Result<std::string> id = normalise_input(input);
    const content::Skill* by_id = id ? look_up(view, *id) : nullptr;
    if (by_id != nullptr && is_exact(*by_id, *id, input)) co_return Resolution{by_id, ""};
    auto look = [input](const View& v) { return look_up_input(v, input); };
    Result<Lookup> found = co_await library_.answer(view, std::move(look));
    if (!found) co_return std::unexpected(std::move(found.error()));
    if (found->skill != nullptr) co_return Resolution{found->skill, ""};
    if (co_await library_.look_for(found->id)) co_return fail(kStale, "there is a newer state");
    const NamesPtr workers = co_await library_.installed().for_resolution();
    auto guess = [workers, missed = std::move(found->id)](const View& v) {
      return resolve_miss(v, *workers, missed);
    };
    co_return co_await library_.answer(view, std::move(guess));
  }

  // What `link` means in the document `from`.
  task::Task<Result<Resolution>> linked(const View& view, const std::string& link,
                                        const std::string& from) {
    Result<Resolution> base = co_await resolved(view, from);
    if (!base) co_return base;
    const content::Skill& source = *base->skill;
    const bool is_link = link.find("://") == std::string::npos &&
                         !content::is_registered(view.generation(), source.file);
    if (!is_link) co_return co_await resolved(view, link);
    const std::string text(trim(link));
    const std::vector<std::string> targets = link_targets(source.file.path, text);
    auto look = [&targets, &source](const View& v) -> const content::Skill* {
      for (const std::string& target : targets) {
        const content::Skill* found = v.table()->find_path(target, source.file.root).skill;
        if (found != nullptr && v.shows(found->id)) return found;
      }
      return nullptr;
    };
    const content::Skill* target = co_await library_.answer(view, std::move(look));
    if (target != nullptr) co_return Resolution{target, ""};
    if (!text.starts_with('.')) {
      Result<Resolution> found = co_await resolved(view, link.substr(0, link.find('#')));
      if (found) co_return found;
    }
    const std::string best = targets.empty() ? std::string() : targets.front();
    const std::vector<std::string> near =
        co_await suggest_skills(library_, view, content::normalise_id(without_suffix(best)));
    co_return std::unexpected(link_not_found(text, view.display(source.id), best, near));
  }

  task::Task<Result<GotSkill>> read(const View& view, const Resolution& found,
                                    const SkillGetInput& in) {
    const content::Skill& skill = *found.skill;
    view.snapshot().folders->content->note_use(skill.file);
    GotSkill out{SkillDocument{skill_row(view, skill)}};
    out.modified_at.clear();
    if (!in.include_description.value_or(true)) out.description.clear();
    Result<int64_t> time = co_await read_body(view, skill, in, out);
    if (!time) co_return std::unexpected(std::move(time.error()));
    // What is compiled in has no file that could have been modified.
    const bool compiled_in =
        view.generation().roots[skill.file.root].kind == content::RootKind::kBuiltin;
    if (!compiled_in) out.modified_at = content::format_time(*time);
    if (out.offset.value_or(0) == 0) out.body.insert(0, found.note);
    co_return out;
  }

  // Fills the body, or the part of it that is wanted. Gives the time of the file.
  task::Task<Result<int64_t>> read_body(const View& view, const content::Skill& skill,
                                        const SkillGetInput& in, GotSkill& out) {
    const bool part = in.id && (in.offset || in.limit);
    Result<Body> body = fail("too_large", "");
    if (!part) body = co_await read_whole_skill(library_, view, skill, out.id);
    if (body) {
      out.body = std::move(body->text);
      co_return body->mtime_ns;
    }
    if (body.error().code != "too_large") co_return std::unexpected(std::move(body.error()));
    const PartRange range{.offset = in.id ? in.offset.value_or(0) : 0,
                          .limit = std::min<uint64_t>(
                              in.id ? in.limit.value_or(kPartBytes) : kPartBytes, kMaxPartBytes)};
    Result<BodyPart> found = co_await read_skill_part(library_, view, skill, out.id, range);
    if (!found) co_return std::unexpected(std::move(found.error()));
    out.offset = found->offset;
    out.bytes_total = found->total;
    const uint64_t next = found->offset + found->text.size();
    if (next < found->total) {
      out.next_offset = next;
      out.more = "This is a part of the body. Next: call directory::skills::get with id=" + out.id +
                 " and offset=" + std::to_string(next) + ".";
    }
    out.body = std::move(found->text);
    co_return found->mtime_ns;
  }

  // The files of a skill are those below the folder of its overview.
  task::Task<void> add_files(const View& view, const content::Skill& skill, GotSkill& out) {
    const bool overview = content::is_skill_file(skill.file.path) || skill.id == "index" ||
                          skill.id.ends_with("/index");
    const auto folder = view.snapshot().folders->content->folder_of(skill.file);
    if (!overview || folder == nullptr) co_return;
    auto work = [folder, path = skill.file.path] {
      return list_skill_files(*folder, std::string(folder_of(path)), file_name(path));
    };
    SkillFiles found = co_await library_.on_answer_thread(std::move(work));
    if (found.total > found.files.size()) out.files_total = found.total;
    out.files = std::move(found.files);
  }

  static Result<FilePlace> place_of(const View& view, const content::Skill& skill,
                                    const std::string& asked) {
    const DocumentTablePtr table = view.table();
    const auto skill_at = [&](std::string_view folder) -> const content::Skill* {
      const DocumentTable::Match match = table->find_path(folder, skill.file.root);
      const bool is_skill = match.fit == DocumentTable::Fit::kFolder &&
                            content::is_skill_file(match.skill->file.path);
      return is_skill ? match.skill : nullptr;
    };
    // A reference belongs to the skill in a folder above it.
    std::string_view own = folder_of(skill.file.path);
    for (std::string_view folder = own; !folder.empty(); folder = folder_of(folder)) {
      if (skill_at(folder) == nullptr) continue;
      own = folder;
      break;
    }
    const std::string shown = view.display(skill.id);
    FilePlace out{.folder = std::string(own), .path = {}};
    std::optional<std::string> path = join_relative(own, asked);
    const bool below = path && path->size() > own.size() &&
                       (own.empty() || (path->starts_with(own) && (*path)[own.size()] == '/'));
    if (!below || asked.starts_with('/')) return std::unexpected(file_outside(shown, asked));
    out.path = std::move(*path);
    for (std::string_view folder = folder_of(out.path); folder.size() > own.size();
         folder = folder_of(folder)) {
      const content::Skill* nested = skill_at(folder);
      if (nested != nullptr && view.shows(nested->id)) {
        return std::unexpected(file_of_another(asked, view.display(nested->id)));
      }
      if (nested != nullptr) return std::unexpected(file_not_found(shown, asked, {}));
    }
    const bool hidden = own.empty() && !view.shows(content::normalise_id(out.path));
    const bool is_private = is_private_path(std::string_view(out.path).substr(own.size()));
    if (hidden || is_private) return std::unexpected(file_not_found(shown, asked, {}));
    return out;
  }

  // On the thread for answers.
  static Result<SkillFileOutput> read_file(const RootFolder& root, const FilePlace& place,
                                           const std::string& shown, const std::string& asked,
                                           uint64_t offset, uint64_t limit) {
    Result<SkillFileOutput> out = read_skill_file(root, place.path, offset, limit);
    if (out) {
      out->id = shown;
      out->path = place.path.substr(place.folder.empty() ? 0 : place.folder.size() + 1);
      return out;
    }
    if (out.error().code != "missing" && out.error().code != "not_a_file") {
      return std::unexpected(file_unreadable(shown, asked, out.error().message));
    }
    const std::vector<std::string> all = skill_file_paths(root, place.folder);
    std::vector<std::string> near;
    for (const std::string& each : all) {
      if (near.size() < 3 && file_name(each) == file_name(asked)) near.push_back(each);
    }
    if (near.empty()) {
      if (const std::string_view best = nearest(asked, all); !best.empty()) near.emplace_back(best);
    }
    return std::unexpected(file_not_found(shown, asked, near));
  }

  // Each entry is what `get` would answer, or {id, error}.
  task::Task<Result<json::Raw>> get_many(const View& view, const SkillGetInput& in) {
    std::string out = "{\"skills\":[";
    for (const std::string& id : *in.ids) {
      if (out.size() > limits_.max_answer_bytes) break;  // it is refused below
      if (out.back() != '[') out += ',';
      Result<GotSkill> skill = co_await get_one(view, id, in);
      if (skill) {
        out += co_await encoded(std::move(*skill));
      } else if (skill.error().code == kStale) {
        co_return std::unexpected(skill.error());
      } else {
        out += "{\"id\":";
        json::append_string(out, id);
        out += ",\"error\":";
        json::append_string(out, skill.error().message);
        out += '}';
      }
    }
    out += "]}";
    co_return bounded(std::move(out), kGetLess, limits_.max_answer_bytes);
  }

  Library& library_;
  SkillLimits limits_;
  SkillSearch* const search_;
  SkillLinks* const links_;
};

}  // namespace

void add_skill_functions(FunctionTable& table, Library& library, SkillLimits limits,
                         SkillSearch* search, SkillLinks* links) {
  const auto skills = std::make_shared<SkillFunctions>(library, limits, search, links);
  table.add<ListSkillsInput, ListSkillsOutput>(
      {.id = "directory::skills::list",
       .title = "List skills",
       .description = about::kSkillsList,
       .hints = kReadOnly,
       .published = true},
      [skills](ListSkillsInput in) { return skills->list(std::move(in)); });
  table.add<SkillGetInput, GotSkill>(
      {.id = "directory::skills::get",
       .title = "Get skill",
       .description = about::kSkillsGet,
       .hints = kReadOnly,
       .tool_label = "Get skill",
       .max_input_bytes = kMaxLargeInputBytes,
       .published = true},
      [skills](SkillGetInput in) { return skills->get(std::move(in)); });
  table.add<IndexSkillsInput, IndexSkillsOutput>(
      {.id = "directory::skills::index",
       .title = "Index of skills",
       .description = about::kSkillsIndex,
       .hints = kReadOnly,
       .published = true},
      [skills](IndexSkillsInput in) { return skills->index(std::move(in)); });
  table.add<SkillFileInput, SkillFileOutput>(
      {.id = "directory::skills::file",
       .title = "Read a file of a skill",
       .description = about::kSkillsFile,
       .hints = kReadOnly,
       .tool_label = "Read file of skill"},
      [skills](SkillFileInput in) { return skills->file(std::move(in)); });
}

}  // namespace iii::directory
