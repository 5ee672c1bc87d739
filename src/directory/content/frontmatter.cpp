#include "directory/content/frontmatter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "directory/content/findings.h"
#include "directory/content/frontmatter_description.h"
#include "directory/content/frontmatter_recover.h"
#include "directory/content/frontmatter_split.h"
#include "directory/content/frontmatter_yaml.h"
#include "directory/content/space.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

using Kind = YamlEntry::Kind;
using Closing = LenientFences::Closing;

// R23, R71: the keys whose value must be one text or the original drops the block.
bool must_be_text(std::string_view key, bool prompt) {
  if (key == "description") return true;
  return prompt ? key == "name" : key == "title" || key == "type" || key == "function_id";
}

class FrontmatterReader {
 public:
  FrontmatterReader(std::string_view bytes, const ParseOptions& options)
      : bytes_(bytes), options_(options) {}

  Frontmatter run() {
    const auto strict = strict_fences(bytes_);
    YamlResult yaml;
    if (strict) {
      yaml = read_yaml(text({strict->yaml_begin, strict->yaml_end}), interest_in);
      if (yaml && all_texts(*yaml)) {
        set_place(*strict);
        take(out_.block, *yaml);
        return std::move(out_);
      }
    }
    if (options_.lenient && look_kindly(strict)) return std::move(out_);
    if (strict) {
      set_place(*strict);
      read_block(out_.block, yaml);
      if (!options_.lenient) drop_fields();
    }
    return std::move(out_);
  }

 private:
  std::string_view text(Range range) const {
    return bytes_.substr(range.begin, range.end - range.begin);
  }

  Finding& add(size_t offset, const findings::Code& code, std::string message) {
    out_.findings.push_back(finding_at(bytes_, offset, code, std::move(message)));
    return out_.findings.back();
  }

  void drop_fields() {
    const bool for_agents = out_.fields.for_agents;
    out_.fields = {};
    out_.fields.for_agents = for_agents;  // what is forbidden stays forbidden
    for (Finding& finding : out_.findings) {
      finding.message +=
          " Lenient reading is switched off, so nothing of this frontmatter is used.";
    }
  }

  // R24: every key that matters is there once, as a text or as nothing.
  bool all_texts(const YamlMapping& yaml) const {
    for (size_t i = 0; i < yaml.entries.size(); ++i) {
      const YamlEntry& entry = yaml.entries[i];
      if (!must_be_text(entry.key, options_.prompt)) continue;
      if (entry.kind == Kind::kList || entry.kind == Kind::kOther) return false;
      for (size_t j = 0; j < i; ++j) {
        if (yaml.entries[j].key == entry.key) return false;
      }
    }
    return true;
  }

  void set_place(const Fences& fences) {
    out_.present = true;
    out_.block = {fences.yaml_begin, fences.yaml_end};
    out_.body_offset = fences.body;
    out_.closing_line = fences.yaml_end + 1;
  }

  // A well-formed mapping, whatever its values are.
  void take(Range block, const YamlMapping& yaml) {
    std::vector<std::string_view> seen;
    for (const YamlEntry& entry : yaml.entries) {
      const bool again = std::ranges::find(seen, entry.key) != seen.end();
      seen.push_back(entry.key);
      if (is_permission_key(entry.key)) {
        take_permission(block.begin, entry, again);
      } else if (is_invocation_key(entry.key)) {
        take_invocation(block.begin, entry, again);
      } else if (is_list_key(entry.key)) {
        if (!again) take_list(entry);
      } else {
        take_text(block, entry, again);
      }
    }
    for (const YamlEntry& entry : yaml.present) {
      add_at(block.begin, entry, findings::kKeyCase,
             fmt::format("`{}` is not read: keys are lower-case.", entry.key));
    }
  }

  void take_text(Range block, const YamlEntry& entry, bool again) {
    const bool strict = must_be_text(entry.key, options_.prompt);
    if (again) {
      if (!strict) return;
      add_at(block.begin, entry, findings::kDuplicateKey,
             fmt::format("`{}` occurs a second time; the first one is used.", entry.key));
      return;
    }
    std::string value = entry.text;
    if (entry.kind == Kind::kList || entry.kind == Kind::kOther) {
      const auto list = text_of_list(entry.key, entry.items);
      if (strict) {
        const bool is_list = entry.kind == Kind::kList;
        add_at(block.begin, entry, is_list ? findings::kListValue : findings::kMapValue,
               structure_message(entry.key, is_list, list.has_value()));
      }
      value = list.value_or("");
    }
    if (entry.key == "description") mend_description(block, entry, value);
    const std::string_view trimmed = trim_space(value);
    if (!trimmed.empty()) *out_.fields.find(entry.key) = std::string(trimmed);
  }

