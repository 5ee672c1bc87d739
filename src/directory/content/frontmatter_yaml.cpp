#include "directory/content/frontmatter_yaml.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <yaml.h>

#include "foundation/base/utf8_character.h"

namespace iii::content {

namespace {

using Kind = YamlNode::Kind;

// Longer ones are nobody's key; copying one again and again through aliases would cost.
constexpr size_t kMaxYamlKey = 1024;

// Where the scalar that was read last stands, in characters.
struct Place {
  size_t begin = 0;
  size_t end = 0;
  bool bare = false;
};

// The byte at which character number `index` begins.
size_t byte_of(std::string_view text, size_t index) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) continue;
    if (index-- == 0) break;
  }
  return at;
}

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// R24: which scalars stand for nothing. Quotes or a tag make a text of it.
YamlNode scalar_node(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  const std::string_view value(reinterpret_cast<const char*>(scalar.value), scalar.length);
  const bool null_word = value == "~" || value == "null" || value == "Null" || value == "NULL";
  if (scalar.style == YAML_PLAIN_SCALAR_STYLE) {
    if (text_of(scalar.tag) == YAML_NULL_TAG) {
      return YamlNode{null_word || value.empty() ? Kind::kNull : Kind::kOther, {}, {}};
    }
    if (scalar.tag == nullptr && (value.empty() || null_word)) return YamlNode{};
  }
  return YamlNode{Kind::kText, std::string(value), {}};
}

class Reader {
 public:
  Reader(std::string_view text, YamlWanted wanted) : text_(text), wanted_(wanted) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  YamlResult run() {
    if (!next() || !next()) return failed();  // stream start, then a document or the end
    if (event_.type == YAML_STREAM_END_EVENT) return std::move(mapping_);
    if (!next()) return failed();
    if (event_.type != YAML_MAPPING_START_EVENT) {
      problem(YamlProblem::Kind::kNotMapping, "the block is not made of `key: value` lines");
      return failed();
    }
    remember(event_.data.mapping_start.anchor, YamlNode{Kind::kOther, {}, {}});
    if (!mapping()) return failed();
    if (!next() || !next()) return failed();  // document end, then the end of all
    if (event_.type != YAML_STREAM_END_EVENT) {
      problem(YamlProblem::Kind::kSecondDocument, "a second YAML document begins");
      return failed();
    }
    return std::move(mapping_);
  }

