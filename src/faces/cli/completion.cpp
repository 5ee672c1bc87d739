#include "faces/cli/completion.h"

#include <vector>

#include "faces/cli/verbs.h"
#include "foundation/base/text.h"

namespace iii::cli {

namespace {

std::string_view kind_of(Words words) {
  switch (words) {
    case Words::kSkills:
      return "skills";
    case Words::kPrompts:
      return "prompts";
    case Words::kNamespaces:
      return "namespaces";
    case Words::kFunctions:
      return "functions";
    case Words::kKeys:
      return "keys";
    default:
      return "";
  }
}

std::vector<std::string> names_of(const Verb& verb) {
  std::vector<std::string> out{std::string(verb.name)};
  for (const std::string_view alias : verb.aliases) out.emplace_back(alias);
  return out;
}

std::string options_of(const Verb& verb) {
  std::string out;
  for (const Option& option : verb.options) {
    out += (out.empty() ? "--" : " --") + std::string(option.name);
  }
  return out;
}

// What `__complete` is asked for: about the words of a verb, or about those behind its choices.
std::string_view asked_for(const Verb& verb) {
  return kind_of(verb.words == Words::kChoices ? verb.after_choice : verb.words);
}

std::string all_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    for (std::string& name : names_of(verb)) names.push_back(std::move(name));
  }
  return join(names, " ");
}

// The words of a verb that are known beforehand.
std::string choices_of(const Verb& verb) {
  if (verb.words == Words::kVerbs) return all_names();
  return std::string(verb.choices);
}

// `'` cannot be written inside '…'.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash() {
  std::string out =
      "# bash completion of iii-directory; made by `iii-directory completion bash`.\n"
      "_iii_directory() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local verb=${COMP_WORDS[1]} options= words= kind=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      all_names() + " --help --version --url --config --token --log-level' -- \"$current\"))\n" +
      "    return\n  fi\n  case $verb in\n";
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    out += "    " + join(names_of(verb), "|") + ") options='" + options_of(verb) + "'";
    if (const std::string words = choices_of(verb); !words.empty()) out += " words='" + words + "'";
    if (const std::string_view kind = asked_for(verb); !kind.empty()) {
      out += " kind=" + std::string(kind);
    }
    out += " ;;\n";
  }
  out += "  esac\n  case $verb:$previous in\n";
  for (const Verb& verb : verbs()) {
    for (const Option& option : verb.options) {
      if (option.choices.empty() || verb.hidden) continue;
      out += "    " + std::string(verb.name) + ":--" + std::string(option.name) +
             ") COMPREPLY=($(compgen -W '" + std::string(option.choices) +
             "' -- \"$current\")); return ;;\n";
    }
  }
  return out +
         "    *:--config|*:--path|*:--file) compopt -o filenames; COMPREPLY=($(compgen -f -- "
         "\"$current\")); return ;;\n"
         "    *:--skills|*:--extra-skills|*:--data) compopt -o filenames; COMPREPLY=($(compgen -d "
         "-- \"$current\")); return ;;\n"
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  elif [[ -n $words ]] && ((COMP_CWORD == 2)); then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  elif [[ -n $kind ]] && { [[ -z $words ]] || ((COMP_CWORD == 3)); }; then\n"
         "    local IFS=$'\\n'\n"
         "    COMPREPLY=($(iii-directory __complete \"$kind\" \"$current\" 2>/dev/null))\n"
         "    type __ltrim_colon_completions >/dev/null 2>&1 && __ltrim_colon_completions "
         "\"$current\"\n"
         "  elif [[ -z $words ]]; then\n"
         "    compopt -o filenames; COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _iii_directory iii-directory\n";
}

std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh() {
  std::string out =
      "#compdef iii-directory\n"
      "# zsh completion of iii-directory; made by `iii-directory completion zsh`.\n"
      "_iii_directory_words() {\n"
      "  local -a found\n"
      "  found=(${(f)\"$(iii-directory __complete $1 \"$PREFIX\" 2>/dev/null)\"})\n"
      "  compadd -a found\n"
      "}\n"
      "_iii_directory() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    for (const std::string& name : names_of(verb)) {
      out += "    " + in_quotes(name + ":" + zsh_text(verb.summary)) + "\n";
    }
  }
  out +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words; ((CURRENT--))\n"
      "  case $verb in\n";
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    out += "    " + join(names_of(verb), "|") + ")\n      _arguments";
    for (const Option& option : verb.options) {
      std::string spec = "--" + std::string(option.name);
      if (!option.value.empty()) spec += "=";
      spec += "[" + zsh_text(option.help) + "]";
      if (!option.value.empty()) {
        spec += ":" + zsh_text(option.value) + ":";
        if (!option.choices.empty()) spec += "(" + std::string(option.choices) + ")";
        if (option.value == "FILE") spec += "_files";
        if (option.value == "DIR") spec += "_files -/";
      }
      out += " \\\n        " + in_quotes(spec);
    }
    const std::string choices = choices_of(verb);
    const std::string kind(asked_for(verb));
    std::vector<std::string> words;
    if (!choices.empty()) words.push_back("1:argument:(" + choices + ")");
    if (!kind.empty()) {
      words.push_back((choices.empty() ? "*" : "2") + (":argument:_iii_directory_words " + kind));
    }
    if (words.empty()) words.emplace_back("*:argument:_files");
    for (const std::string& each : words) {
      if (verb.most_words > 0) out += " \\\n        " + in_quotes(each);
    }
    out += " ;;\n";
  }
  return out + "  esac\n}\ncompdef _iii_directory iii-directory\n";
}

std::string fish() {
  std::string out =
      "# fish completion of iii-directory; made by `iii-directory completion fish`.\n"
      "complete -c iii-directory -n __fish_use_subcommand -f\n";
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    for (const std::string& name : names_of(verb)) {
      const std::string verb_seen = "__fish_seen_subcommand_from " + name;
      const std::string seen = in_quotes(verb_seen);
      out += "complete -c iii-directory -n __fish_use_subcommand -a " + name + " -d " +
             in_quotes(verb.summary) + "\n";
      for (const Option& option : verb.options) {
        out += "complete -c iii-directory -n " + seen + " -l " + std::string(option.name);
        if (option.letter != 0) out += std::string(" -s ") + option.letter;
        if (!option.value.empty()) out += " -r";
        if (!option.choices.empty()) out += " -f -a " + in_quotes(option.choices);
        out += " -d " + in_quotes(option.help) + "\n";
      }
      const std::string choices = choices_of(verb);
      const std::string kind(asked_for(verb));
      if (!choices.empty()) {
        out += "complete -c iii-directory -n " + seen + " -f -a " + in_quotes(choices) + "\n";
      }
      if (!kind.empty()) {
        const std::string chosen = "; and __fish_seen_subcommand_from " + choices;
        out += "complete -c iii-directory -n " +
               in_quotes(verb_seen + (choices.empty() ? "" : chosen)) + " -f -a " +
               in_quotes("(iii-directory __complete " + kind + " (commandline -ct))") + "\n";
      }
    }
  }
  return out;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return fail("usage",
              "there is no completion for '" + std::string(shell) + "'. Next: bash, zsh or fish.");
}

}  // namespace iii::cli
