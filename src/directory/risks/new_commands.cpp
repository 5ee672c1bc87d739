#include "directory/risks/new_commands.h"

#include <set>

#include "directory/risks/codes.h"
#include "directory/risks/excerpt.h"
#include "directory/risks/place.h"
#include "foundation/base/text.h"

namespace iii::risks {

namespace {

struct Command {
  std::string text;  // one blank between words
  uint32_t line = 0;
  std::string_view written;
};

std::string normal(std::string_view line) {
  std::string out;
  for (const char c : trim(line)) {
    const bool blank = c == ' ' || c == '\t';
    if (blank && out.ends_with(' ')) continue;
    out += blank ? ' ' : c;
  }
  return out.starts_with("$ ") ? out.substr(2) : out;
}

std::vector<Command> commands_of(std::string_view path, std::string_view bytes) {
  std::vector<Command> out;
  Places places(kind_of(path, bytes));
  uint32_t number = 0;
  for (const std::string_view line : split(bytes, '\n')) {
    ++number;
    const Place place = places.next(line);
    if (place.markup || place.where != Where::kCode || !place.shell) continue;
    std::string text = normal(line);
    if (!text.empty()) out.push_back({std::move(text), number, line});
  }
  return out;
}

Risk risk_of(uint32_t line, std::string shown, std::string message) {
  return {.code = std::string(code::kNewCommand),
          .severity = Severity::kLow,
          .line = line,
          .excerpt = std::move(shown),
          .message = std::move(message)};
}

}  // namespace

std::vector<Risk> new_commands(std::string_view path, std::string_view before,
                               std::string_view after) {
  if (before == after) return {};
  const FileKind kind = kind_of(path, after);
  if (kind == FileKind::kScript) {
    return {risk_of(0, {}, before.empty() ? "a new program" : "a program that has changed")};
  }
  if (kind == FileKind::kData) return {};
  std::set<std::string, std::less<>> known;
  for (Command& command : commands_of(path, before)) known.insert(std::move(command.text));
  std::vector<Risk> out;
  size_t more = 0;
  for (Command& command : commands_of(path, after)) {
    if (!known.insert(command.text).second) continue;
    if (out.size() >= kMaxNewCommands) {
      ++more;
    } else {
      out.push_back(risk_of(command.line, excerpt(command.written, 0), "a new command"));
    }
  }
  if (more > 0) out.push_back(risk_of(0, {}, std::to_string(more) + " more new commands"));
  return out;
}

}  // namespace iii::risks