  // Descriptions that YAML reads differently than they were meant.
  void mend_description(Range block, const YamlEntry& entry, std::string& value) {
    const std::string_view source = text(block);
    if (const auto stub = stub_of(source, entry)) {
      Finding& finding =
          add(block.begin + entry.value_begin, findings::kDescriptionStub, stub_message(*stub));
      std::string meant(stub->text);
      const std::string_view written =
          trim_space(source.substr(entry.value_begin, entry.value_end - entry.value_begin));
      if (!meant.empty() && !written.empty()) {
        finding.fix = Fix{block.begin + entry.value_begin, written.size(), yaml_quote(meant)};
      }
      if (!options_.lenient) return;
      out_.fields.stub = stub->cut_off;
      value = std::move(meant);
      return;
    }
    const std::string_view comment = comment_after(source, entry);
    if (comment.empty()) return;
    const std::string whole = entry.text + std::string(comment);
    const size_t length = entry.value_end - entry.value_begin + comment.size();
    add(block.begin + entry.value_begin, findings::kDescriptionCut, cut_message()).fix =
        Fix{block.begin + entry.value_begin, length, yaml_quote(whole)};
    if (options_.lenient) value = whole;
  }

  void take_invocation(size_t begin, const YamlEntry& entry, bool again) {
    // Of a repeated key only the first value is known.
    const std::optional<bool> yes = again ? std::nullopt : is_yes(entry);
    if (yes.value_or(true)) out_.fields.for_agents = false;
    if (!yes) add_at(begin, entry, findings::kPermissionUnreadable, invocation_message(entry.key));
  }

  void take_list(const YamlEntry& entry) {
    std::vector<std::string> texts = entry.items;
    if (entry.key == "functions") {
      if (entry.kind == Kind::kText && options_.lenient) texts = {entry.text};
      out_.fields.functions = std::move(texts);
      return;
    }
    for (const std::string_view part : split(entry.text, ',')) texts.emplace_back(part);
    std::vector<std::string>& ids = out_.fields.required_functions;
    for (const std::string& text : texts) {
      const std::string_view id = trim_space(text);
      const bool is_function = id.contains("::") && !id.contains(' ');
      const bool known = std::ranges::find(ids, id) != ids.end();
      if (is_function && !known && ids.size() < kMaxRequired) ids.emplace_back(id);
    }
  }

  // What is not plainly a text or a list of texts, or is said twice, grants nothing to readers that
  // fail closed.
  void take_permission(size_t begin, const YamlEntry& entry, bool again) {
    const bool unreadable = entry.key == "allowed-tools" && entry.kind == Kind::kOther;
    if (!again && !unreadable) return;
    add_at(
        begin, entry, findings::kPermissionUnreadable,
        fmt::format("`{}` {}, so it grants nothing. Write it once, as one text or a list of texts.",
                    entry.key,
                    again ? "occurs a second time" : "is neither a text nor a list of texts"));
  }

  Finding& add_at(size_t begin, const YamlEntry& entry, const findings::Code& code,
                  std::string message) {
    Finding& finding = add(begin, code, std::move(message));
    finding.line = *finding.line + entry.line;
    finding.column = entry.column + 1;
    return finding;
  }

  enum class Keys { kNone, kUnknown, kKnown };

  // The block by YAML or else line by line; says what keys it had.
  Keys read_block(Range block, const YamlResult& yaml) {
    if (yaml) {
      take(block, *yaml);
      return !yaml->entries.empty() ? Keys::kKnown : yaml->any_key ? Keys::kUnknown : Keys::kNone;
    }
    const Range head = {block.begin, std::min(block.end, block.begin + kMaxFrontmatter)};
    Recovery recovery = recover_lines(bytes_, head, yaml.error());
    out_.fields = std::move(recovery.fields);
    std::ranges::move(recovery.findings, std::back_inserter(out_.findings));
    return recovery.any_known ? Keys::kKnown : Keys::kNone;
  }

  // A block that R20–R22 do not see, or see too long. True when there is one; else nothing has been
  // taken.
  bool look_kindly(const std::optional<Fences>& strict) {
    const auto found = lenient_fences(bytes_);
    if (!found) {
      if (bytes_.starts_with(kBom)) skip_bom();
      return false;
    }
    // The block is longer than a lenient look goes.
    if (strict && found->closing == Closing::kUnclosed) return false;
    const Range block = {found->fences.yaml_begin, found->fences.yaml_end};
    const YamlResult yaml = read_yaml(text(block), interest_in);
    // Prose inside the block: its fence is missing, and a rule in the text below was taken for it.
    if (!yaml && found->closing != Closing::kUnclosed) {
      const auto unclosed = unclosed_fences(bytes_, *found);
      if (unclosed && try_block(*unclosed)) return true;
    }
    if (strict && strict->body == found->fences.body) return false;
    if (try_block(*found)) return true;
    if (found->bom) skip_bom();
    return false;
  }

