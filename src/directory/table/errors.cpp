#include "directory/table/errors.h"

#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

constexpr std::string_view kBrowseSkills =
    " Next: call directory::skills::list to see the ids there are; or call "
    "directory::skills::index for "
    "one overview per worker.";
constexpr std::string_view kBrowsePrompts =
    " Next: call directory::prompts::list to see the names there are.";

Error error(std::string text) { return {"invocation_failed", std::move(text)}; }

std::string in_quotes(std::string_view text) {
  std::string out;
  json::append_string(out, echoed(text));
  return out;
}

std::string did_you_mean(const std::vector<std::string>& suggestions) {
  return suggestions.empty() ? "" : " Did you mean: " + join(suggestions, ", ") + ".";
}

}  // namespace

Error skill_not_found(std::string_view id, const std::vector<std::string>& suggestions) {
  return error("D110 not_found: skill " + in_quotes(id) + " was not found." +
               did_you_mean(suggestions) + std::string(kBrowseSkills));
}

Error skill_hidden(std::string_view id, std::string_view worker,
                   const std::vector<std::string>& suggestions) {
  const std::string name(worker);
  return error("D110 not_found: skill " + in_quotes(id) +
               " was not found: the file exists, but `filter_unregistered` hides the skills of "
               "workers that are not installed, and `" +
               name + "` is not. To show it, install the worker `" + name +
               "`, or set `filter_unregistered: false`." + did_you_mean(suggestions) +
               std::string(kBrowseSkills));
}

Error worker_without_document(std::string_view id, std::string_view worker) {
  return error(
      "D110 not_found: " + in_quotes(id) + " was not found: the worker `" + std::string(worker) +
      "` is installed and brings no skill. Next: call engine::functions::list with worker=" +
      std::string(worker) +
      " for its functions; or call engine::workers::info with name=" + std::string(worker) + ".");
}

Error looks_like_a_function(std::string_view input) {
  return error(
      "D112 invalid_input: " + in_quotes(input) +
      " is a FUNCTION id (its parts are joined by `::`); ids of skills are joined by `/`. Call the "
      "function itself, or read the skill that describes it." +
      std::string(kBrowseSkills));
}

Error invalid_skill_id(std::string_view reason) {
  return error("D111 invalid_input: " + std::string(reason) + "." + std::string(kBrowseSkills));
}

Error prompt_not_found(std::string_view name, const std::vector<std::string>& suggestions) {
  return error("D210 not_found: prompt " + in_quotes(name) + " was not found." +
               did_you_mean(suggestions) + std::string(kBrowsePrompts));
}

Error invalid_prompt_name(std::string_view reason) {
  return error("D211 invalid_input: " + std::string(reason) + "." + std::string(kBrowsePrompts));
}

Error unreadable(std::string_view what, std::string_view id, std::string_view reason) {
  const bool skill = what == "skill";
  return error(std::string(skill ? "D113" : "D212") + " unreadable: " + std::string(what) + " " +
               in_quotes(id) + ": " + std::string(reason) +
               ". Next: call directory::doctor to see what is wrong with the file.");
}

Error answer_too_large(size_t bytes, size_t limit, std::string_view remedy) {
  return error("D120 too_large: the answer would have " + std::to_string(bytes) +
               " bytes, and one message carries " + std::to_string(limit) + ". Next: call " +
               std::string(remedy) + ".");
}

Result<json::Raw> bounded(std::string text, std::string_view remedy, size_t limit) {
  if (text.size() <= limit) return json::Raw{std::move(text)};
  return std::unexpected(answer_too_large(text.size(), limit, remedy));
}

Error empty_page(std::string_view function_id) {
  return error("D121 invalid_input: `limit` must be at least 1. Next: call " +
               std::string(function_id) + " with a higher `limit`, or without one for all rows.");
}

Error unknown_severity(std::string_view given) {
  return error("D121 invalid_input: `severity` is `error`, `warning` or `info`, not " +
               in_quotes(given) + ". Next: call directory::doctor with one of these.");
}

Error unknown_cursor(std::string_view given) {
  return error("D121 invalid_input: the cursor " + in_quotes(given) +
               " is not one that was given out. Next: call directory::doctor with `next_cursor` of "
               "the previous answer, or without a cursor for the first page.");
}

Error unclear_fixes() {
  return error(
      "D121 invalid_input: pass one of `fixes`, `code` and `all: true`. Next: call "
      "directory::doctor with details=true to see the patches there are, or pass all=true.");
}

Error too_many_fixes(size_t count, size_t most) {
  return error("D121 invalid_input: " + std::to_string(count) +
               " patches are more than one call applies. Next: call directory::doctor::apply with "
               "at most " +
               std::to_string(most) + ", or with `code` or `all`.");
}

