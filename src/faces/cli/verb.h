// What a verb of the command line is: one description gives parsing, help, completion and man page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iii::cli {

struct Option {
  std::string_view name;        // without the dashes
  std::string_view value = {};  // what to call its value in the help; empty for a switch
  std::string_view help = {};
  char letter = 0;                // short form
  std::string_view choices = {};  // words that the value may be, separated by blanks
};

struct Example {
  std::string_view command;  // without `iii-directory `
  std::string_view what;     // what it does, in a few words
};

// What the words of a verb are, for completion.
enum class Words {
  kNone,
  kSkills,
  kPrompts,
  kNamespaces,
  kFunctions,
  kFolders,
  kVerbs,
  kKeys,  // of the configuration
  kChoices
};

enum class Group { kRun, kRead, kWrite, kBus, kSetup };

struct Verb {
  std::string_view name;
  Group group = Group::kRun;
  std::string_view summary;             // one sentence
  std::vector<std::string_view> usage;  // each begins after `iii-directory `
  std::string_view description = {};    // paragraphs; empty: the summary says it all
  std::vector<Option> options = {};
  size_t least_words = 0;  // positional arguments
  size_t most_words = 0;
  Words words = Words::kNone;
  std::string_view choices = {};      // with Words::kChoices: the words, separated by blanks
  Words after_choice = Words::kNone;  // what follows one of them
  std::vector<Example> examples = {};
  std::vector<std::string_view> aliases = {};
  std::vector<std::string_view> functions = {};  // of the table of functions that it calls
  bool json = false;                             // has `--json` and a schema
  bool hidden = false;                           // for programs: neither listed nor documented
};

inline constexpr size_t kAnyNumber = static_cast<size_t>(-1);
inline constexpr std::string_view kProgram = "iii-directory";

// `--help` of one verb, for a terminal of this width.
std::string help_text(const Verb& verb, size_t width = 80);

}  // namespace iii::cli
