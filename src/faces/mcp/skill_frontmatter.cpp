#include "faces/mcp/skill_frontmatter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/json/yaml.h"

namespace iii::mcp {

namespace {

constexpr size_t kMaxName = 64;
constexpr size_t kMaxDescription = 1024;
constexpr size_t kMaxCompatibility = 500;

std::unexpected<Error> not_portable(size_t line, std::string_view what) {
  return fail("not_portable", "line " + std::to_string(line) + " of the frontmatter has " +
                                  std::string(what) + ", which skill clients cannot read");
}

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

// The YAML between the two `---` lines.
std::optional<std::string_view> yaml_of(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  size_t end = bytes.find('\n');
  if (end == std::string_view::npos || without_return(bytes.substr(0, end)) != "---") {
    return std::nullopt;
  }
  const std::string_view rest = bytes.substr(end + 1);
  for (size_t begin = 0; begin <= rest.size();) {
    end = std::min(rest.find('\n', begin), rest.size());
    if (without_return(rest.substr(begin, end - begin)) == "---") return rest.substr(0, begin);
    begin = end + 1;
  }
  return std::nullopt;
}

// Where a quoted text that begins the value ends; npos: on another line.
size_t end_of_quote(std::string_view value) {
  const char quote = value[0];
  for (size_t i = 1; i < value.size(); ++i) {
    if (quote == '"' && value[i] == '\\') {
      ++i;
    } else if (value[i] == quote) {
      if (quote == '"' || i + 1 >= value.size() || value[i + 1] != '\'') return i;
      ++i;
    }
  }
  return std::string_view::npos;
}

bool closes_on_its_line(std::string_view value) {
  int depth = 0;
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '"' || c == '\'') {
      const size_t end = end_of_quote(value.substr(i));
      if (end == std::string_view::npos) return false;
      i += end;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return depth == 0;
}

// Numbers that readers of YAML understand differently.
bool is_odd_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (iequals(text, ".inf") || iequals(text, ".nan")) return true;
  if (text.starts_with("0b") || text.starts_with("0B") || text.starts_with("0X")) return true;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789_") == text.npos;
  return digits && ((text.size() > 1 && text[0] == '0') || text.find('_') != text.npos);
}

std::string_view without_comment(std::string_view value) {
  const size_t comment = value.find(" #");
  return trim(comment == std::string_view::npos ? value : value.substr(0, comment));
}

// What is wrong with a value that stands on one line; empty when nothing is.
std::string_view complaint_about(std::string_view value) {
  if (value.empty() || value[0] == '#') return "";
  const char first = value[0];
  if (first == '"' || first == '\'') {
    return end_of_quote(value) == std::string_view::npos ? "a quoted text of several lines" : "";
  }
  if (first == '[' || first == '{') {
    return closes_on_its_line(value) ? "" : "a list or mapping in brackets over several lines";
  }
  if (first == '&' || first == '*') return "an anchor or alias";
  if (first == '!') return "a tag";
  if (first == '|' || first == '>') {
    return without_comment(value).find_first_of("0123456789") != std::string_view::npos
               ? "a block with an indentation number"
               : "";
  }
  const std::string_view plain = without_comment(value);
  if (plain.find(": ") != std::string_view::npos || plain.ends_with(':')) {
    return "a text with `: ` that is not quoted";
  }
  return is_odd_number(plain) ? "a number that is read in different ways" : "";
}

bool is_block_header(std::string_view value) {
  return !value.empty() && (value[0] == '|' || value[0] == '>');
}

// Where the value of `key: value` begins; npos when the line has no key.
size_t value_of_line(std::string_view line) {
  if (line[0] == '"' || line[0] == '\'') {
    const size_t end = end_of_quote(line);
    if (end == std::string_view::npos || end + 1 >= line.size() || line[end + 1] != ':') {
      return std::string_view::npos;
    }
    return end + 2;
  }
  for (size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    if (colon + 1 == line.size() || line[colon + 1] == ' ') return colon + 1;
  }
  return std::string_view::npos;
}

Result<void> check_portable(std::string_view yaml) {
  size_t number = 1;            // the opening fence
  std::optional<size_t> block;  // indentation of the line that began a block of text
  for (std::string_view line : split(yaml, '\n')) {
    ++number;
    line = without_return(line);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    std::string_view rest = line.substr(indent);
    if (trim(rest).empty()) continue;
    if (block && indent > *block) continue;
    block.reset();
    if (rest[0] == '\t') return not_portable(number, "a tab as indentation");
    if (rest[0] == '#') continue;
    if (rest.starts_with("? ") || rest == "?") return not_portable(number, "a complex key");
    bool item = false;
    while (rest.starts_with("- ") || rest == "-") {
      rest = trim(rest.substr(1));
      item = true;
      if (rest.empty()) break;
    }
    if (rest.empty()) continue;
    const bool flow = rest[0] == '[' || rest[0] == '{';
    const size_t at = flow ? std::string_view::npos : value_of_line(rest);
    if (at == std::string_view::npos && !item) {
      return not_portable(number, "a text that goes on from the line before");
    }
    if (at != std::string_view::npos && rest.starts_with("<<")) {
      return not_portable(number, "a merge key");
    }
    const std::string_view value = at == std::string_view::npos ? rest : trim(rest.substr(at));
    if (const std::string_view complaint = complaint_about(value); !complaint.empty()) {
      return not_portable(number, complaint);
    }
    if (is_block_header(value)) block = indent;
  }
  return {};
}

std::unexpected<Error> invalid(std::string_view field, std::string_view rule) {
  return fail("invalid_field",
              "`" + std::string(field) + "` in the frontmatter " + std::string(rule));
}

Result<void> check_text(const json::Value& fields, std::string_view field, size_t most) {
  const json::Value* value = fields.find(field);
  if (value == nullptr) return {};
  const std::string* text = value->as_string();
  if (text == nullptr || is_blank(*text) || utf8_length(*text) > most) {
    return invalid(field, "must be a text of 1 to " + std::to_string(most) + " characters");
  }
  return {};
}

Result<void> check_metadata(const json::Value& fields) {
  const json::Value* metadata = fields.find("metadata");
  if (metadata == nullptr) return {};
  const json::Object* members = metadata->as_object();
  if (members == nullptr) return invalid("metadata", "must be a mapping of texts to texts");
  for (const auto& [key, value] : *members) {
    if (value.as_string() == nullptr) {
      return invalid("metadata", "must be a mapping of texts to texts; quote `" + key + "`");
    }
  }
  return {};
}

Result<void> check_fields(const json::Value& fields, std::string_view folder) {
  const json::Value* name = fields.find("name");
  if (name == nullptr || name->as_string() == nullptr) return invalid("name", "is missing");
  if (!is_skill_name(*name->as_string())) {
    return invalid("name", "may have a-z, 0-9 and single hyphens, at most 64 characters");
  }
  if (*name->as_string() != folder) {
    return invalid("name", "must be the name of the folder, `" + std::string(folder) + "`");
  }
  if (fields.find("description") == nullptr) return invalid("description", "is missing");
  if (auto ok = check_text(fields, "description", kMaxDescription); !ok) return ok;
  if (auto ok = check_text(fields, "compatibility", kMaxCompatibility); !ok) return ok;
  if (auto ok = check_text(fields, "license", kMaxDescription); !ok) return ok;
  const json::Value* tools = fields.find("allowed-tools");
  if (tools != nullptr && tools->as_string() == nullptr) {
    return invalid("allowed-tools", "must be a text with blanks between the tools");
  }
  return check_metadata(fields);
}

}  // namespace

bool is_skill_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName) return false;
  char before = '-';
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!letter && (c != '-' || before == '-')) return false;
    before = c;
  }
  return before != '-';
}

Result<json::Value> read_skill_frontmatter(std::string_view bytes, std::string_view name) {
  const std::optional<std::string_view> yaml = yaml_of(bytes);
  if (!yaml)
    return fail("no_frontmatter", "it does not begin with frontmatter between `---` lines");
  json::YamlPlaces places;
  std::optional<json::Value> fields = json::parse_yaml(*yaml, {}, &places);
  if (!fields || fields->as_object() == nullptr) {
    return fail("not_portable", "its frontmatter is not a YAML mapping" +
                                    (places.error.empty() ? "" : ": " + places.error));
  }
  if (auto portable = check_portable(*yaml); !portable) return std::unexpected(portable.error());
  if (auto legal = check_fields(*fields, name); !legal) return std::unexpected(legal.error());
  return std::move(*fields);
}

}  // namespace iii::mcp
