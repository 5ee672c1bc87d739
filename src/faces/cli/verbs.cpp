#include "faces/cli/verbs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "faces/cli/args.h"
#include "faces/cli/width.h"

namespace iii::cli {

namespace {

constexpr std::array<std::pair<Group, std::string_view>, 5> kGroups = {
    {{Group::kRun, "Run"},
     {Group::kRead, "Read"},
     {Group::kWrite, "Install and write"},
     {Group::kBus, "The bus"},
     {Group::kSetup, "This program"}}};

// Words of other programs for verbs that exist here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kOtherWords = {
    {{"uninstall", "remove"},
     {"rm", "remove"},
     {"delete", "remove"},
     {"ls", "list"},
     {"get", "show"},
     {"cat", "show"},
     {"find", "search"},
     {"grep", "search"},
     {"upgrade", "update"},
     {"start", "serve"},
     {"run", "serve"},
     {"call", "trigger"},
     {"invoke", "trigger"},
     {"create", "new"},
     {"init", "new"},
     {"check", "doctor"},
     {"fetch", "add"}}};

std::vector<Verb> all() {
  std::vector<Verb> out;
  for (auto* part : {table::running, table::reading, table::writing, table::bus, table::setup}) {
    for (Verb& verb : part()) out.push_back(std::move(verb));
  }
  return out;
}

}  // namespace

std::span<const Verb> verbs() {
  static const std::vector<Verb> kAll = all();
  return kAll;
}

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : verbs()) {
    if (verb.name == name || std::ranges::find(verb.aliases, name) != verb.aliases.end()) {
      return &verb;
    }
  }
  return nullptr;
}

std::string overview(size_t width) {
  width = std::min<size_t>(width, 100);
  std::string out =
      "Skills and prompts for agents, and a bus for iii workers.\n\n"
      "Usage: iii-directory VERB [arguments] [options]\n"
      "       iii-directory [options]   (a worker of an engine)\n";
  size_t widest = 0;
  for (const Verb& verb : verbs()) widest = std::max(widest, verb.name.size());
  for (const auto& [group, title] : kGroups) {
    out += "\n" + std::string(title) + ":\n";
    for (const Verb& verb : verbs()) {
      if (verb.group != group || verb.hidden) continue;
      const std::string head = "  " + padded(verb.name, widest) + "  ";
      const auto lines = wrapped(verb.summary, width > widest + 24 ? width - widest - 4 : 20);
      for (size_t i = 0; i < lines.size(); ++i) {
        out += (i == 0 ? head : std::string(head.size(), ' ')) + lines[i] + "\n";
      }
    }
  }
  return out +
         "\nEvery verb has --help, with examples. Try:\n"
         "  iii-directory serve                   start the server\n"
         "  iii-directory add anthropics/skills   choose skills\n"
         "  iii-directory list                    what agents get\n";
}

std::string unknown_verb(std::string_view word) {
  std::string out = "there is no verb '" + std::string(word) + "'.";
  const auto other =
      std::ranges::find(kOtherWords, word, &decltype(kOtherWords)::value_type::first);
  if (other != kOtherWords.end()) {
    out += " Did you mean " + std::string(other->second) + "?";
  } else {
    std::vector<std::string> names;
    for (const Verb& verb : verbs()) {
      if (!verb.hidden) names.emplace_back(verb.name);
      names.insert(names.end(), verb.aliases.begin(), verb.aliases.end());
    }
    out += did_you_mean(word, names);
  }
  return out + " Next: see `iii-directory help`.";
}

std::string misplaced_verb(std::span<const std::string> words) {
  const auto at = std::ranges::find_if(words, [](const std::string& word) {
    const Verb* verb = find_verb(word);
    return verb != nullptr && !verb->hidden;
  });
  if (at == words.end() || at == words.begin()) return "";
  return "options come after the verb. Next: write `" + std::string(kProgram) + " " + *at +
         " [options]`; `" + std::string(kProgram) + " " + *at + " --help` lists them.";
}

}  // namespace iii::cli
