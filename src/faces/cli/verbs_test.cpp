#include "faces/cli/verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "faces/cli/args.h"
#include "faces/cli/man.h"
#include "faces/cli/width.h"
#include "foundation/base/text.h"

namespace iii::cli {
namespace {

using testing::HasSubstr;

TEST(Verbs, NamesAndOptionsAreUnique) {
  std::set<std::string_view> names;
  for (const Verb& verb : verbs()) {
    EXPECT_TRUE(names.insert(verb.name).second) << verb.name;
    for (const std::string_view alias : verb.aliases)
      EXPECT_TRUE(names.insert(alias).second) << alias;
    std::set<std::string_view> options;
    std::set<char> letters;
    for (const Option& option : verb.options) {
      EXPECT_TRUE(options.insert(option.name).second) << verb.name << " --" << option.name;
      if (option.letter != 0) EXPECT_TRUE(letters.insert(option.letter).second) << verb.name;
      EXPECT_FALSE(option.help.empty()) << verb.name << " --" << option.name;
    }
    EXPECT_LE(verb.least_words, verb.most_words);
  }
}

TEST(Verbs, EachTeaches) {
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    const std::string help = help_text(verb);
    EXPECT_FALSE(verb.summary.empty()) << verb.name;
    EXPECT_FALSE(verb.examples.empty()) << verb.name;
    for (const std::string_view usage : verb.usage) EXPECT_TRUE(usage.starts_with(verb.name));
    for (const Option& option : verb.options)
      EXPECT_THAT(help, HasSubstr("--" + std::string(option.name)));
    for (const Example& example : verb.examples)
      EXPECT_THAT(help, HasSubstr(std::string(example.command)));
    if (verb.group != Group::kRun && verb.name != "completion" && verb.name != "help") {
      const bool has_json =
          std::ranges::any_of(verb.options, [](const Option& o) { return o.name == "json"; });
      EXPECT_TRUE(has_json) << verb.name;
    }
  }
}

// A word of an example that is an option exists.
TEST(Verbs, ExamplesAreValid) {
  for (const Verb& verb : verbs()) {
    for (const Example& example : verb.examples) {
      std::vector<std::string> words;
      for (const std::string_view word : split(example.command, ' ')) {
        if (word == ">" || word == "|") break;
        words.emplace_back(word);
      }
      ASSERT_EQ(find_verb(words.front()), &verb) << example.command;
      words.erase(words.begin());
      EXPECT_TRUE(parse_args(verb, words)) << example.command;
    }
  }
}

TEST(Verbs, HelpFitsTheTerminal) {
  for (const Verb& verb : verbs()) {
    for (const std::string_view line : split(help_text(verb, 60), '\n')) {
      const bool taught =
          line.find("iii-directory") != std::string_view::npos || line.starts_with("  ");
      if (!taught) EXPECT_LE(columns(line), 60U) << line;
    }
  }
}

TEST(Verbs, MistakesFindTheVerb) {
  EXPECT_THAT(unknown_verb("serv"), HasSubstr("Did you mean serve?"));
  EXPECT_THAT(unknown_verb("upgrade"), HasSubstr("Did you mean update?"));
  EXPECT_THAT(unknown_verb("uninstall"), HasSubstr("Did you mean remove?"));
  EXPECT_EQ(find_verb("install"), find_verb("add"));
}

TEST(Verbs, OptionsBeforeTheVerbAreAMistakeThatIsExplained) {
  const std::vector<std::string> late{"--url", "ws://h", "list"};
  EXPECT_THAT(misplaced_verb(late), HasSubstr("options come after the verb. Next: write "
                                              "`iii-directory list [options]`"));
  EXPECT_EQ(misplaced_verb(std::vector<std::string>{"--prot", "5"}), "");
  EXPECT_EQ(misplaced_verb(std::vector<std::string>{"--url", "x", "__complete"}), "");
}

TEST(Verbs, TheOverviewHasThemAll) {
  const std::string text = overview(80);
  for (const Verb& verb : verbs()) {
    EXPECT_EQ(text.find("  " + std::string(verb.name) + " ") != std::string::npos, !verb.hidden)
        << verb.name;
  }
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(columns(line), 80U) << line;
}

TEST(Man, PagesNameEveryOptionAndEscapeDashes) {
  const std::string page = man_page(*find_verb("add"));
  EXPECT_THAT(page, HasSubstr(".TH iii-directory-add 1"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-accept\\-risks\\fR"));
  // A line that begins with a dot is a request, or an accident. Requests here are upper case.
  std::string pages = man_page();
  for (const Verb& verb : verbs()) pages += man_page(verb);
  for (const std::string_view line : split(pages, '\n')) {
    const bool request = line.size() > 1 && line[0] == '.' && line[1] >= 'A' && line[1] <= 'Z';
    EXPECT_TRUE(!line.starts_with('.') || request || line == ".br") << line;
  }
  EXPECT_THAT(man_page(), HasSubstr("iii\\-directory\\-serve (1)"));
}

}  // namespace
}  // namespace iii::cli
