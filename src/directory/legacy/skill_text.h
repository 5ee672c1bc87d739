// Title, description and index page as skills 0.1.5 made them (skills-legacy §6): by lines, without
// knowing markdown. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/registrations.h"

namespace iii::directory {

// The first line `# …`, wherever it stands; may be empty.
std::optional<std::string> heading_of(std::string_view skill);
// The first lines that are neither blank nor headings, on one line, cut; empty when there are none.
std::string paragraph_of(std::string_view skill);

inline constexpr size_t kMaxDescription = 140;  // characters
// At most `count` characters, and three dots when something was left out.
std::string cut_text(std::string_view text, size_t count);

// A skill or prompt as the functions of the earlier versions show it.
struct LegacyDocument {
  std::string id;          // of a file as it is shown, else what it was registered under
  std::string title = {};  // of a skill; empty: the id
  std::string description = {};
  uint64_t bytes = 0;                          // of the file, or of the text that was registered
  std::string time = {};                       // when it was registered, or its file modified
  std::string function_id = {};                // of a registered prompt
  std::vector<PromptArgument> arguments = {};  // the same
  uint64_t argument_count = 0;
  std::string origin = "file";  // or `registered`
};
// The line of a list in markdown.
std::string index_line(const LegacyDocument& document);
// `problem`, when not empty, says why the page may lack something.
std::string index_page(const std::vector<LegacyDocument>& documents, std::string_view problem);

}  // namespace iii::directory