 private:
  bool next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 1) return true;
    problem_.kind = YamlProblem::Kind::kSyntax;
    problem_.text = parser_.problem == nullptr ? "unreadable" : parser_.problem;
    problem_.line = static_cast<uint32_t>(parser_.problem_mark.line);
    problem_.column = static_cast<uint32_t>(parser_.problem_mark.column);
    return false;
  }

  bool problem(YamlProblem::Kind kind, std::string text) {
    problem_ = {kind, std::move(text), static_cast<uint32_t>(event_.start_mark.line),
                static_cast<uint32_t>(event_.start_mark.column)};
    return false;
  }

  YamlResult failed() { return std::unexpected(std::move(problem_)); }

  // The keys of the outermost mapping, whose start has been read.
  bool mapping() {
    for (;;) {
      if (!next()) return false;
      if (event_.type == YAML_MAPPING_END_EVENT) return true;
      YamlEntry entry;
      entry.line = static_cast<uint32_t>(event_.start_mark.line);
      entry.column = static_cast<uint32_t>(event_.start_mark.column);
      if (!key(entry.key)) return false;
      mapping_.any_key = true;
      const YamlInterest interest = wanted_(entry.key);
      keep_ = interest == YamlInterest::kValue && !has(entry.key);
      YamlNode value;
      place_ = {};
      if (!next() || !node(value, 1)) return false;
      static_cast<YamlNode&>(entry) = std::move(value);
      if (keep_ && entry.kind == Kind::kText) {
        entry.value_begin = byte_of(text_, place_.begin);
        entry.value_end = byte_of(text_, place_.end);
        entry.bare = place_.bare;
      }
      if (interest == YamlInterest::kValue) {
        keep(mapping_.entries, std::move(entry));
      } else if (interest == YamlInterest::kPresence) {
        keep(mapping_.present, std::move(entry));
      }
    }
  }

  bool has(std::string_view key) const {
    return std::ranges::any_of(mapping_.entries,
                               [key](const YamlEntry& e) { return e.key == key; });
  }

  static void keep(std::vector<YamlEntry>& list, YamlEntry entry) {
    if (list.size() < kMaxYamlEntries) list.push_back(std::move(entry));
  }

  bool key(std::string& out) {
    if (event_.type == YAML_SCALAR_EVENT) {
      const auto& scalar = event_.data.scalar;
      out.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
      remember(scalar.anchor, scalar_node(event_));
      return true;
    }
    YamlNode meant;
    if (event_.type == YAML_ALIAS_EVENT) {
      keep_ = true;
      if (!alias(meant)) return false;
      if (meant.kind == Kind::kText && meant.text.size() <= kMaxYamlKey) {
        out = std::move(meant.text);
        return true;
      }
    }
    return problem(YamlProblem::Kind::kNotMapping, "a key must be a plain word");
  }

  // The node whose first event has been read, at `depth` collections below the block.
  bool node(YamlNode& out, size_t depth) {
    switch (event_.type) {
      case YAML_SCALAR_EVENT:
        if (keep_ || event_.data.scalar.anchor != nullptr) {
          out = scalar_node(event_);
          remember(event_.data.scalar.anchor, out);
          place_ = {event_.start_mark.index, event_.end_mark.index,
                    event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE};
        }
        return true;
      case YAML_ALIAS_EVENT:
        return alias(out);
      case YAML_SEQUENCE_START_EVENT:
        return list(out, depth);
      default:
        out.kind = Kind::kOther;
        remember(event_.data.mapping_start.anchor, out);
        return skip(depth);
    }
  }

  bool list(YamlNode& out, size_t depth) {
    if (depth >= kMaxYamlDepth) return too_deep();
    // Before its items: whatever refers to a list while it is open refers to a list.
    const std::string anchor(text_of(event_.data.sequence_start.anchor));
    if (!anchor.empty()) anchors_[anchor] = YamlNode{Kind::kOther, {}, {}};
    bool flat = keep_;
    for (;;) {
      if (!next()) return false;
      if (event_.type == YAML_SEQUENCE_END_EVENT) break;
      // A list of aliases could be far longer than its text.
      if (event_.type == YAML_ALIAS_EVENT) flat = false;
      YamlNode item;
      if (!node(item, depth + 1)) return false;
      if (!flat) continue;
      if (item.kind == Kind::kText) {
        out.items.push_back(std::move(item.text));
      } else if (item.kind != Kind::kNull) {
        flat = false;
      }
    }
    out.kind = flat ? Kind::kList : Kind::kOther;
    if (!flat) out.items.clear();
    return true;
  }

  // Everything up to the end of the mapping that has begun.
  bool skip(size_t depth) {
    if (depth >= kMaxYamlDepth) return too_deep();
    for (;;) {
      if (!next()) return false;
      if (event_.type == YAML_MAPPING_END_EVENT) return true;
      YamlNode ignored;
      if (!node(ignored, depth + 1)) return false;
    }
  }

  bool too_deep() {
    return problem(YamlProblem::Kind::kTooDeep,
                   fmt::format("values are nested deeper than {} levels", kMaxYamlDepth));
  }

  // An alias is looked up, never expanded: only a text can be had through one, and only where a
  // text is wanted.
  bool alias(YamlNode& out) {
    const auto found = anchors_.find(text_of(event_.data.alias.anchor));
    if (found == anchors_.end()) {
      return problem(YamlProblem::Kind::kSyntax, "an alias names an anchor that is not there");
    }
    if (keep_) out = found->second;
    return true;
  }

  void remember(const yaml_char_t* anchor, const YamlNode& node) {
    if (anchor != nullptr) anchors_.insert_or_assign(std::string(text_of(anchor)), node);
  }

  std::string_view text_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  YamlWanted wanted_;
  bool keep_ = false;  // the value being read was asked for
  Place place_;
  YamlMapping mapping_;
  YamlProblem problem_;
  std::map<std::string, YamlNode, std::less<>> anchors_;
};

}  // namespace

YamlResult read_yaml(std::string_view text, YamlWanted wanted) {
  if (text.size() > kMaxFrontmatter) {
    return std::unexpected(YamlProblem{
        YamlProblem::Kind::kTooLarge,
        fmt::format("the block has {} bytes; max {}", text.size(), kMaxFrontmatter), 0, 0});
  }
  return Reader(text, wanted).run();
}

std::string yaml_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto [point, length] = first_character(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(character.size());
    if (point == '"' || point == '\\') {
      out += '\\';
      out += character;
    } else if (point == '\n') {
      out += "\\n";
    } else if (point == '\t') {
      out += "\\t";
    } else if (point == '\r') {
      out += "\\r";
    } else if (length > 0 && (point < 0x20 || (point >= 0x7f && point < 0xa0))) {
      // Controls, the line break U+0085 among them.
      out += fmt::format("\\x{:02x}", static_cast<uint32_t>(point));
    } else if (point == 0x2028 || point == 0x2029 || point == 0xfeff || point == 0xfffe ||
               point == 0xffff) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(point));
    } else {
      out += character;
    }
  }
  return out + '"';
}

}  // namespace iii::content
