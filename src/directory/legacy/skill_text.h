// Title, description and index page as skills 0.1.5 made them (skills-legacy §6): by lines, without
// knowing markdown. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iii::directory {

// The first line `# …`, wherever it stands; may be empty.
std::optional<std::string> heading_of(std::string_view skill);
// The first lines that are neither blank nor headings, on one line, cut; empty when there are none.
std::string paragraph_of(std::string_view skill);

inline constexpr size_t kMaxDescription = 140;  // characters
// At most `count` characters, and three dots when something was left out.
std::string cut_text(std::string_view text, size_t count);

struct IndexLine {
  std::string id;
  std::string title;        // empty: the id
  std::string description;  // may be empty
};
// The line of a list in markdown.
std::string index_line(const IndexLine& line);
// `problem`, when not empty, says why the page may lack something.
std::string index_page(const std::vector<IndexLine>& lines, std::string_view problem);

}  // namespace iii::directory
