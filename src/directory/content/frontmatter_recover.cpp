#include "directory/content/frontmatter_recover.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "directory/content/findings.h"
#include "directory/content/frontmatter_chunks.h"
#include "directory/content/frontmatter_description.h"
#include "directory/content/space.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

constexpr std::array<std::string_view, 5> kKnownKeys = {"title", "name", "type", "function_id",
                                                        "description"};
constexpr std::array<std::string_view, 6> kPermissionKeys = {"allowed-tools",    "allowed_tools",
                                                             "disallowed-tools", "disallowed_tools",
                                                             "permissions",      "tools"};

bool is_sentence_key(std::string_view key) { return key == "title" || key == "description"; }

// The value as the author wrote it, in one line, without the quotes around all of it.
std::string raw_value(std::string_view text) {
  bool literal = false;
  size_t at = 0;
  std::string out;
  for (bool first = true; at < text.size(); first = false) {
    const std::string_view line = trim_space(next_line(text, at));
    if (first && !line.empty() && (line.front() == '|' || line.front() == '>') &&
        line.find_first_not_of("+-0123456789", 1) == std::string_view::npos) {
      literal = line.front() == '|';
      continue;
    }
    if (line.empty()) continue;
    if (!out.empty()) out += literal ? '\n' : ' ';
    out += line;
  }
  if (out.size() >= 2 && (out.front() == '"' || out.front() == '\'') && out.back() == out.front()) {
    out = trim_space(std::string_view(out).substr(1, out.size() - 2));
  }
  return out;
}

// Text that is not text: an alias without its anchor, or for an identifier anything with structure.
bool is_guesswork(std::string_view key, std::string_view raw) {
  if (raw.empty()) return false;
  if (raw.front() == '*' && raw.find_first_of(" *", 1) == std::string_view::npos) return true;
  return !is_sentence_key(key) &&
         std::string_view("[{&*").find(raw.front()) != std::string_view::npos;
}

std::optional<bool> is_yes(std::string_view value) {
  const std::string word = ascii_lower(trim(value));
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off" || word.empty()) return false;
  return std::nullopt;
}

class Recoverer {
 public:
  Recoverer(std::string_view bytes, Range block) : bytes_(bytes), cut_(cut_chunks(bytes, block)) {}

  Recovery run(Range block, const YamlProblem& problem) {
    for (const Chunk& chunk : cut_.chunks) take(chunk);
    if (cut_.stray && !cut_.chunks.empty()) {
      add(*cut_.stray, findings::kStrayLine,
          "This line is neither `key: value` nor an indented part of the line above, and was "
          "ignored.");
    }
    if (cut_.second_document) {
      add(*cut_.second_document, findings::kSecondDocument,
          "A second YAML document begins here; only the one above it was read. Close the "
          "frontmatter with a "
          "line that is only `---`.");
    }
    if (out_.findings.empty()) add_problem(block, problem);
    return std::move(out_);
  }

 private:
  Finding& add(size_t offset, const findings::Code& code, std::string message) {
    out_.findings.push_back(finding_at(bytes_, offset, code, std::move(message)));
    return out_.findings.back();
  }

  void add_problem(Range block, const YamlProblem& problem) {
    using Problem = YamlProblem::Kind;
    const findings::Code code = problem.kind == Problem::kNotMapping ? findings::kNotMapping
                                : problem.kind == Problem::kTooDeep  ? findings::kYamlTooDeep
                                : problem.kind == Problem::kTooLarge
                                    ? findings::kFrontmatterTooLarge
                                    : findings::kYamlSyntax;
    Finding& finding = add(block.begin, code,
                           fmt::format("The frontmatter is not valid YAML: {}. Keys on lines of "
                                       "their own were read, the rest was ignored.",
                                       problem.text));
    finding.line = *finding.line + problem.line;
    finding.column = problem.column + 1;
  }