Error unknown_kind(std::string_view given) {
  return error(
      "D121 invalid_input: `kind` is `skill`, `reference` or `readme`, or a list of them; " +
      echoed(given) +
      " is none of these. Next: call the function again with one of them, or without "
      "`kind`.");
}

Error unknown_state(std::string_view given) {
  return error(
      "D121 invalid_input: `state` is a list of `served`, `finding`, `missing`, `filtered` and "
      "`shadowed`; " +
      in_quotes(given) +
      " is none of these. Next: call directory::skills::browse with some of them, or without "
      "`state`.");
}

Error link_not_found(std::string_view link, std::string_view from, std::string_view target,
                     const std::vector<std::string>& suggestions) {
  const std::string place = target.empty()
                                ? " leads out of the skills folder"
                                : " leads to " + in_quotes(target) + ", and no document is there";
  return error(
      "D110 not_found: the link " + in_quotes(link) + " in " + in_quotes(from) + place + "." +
      did_you_mean(suggestions) +
      " Next: if it is not markdown, call directory::skills::file with the id of the skill "
      "and the path relative to its folder; else call directory::skills::list to see the "
      "ids there are.");
}

Error file_not_found(std::string_view id, std::string_view path,
                     const std::vector<std::string>& suggestions) {
  return error("D114 not_found: the skill " + in_quotes(id) + " has no file " + in_quotes(path) +
               "." + did_you_mean(suggestions) + " Next: call directory::skills::get with id=" +
               in_quotes(id) + " for the list of its files.");
}

Error file_outside(std::string_view id, std::string_view path) {
  return error("D115 invalid_input: " + in_quotes(path) + " is not below the folder of the skill " +
               in_quotes(id) +
               "; paths are relative to that folder. Next: call directory::skills::get with id=" +
               in_quotes(id) + " for the list of its files.");
}

Error file_of_another(std::string_view path, std::string_view other_id) {
  return error("D115 invalid_input: " + in_quotes(path) + " belongs to the skill " +
               in_quotes(other_id) + ". Next: call directory::skills::file with id=" +
               in_quotes(other_id) + " and the path relative to its folder.");
}

Error file_unreadable(std::string_view id, std::string_view path, std::string_view reason) {
  return error("D116 unreadable: file " + in_quotes(path) + " of the skill " + in_quotes(id) +
               ": " + std::string(reason) +
               ". Next: call directory::skills::get with include_files=true for the files that can "
               "be read.");
}

Error without_files(std::string_view id) {
  return error("D114 not_found: the skill " + in_quotes(id) +
               " has no files, because it is compiled in or was registered by a worker. Next: call "
               "directory::skills::get for its text.");
}

Error bad_search(std::string_view function_id, std::string_view why) {
  const std::string what = why == "query_too_long"       ? "the text is longer than 4096 bytes"
                           : why == "query_not_utf8"     ? "the text is not UTF-8"
                           : why == "limit_out_of_range" ? "`limit` is not between 1 and 100"
                                                         : "there is no text to search for";
  return error("D130 invalid_input: " + what + ". Next: call " + std::string(function_id) +
               " with a few words that say what is needed.");
}

Error too_many_capabilities(size_t count, size_t most) {
  return error("D130 invalid_input: `capabilities` has " + std::to_string(count) +
               " entries, and 1 to " + std::to_string(most) +
               " are searched at once. Next: call directory::search_functions with the "
               "capabilities of the next step.");
}

Error small_budget(std::string_view function_id, size_t least) {
  return error("D130 invalid_input: `budget_tokens` must be at least " + std::to_string(least) +
               ". Next: call " + std::string(function_id) + " with a larger one, or without it.");
}

Error input_too_large(std::string_view function_id, size_t bytes, size_t most) {
  return error("D122 too_large: the input has " + std::to_string(bytes) + " bytes, and " +
               std::string(function_id) + " takes at most " + std::to_string(most) +
               ". Next: call " + std::string(function_id) + " with less.");
}

Error text_too_long(std::string_view function_id, const json::LongText& text) {
  return error("D123 invalid_input: `" + text.field + "` has " + std::to_string(text.length) +
               " characters, and at most " + std::to_string(text.most) +
               " are accepted. Next: call " + std::string(function_id) + " with a shorter one.");
}

Error wrong_input(std::string_view function_id, std::string_view problem,
                  const std::optional<MistypedKey>& key) {
  const std::string hint =
      !key ? "" : " `" + echoed(key->key) + "` is not a field. Did you mean: " + key->meant + ".";
  return error("D124 invalid_input: " + std::string(problem) + "." + hint + " Next: call " +
               std::string(function_id) + " with such an object.");
}

Error too_many_ids(size_t count, size_t most) {
  return error("D121 invalid_input: `ids` has " + std::to_string(count) + " entries, at most " +
               std::to_string(most) +
               " are read at once. Next: call directory::skills::get with fewer, several times.");
}

}  // namespace iii::directory
