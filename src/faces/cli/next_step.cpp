#include "faces/cli/next_step.h"

#include <array>
#include <utility>

namespace iii::cli {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kVerbs = {{
    {"directory::lock::verify", "verify"},
    {"directory::lock::outdated", "outdated"},
    {"directory::lock::diff", "diff"},
    {"directory::lock::update", "update"},
    {"directory::lock::restore", "restore"},
    {"directory::skills::download", "add"},
    {"directory::skills::download_from_registry", "add"},
    {"directory::skills::download_from_repo", "add"},
    {"directory::skills::remove", "remove"},
    {"directory::repo::download", "add --all"},
    {"directory::repo::skills", "add --list"},
    {"directory::doctor", "doctor"},
    {"directory::skills::list", "list"},
    {"directory::skills::index", "index"},
    {"directory::skills::search", "search"},
    {"directory::skills::get", "show"},
    {"directory::skills::explain", "why"},
    {"directory::prompts::list", "prompts"},
    {"directory::prompts::get", "prompt"},
    {"directory::registry::workers::list", "registry search"},
    {"engine::functions::list", "functions"},
    {"engine::workers::list", "workers"},
}};

std::string command_for(std::string_view function_id) {
  for (const auto& [id, verb] : kVerbs) {
    if (id == function_id) return "iii-directory " + std::string(verb);
  }
  return "iii-directory trigger " + std::string(function_id);
}

// The function id at the beginning of `text`, or nothing.
std::string_view function_id_at(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ':';
  };
  size_t end = 0;
  while (end < text.size() && is_part(text[end])) ++end;
  while (end > 0 && text[end - 1] == ':') --end;
  const std::string_view id = text.substr(0, end);
  return id.find("::") == std::string_view::npos ? std::string_view() : id;
}

// Fields of a call that are options of a command.
std::string with_options(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFields = {
      {{"with `as`", "with --as NAME"},
       {"with `force`", "with --force"},
       {"as `path`", "with --path"}}};
  for (const auto& [field, option] : kFields) {
    for (size_t at = text.find(field); at != std::string::npos; at = text.find(field, at)) {
      text.replace(at, field.size(), option);
    }
  }
  return text;
}

}  // namespace

std::string as_commands(std::string_view message) {
  struct Phrase {
    std::string_view before;
    std::string_view instead;
    std::string_view after;
  };
  constexpr std::array<Phrase, 3> kPhrases = {
      {{"call ", "run `", "`"}, {"Call ", "Run `", "`"}, {"see ", "see `", " --help`"}}};
  std::string out;
  while (!message.empty()) {
    bool replaced = false;
    for (const Phrase& phrase : kPhrases) {
      const bool whole_word = out.empty() || out.back() == ' ';
      if (!whole_word || !message.starts_with(phrase.before)) continue;
      const std::string_view id = function_id_at(message.substr(phrase.before.size()));
      if (id.empty()) continue;
      out += phrase.instead;
      out += command_for(id);
      out += phrase.after;
      message.remove_prefix(phrase.before.size() + id.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    out += message.front();
    message.remove_prefix(1);
  }
  return with_options(std::move(out));
}

}  // namespace iii::cli