  void take(const Chunk& chunk) {
    if (is_permission_key(chunk.key)) {
      add(chunk.key_begin, findings::kPermissionUnreadable,
          fmt::format("{} is in frontmatter that is not valid YAML, so it grants nothing. "
                      "Repair the other "
                      "findings of this file.",
                      quoted_key(chunk.key)));
    }
    std::string text = fmt::format("{}: ", chunk.key);
    text += bytes_.substr(chunk.value_begin, chunk.end - chunk.value_begin);
    const bool as_it_is = !chunk.tabbed && !chunk.glued;
    const std::string_view source =
        as_it_is ? bytes_.substr(chunk.begin, chunk.end - chunk.begin) : text;
    const YamlResult yaml = read_yaml(source, interest_in);
    if (is_invocation_key(chunk.key)) return take_invocation(chunk, yaml);
    if (!yaml) return take_raw(chunk);
    if (!is_known_key(chunk.key)) return;
    if (yaml->entries.size() != 1) return take_raw(chunk);
    const YamlEntry& entry = yaml->entries.front();
    if (entry.kind == YamlEntry::Kind::kList || entry.kind == YamlEntry::Kind::kOther) {
      return take_structure(chunk, entry);
    }
    if (chunk.key == "description") {
      if (const auto stub = stub_of(source, entry)) return take_stub(chunk, *stub);
      if (const std::string_view comment = comment_after(source, entry); !comment.empty()) {
        return bend(chunk, entry.text + std::string(comment));
      }
    }
    if (!as_it_is) return bend(chunk, entry.text);
    set(chunk, entry.text);
  }

  void take_stub(const Chunk& chunk, const Stub& stub) {
    if (!set(chunk, stub.text)) return;
    out_.fields.stub = stub.cut_off;
    Finding& finding = add(chunk.value_begin, findings::kDescriptionStub, stub_message(stub));
    if (!stub.text.empty()) finding.fix = quote_fix(chunk, stub.text);
  }

  void take_invocation(const Chunk& chunk, const YamlResult& yaml) {
    std::optional<bool> yes;
    if (yaml && yaml->entries.size() == 1) {
      yes = is_yes(yaml->entries.front());
    } else if (!yaml) {
      yes = is_yes(raw_value(bytes_.substr(chunk.value_begin, chunk.end - chunk.value_begin)));
    }
    if (yes.value_or(true)) out_.fields.for_agents = false;
    if (!yes) {
      add(chunk.key_begin, findings::kPermissionUnreadable, invocation_message(chunk.key));
    }
  }

  void take_structure(const Chunk& chunk, const YamlEntry& entry) {
    const bool list = entry.kind == YamlEntry::Kind::kList;
    const auto text = text_of_list(chunk.key, entry.items);
    if (!set(chunk, text.value_or(""))) return;
    add(chunk.key_begin, list ? findings::kListValue : findings::kMapValue,
        structure_message(chunk.key, list, text.has_value()));
  }

  void take_raw(const Chunk& chunk) {
    const std::string raw =
        raw_value(bytes_.substr(chunk.value_begin, chunk.end - chunk.value_begin));
    if (is_permission_key(chunk.key)) return;
    if (!is_known_key(chunk.key)) {
      Finding& finding = add_broken(chunk, raw);
      // Nobody reads it here; with quotes it stops breaking the keys around it.
      if (chunk.one_line) finding.fix = quote_fix(chunk, raw);
      return;
    }
    if (is_guesswork(chunk.key, raw)) {
      if (!set(chunk, "")) return;
      add(chunk.value_begin, findings::kUnquotedText,
          fmt::format("The value of {} cannot be read as a word and was ignored. Write it as "
                      "plain text, or in "
                      "quotes.",
                      quoted_key(chunk.key)));
      return;
    }
    if (const auto stub = chunk.key == "description" ? stub_of(raw) : std::nullopt) {
      return take_stub(chunk, *stub);
    }
    bend(chunk, raw);
  }

  // A value that was read against YAML's rules.
  void bend(const Chunk& chunk, const std::string& value) {
    if (!set(chunk, value)) return;
    add_broken(chunk, value).fix = quote_fix(chunk, value);
  }

  // False: the key was there already, which is said.
  bool set(const Chunk& chunk, std::string_view value) {
    if (std::ranges::find(seen_, chunk.key) != seen_.end()) {
      add(chunk.key_begin, findings::kDuplicateKey,
          fmt::format("{} occurs a second time; the first one is used.", quoted_key(chunk.key)));
      return false;
    }
    seen_.push_back(chunk.key);
    out_.any_known = true;
    const std::string_view trimmed = trim_space(value);
    if (!trimmed.empty()) *out_.fields.find(chunk.key) = std::string(trimmed);
    return true;
  }

  static std::string quoted_key(std::string_view key) { return fmt::format("`{}`", key); }

  static Fix quote_fix(const Chunk& chunk, std::string_view value) {
    if (chunk.tabbed) {
      return Fix{chunk.begin, chunk.end - chunk.begin,
                 fmt::format("{}: {}", chunk.key, yaml_quote(value))};
    }
    return Fix{chunk.value_begin, chunk.end - chunk.value_begin,
               (chunk.glued ? " " : "") + yaml_quote(value)};
  }