  // Takes the block when it has keys: where a rule and a line with a colon could be plain text,
  // keys we know. Two rules in a row at the very top are an empty block.
  bool try_block(const LenientFences& found) {
    tell(found);
    const Range block = {found.fences.yaml_begin, found.fences.yaml_end};
    const Keys keys = read_block(block, read_yaml(text(block), interest_in));
    const bool doubtful = found.closing == Closing::kUnclosed || !found.blank_lines.empty() ||
                          !found.comments.empty();
    const bool empty = found.empty && !doubtful && found.closing == Closing::kDashes;
    if (!empty && (keys == Keys::kNone || (doubtful && keys != Keys::kKnown))) {
      out_ = {};
      return false;
    }
    out_.present = true;
    out_.block = block;
    out_.body_offset = found.fences.body;
    return true;
  }

  void skip_bom() {
    out_.body_offset = kBom.size();
    tell_bom();
  }

  void tell_bom() {
    Finding& finding = add(
        0, findings::kBom,
        "The file begins with a byte order mark, which hides the first line from other programs. "
        "Save it as UTF-8 without one.");
    finding.fix = Fix{0, kBom.size(), ""};
  }

  // What had to be overlooked to find the fences.
  void tell(const LenientFences& found) {
    if (found.bom) tell_bom();
    if (!found.blank_lines.empty()) {
      add_removal(
          found.blank_lines, findings::kBlankBeforeFence,
          "Frontmatter must begin on the first line; the empty lines before it were ignored.");
    }
    if (!found.comments.empty()) {
      add(found.comments.begin, findings::kCommentBeforeFence,
          "Frontmatter must begin on the first line; the comment before it hides it from other "
          "programs. Write the comment below it, or inside it after `#`.")
          .fix = comment_fix(found);
    } else if (!found.opening_blanks.empty()) {
      add_removal(found.opening_blanks, findings::kFenceBlanks,
                  "The opening `---` must stand alone; the spaces after it were ignored.");
    }
    tell_closing(found);
  }

  // The comment goes into the frontmatter, as a YAML comment.
  Fix comment_fix(const LenientFences& found) const {
    const std::string_view above = text(found.comments);
    const std::string_view opening = text({found.comments.end, found.fences.yaml_begin});
    std::string block = opening.ends_with("\r\n") ? "---\r\n" : "---\n";
    for (size_t at = 0; at < above.size();) {
      const size_t begin = at;
      if (trim_space(next_line(above, at)).empty()) continue;
      block += "# ";
      block += above.substr(begin, at - begin);
    }
    return {found.comments.begin, found.fences.yaml_begin - found.comments.begin, std::move(block)};
  }

  void tell_closing(const LenientFences& found) {
    const Range line = found.closing_line;
    if (found.closing == Closing::kUnclosed) {
      const bool at_line_start = line.begin == 0 || bytes_[line.begin - 1] == '\n';
      add(line.begin, findings::kFrontmatterUnclosed,
          "The frontmatter has no closing `---`; it was assumed to end where the `key: value` "
          "lines end.")
          .fix = Fix{line.begin, 0, at_line_start ? "---\n" : "\n---\n"};
      return;
    }
    if (found.empty) {
      Finding& finding = add(line.begin, findings::kFrontmatterEmpty,
                             "The frontmatter is empty. Other programs read its two lines as text: "
                             "put an empty line between them, or remove them.");
      finding.fix = Fix{line.begin, 0, "\n"};
    }
    if (found.closing == Closing::kDots) {
      add(line.begin, findings::kFenceDots, "The frontmatter is closed by `...`; it must be `---`.")
          .fix = Fix{line.begin, line.end - line.begin, "---"};
    } else if (const Range blanks{line.begin + 3, line.end}; !blanks.empty()) {
      add_removal(blanks, findings::kFenceBlanks,
                  "The closing `---` must stand alone; the spaces after it were ignored.");
    }
    tell_line_end(found);
  }

  // R21 prefers a bare LF fence, however late, to the CRLF one that was meant.
  void tell_line_end(const LenientFences& found) {
    const Range line = found.closing_line;
    const size_t later = bytes_.find("\n---\n", line.end);
    if (bytes_.substr(line.end, 2) != "\r\n" || later == std::string_view::npos) return;
    add(line.begin, findings::kFenceLineEnd,
        "This `---` ends with CRLF, and a `---` further down with LF: other programs read that one "
        "as the end of the frontmatter. Use one kind of line ending.")
        .fix = Fix{line.end, 1, ""};
  }

  void add_removal(Range range, const findings::Code& code, std::string message) {
    Finding& finding = add(range.begin, code, std::move(message));
    finding.fix = Fix{range.begin, range.end - range.begin, ""};
  }

  std::string_view bytes_;
  ParseOptions options_;
  Frontmatter out_;
};

}  // namespace

std::optional<std::string>* FrontmatterFields::find(std::string_view key) {
  if (key == "title") return &title;
  if (key == "name") return &name;
  if (key == "type") return &type;
  if (key == "function_id") return &function_id;
  if (key == "description") return &description;
  return nullptr;
}

Frontmatter read_frontmatter(std::string_view bytes, const ParseOptions& options) {
  return FrontmatterReader(bytes, options).run();
}

}  // namespace iii::content
