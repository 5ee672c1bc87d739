#include "faces/cli/man.h"

#include "faces/cli/verbs.h"
#include "foundation/base/text.h"

namespace iii::cli {

namespace {

// A dash is typed by the reader, so it must stay one; a dot at the beginning would be a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string title(std::string_view name) {
  return ".TH " + std::string(name) + " 1 \"\" \"iii-directory" + "\" \"User Commands\"\n";
}

std::string options(const std::vector<Option>& all) {
  std::string out = ".SH OPTIONS\n";
  for (const Option& option : all) {
    out += ".TP\n";
    if (option.letter != 0) out += "\\fB\\-" + std::string(1, option.letter) + "\\fR, ";
    out += "\\fB\\-\\-" + escaped(option.name) + "\\fR";
    if (!option.value.empty()) out += " \\fI" + escaped(option.value) + "\\fR";
    out += "\n" + escaped(option.help) + "\n";
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += ".PP\n" + escaped(line) + "\n";
  return out;
}

constexpr std::string_view kExit =
    ".SH EXIT STATUS\n"
    ".TP\n0\nDone.\n"
    ".TP\n1\nIt failed, or a check found something.\n"
    ".TP\n2\nThe command line is wrong.\n"
    ".TP\n130\nInterrupted.\n";

}  // namespace

std::string man_page(const Verb& verb) {
  const std::string name = "iii-directory-" + std::string(verb.name);
  std::string out = title(ascii_lower(name)) + ".SH NAME\n" + escaped(name) + " \\- " +
                    escaped(verb.summary) + "\n.SH SYNOPSIS\n";
  for (const std::string_view usage : verb.usage) {
    out += ".B iii\\-directory\n" + escaped(usage) + "\n.br\n";
  }
  out += ".SH DESCRIPTION\n";
  out += paragraphs(verb.description.empty() ? verb.summary : verb.description);
  if (!verb.aliases.empty()) {
    std::string names;
    for (const std::string_view alias : verb.aliases) {
      names += (names.empty() ? "" : ", ") + std::string(alias);
    }
    out += ".PP\nAlso: " + escaped(names) + ".\n";
  }
  if (!verb.options.empty()) out += options(verb.options);
  out += kExit;
  if (!verb.examples.empty()) out += ".SH EXAMPLES\n";
  for (const Example& example : verb.examples) {
    out += ".TP\n\\fBiii\\-directory " + escaped(example.command) + "\\fR\n" +
           escaped(example.what) + "\n";
  }
  return out + ".SH SEE ALSO\n.BR iii\\-directory (1)\n";
}

std::string man_page() {
  std::string out = title("iii-directory") +
                    ".SH NAME\niii\\-directory \\- skills and prompts for agents, and a bus for "
                    "iii workers\n"
                    ".SH SYNOPSIS\n.B iii\\-directory\nVERB [arguments] [options]\n.br\n"
                    ".B iii\\-directory\n[options]\n"
                    ".SH DESCRIPTION\n";
  out += paragraphs(worker_verb().summary) + paragraphs(worker_verb().description);
  out += ".SH VERBS\n";
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    out += ".TP\n.BR iii\\-directory\\-" + escaped(verb.name) + " (1)\n" + escaped(verb.summary) +
           "\n";
  }
  out += options(worker_verb().options);
  out +=
      ".SH ENVIRONMENT\n"
      ".TP\nIII_URL\nAddress of the engine.\n"
      ".TP\nIII_TOKEN\nBearer token of the engine.\n"
      ".TP\nIII_DIRECTORY_KEY\nValue of a key of the configuration, such as "
      "III_DIRECTORY_SKILLS_FOLDER.\n"
      ".TP\nNO_COLOR\nNo colours, whatever its value is.\n"
      ".SH FILES\n"
      ".TP\n\\&./iii\\-directory.yaml, ./config.yaml\nThe configuration; the first that exists is "
      "read.\n"
      ".TP\n~/.iii/skills, ./.iii/skills\nSkills of the user and of the project.\n"
      ".TP\n~/.iii/directory\nDurable data of the server.\n";
  return out + std::string(kExit);
}

}  // namespace iii::cli