  // Says what in the value breaks YAML's rules.
  Finding& add_broken(const Chunk& chunk, std::string_view raw) {
    const auto [code, message] = what_is_broken(chunk, raw);
    return add(chunk.value_begin, code, fmt::format(fmt::runtime(message), quoted_key(chunk.key)));
  }

  // The code, and the message for a key.
  static std::pair<findings::Code, std::string> what_is_broken(const Chunk& chunk,
                                                               std::string_view raw) {
    if (chunk.tabbed) {
      return {findings::kTabIndent,
              "{} is indented by a tab, which YAML forbids; it was read as a key. Remove the "
              "indentation."};
    }
    if (chunk.glued) {
      return {findings::kMissingSpace,
              "{} has no space after its colon, so it is not a key in YAML. It was read as one."};
    }
    if (chunk.unindented) {
      return {findings::kUnindentedText,
              "The text of {} continues without indentation, where YAML expects the next key. The "
              "lines were joined; indent them, or quote the whole text."};
    }
    if (raw.contains(": ") || raw.ends_with(':')) {
      return {findings::kUnquotedColon,
              "The value of {} has a colon followed by a space, which YAML reads as another key. "
              "It was read as written; put it in quotes."};
    }
    if (chunk.key == "description" && raw.contains(" #")) {
      return {findings::kDescriptionCut, cut_message()};
    }
    if (raw.contains('"') || raw.contains('\'')) {
      return {findings::kBrokenQuotes,
              "The quotes in the value of {} are not closed where YAML expects it. It was read as "
              "written; put it in double quotes with \\\" for those inside."};
    }
    return {findings::kUnquotedText,
            "YAML cannot read the value of {} without quotes. It was read as written; put it in "
            "quotes."};
  }

  std::string_view bytes_;
  Chunks cut_;
  Recovery out_;
  std::vector<std::string> seen_;
};

}  // namespace

bool is_known_key(std::string_view key) {
  return std::ranges::find(kKnownKeys, key) != kKnownKeys.end();
}

bool is_permission_key(std::string_view key) {
  return std::ranges::find(kPermissionKeys, key) != kPermissionKeys.end();
}

bool is_invocation_key(std::string_view key) {
  return key == "disable-model-invocation" || key == "disable_model_invocation";
}

bool is_list_key(std::string_view key) { return key == "requires" || key == "functions"; }

YamlInterest interest_in(std::string_view key) {
  if (is_known_key(key) || is_permission_key(key) || is_invocation_key(key) || is_list_key(key)) {
    return YamlInterest::kValue;
  }
  const bool other_case =
      std::ranges::any_of(kKnownKeys, [key](auto known) { return iequals(known, key); });
  return other_case ? YamlInterest::kPresence : YamlInterest::kNone;
}

Finding finding_at(std::string_view bytes, size_t offset, const findings::Code& code,
                   std::string message) {
  const std::string_view before = bytes.substr(0, offset);
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is the start of the file
  Finding finding;
  finding.code = code;
  finding.severity = code.severity;
  finding.message = std::move(message);
  finding.line = 1 + static_cast<uint32_t>(std::ranges::count(before, '\n'));
  finding.column = 1 + static_cast<uint32_t>(utf8_length(before.substr(line_begin)));
  return finding;
}

Recovery recover_lines(std::string_view bytes, Range block, const YamlProblem& problem) {
  return Recoverer(bytes, block).run(block, problem);
}

std::optional<bool> is_yes(const YamlEntry& entry) {
  if (entry.kind == YamlEntry::Kind::kNull) return false;
  if (entry.kind != YamlEntry::Kind::kText) return std::nullopt;
  return is_yes(entry.text);
}

std::string invocation_message(std::string_view key) {
  return fmt::format(
      "The value of `{}` is neither true nor false; it was read as true, so the document is not "
      "in lists for agents.",
      key);
}

std::optional<std::string> text_of_list(std::string_view key,
                                        const std::vector<std::string>& items) {
  if (items.size() == 1) return items.front();
  if (items.empty() || !is_sentence_key(key)) return std::nullopt;
  return join(items, ", ");
}

std::string structure_message(std::string_view key, bool list, bool used) {
  if (!list) {
    return fmt::format("`{}` holds a mapping where one text belongs; it was left out.", key);
  }
  return used ? fmt::format(
                    "`{}` holds a list where one text belongs; its items were read as one text.",
                    key)
              : fmt::format("`{}` holds a list where one word belongs; it was left out.", key);
}

}  // namespace iii::content
