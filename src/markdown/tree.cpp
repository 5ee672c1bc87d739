#include "markdown/tree.h"

#include <md4c.h>

#include <array>
#include <utility>
#include <vector>

#include "json/write.h"
#include "markdown/entity.h"
#include "markdown/link.h"
#include "markdown/nesting.h"

namespace iii::markdown {

namespace {

constexpr unsigned kDialect =
    MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS;
constexpr size_t kMaxLanguage = 64;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::array<std::string_view, 6> kHeadings = {"h1", "h2", "h3", "h4", "h5", "h6"};

// Ends between two characters.
std::string_view head_of(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
  std::string out;
  for (size_t i = 0; attribute.text != nullptr && attribute.substr_offsets[i] < attribute.size;
       ++i) {
    const size_t begin = attribute.substr_offsets[i];
    const std::string_view part(attribute.text + begin, attribute.substr_offsets[i + 1] - begin);
    switch (attribute.substr_types[i]) {
      case MD_TEXT_ENTITY:
        out += decode_entity(part);
        break;
      case MD_TEXT_NULLCHAR:
        out += kReplacement;
        break;
      default:
        out += part;
    }
  }
  return out;
}

// Takes md4c's calls and writes nodes. A call that gives another value than 0 ends the parsing.
class Writer {
 public:
  Writer(const ResolveLink& resolve, const Limits& limits) : resolve_(resolve), limits_(limits) {}

  bool parse(std::string_view text) {
    MD_PARSER parser{};
    parser.flags = kDialect;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Writer*>(self)->told([&](Writer& to) { return to.enter(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Writer*>(self)->told([&](Writer& to) { return to.leave(type); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Writer*>(self)->told([&](Writer& to) { return to.enter(type, detail); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<Writer*>(self)->told([&](Writer& to) { return to.leave(type); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* chars, MD_SIZE size, void* self) {
      return static_cast<Writer*>(self)->told(
          [&](Writer& to) { return to.text(type, {chars, size}); });
    };
    return md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this) == 0;
  }

  Tree take(bool cut) {
    flush();
    for (; open_ > 0; --open_) out_ += ']';
    out_ += ']';
    return {.nodes = std::move(out_), .cut = cut || cut_};
  }

 private:
  static constexpr int kGoOn = 0;
  static constexpr int kStop = 1;

  // md4c goes on after some of the calls that were told to stop.
  template <typename Call>
  int told(const Call& call) {
    if (!stopped_ && call(*this) == kStop) stopped_ = cut_ = true;
    return stopped_ ? kStop : kGoOn;
  }

  int enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_DOC:
      case MD_BLOCK_THEAD:
      case MD_BLOCK_TBODY:
        return kGoOn;
      case MD_BLOCK_HR:
        return begin("hr");
      case MD_BLOCK_H:
        return begin(kHeadings[(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level - 1) % 6]);
      case MD_BLOCK_CODE:
        return begin("pre", language_of(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail)));
      case MD_BLOCK_OL:
        return begin("ol", start_of(*static_cast<MD_BLOCK_OL_DETAIL*>(detail)));
      case MD_BLOCK_TR:
        column_ = 0;
        return begin("tr");
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        return begin_cell(type == MD_BLOCK_TH ? "th" : "td");
      default:
        return begin(name_of(type));
    }
  }

  int leave(MD_BLOCKTYPE type) {
    const bool transparent =
        type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY;
    if (transparent) return kGoOn;
    const bool cell = type == MD_BLOCK_TH || type == MD_BLOCK_TD;
    if (cell && muted_) {
      muted_ = false;
      return kGoOn;
    }
    return close_spans() == kStop ? kStop : end();
  }

  int enter(MD_SPANTYPE type, void* detail) {
    if (muted_) return kGoOn;
    if (in_image_ > 0) {
      in_image_ += type == MD_SPAN_IMG ? 1 : 0;
      return kGoOn;
    }
    if (type == MD_SPAN_IMG) {
      in_image_ = 1;
      flush();
      source_ = address_text(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
      return is_spent() ? kStop : kGoOn;
    }
    spans_.push_back(type);
    switch (type) {
      case MD_SPAN_A:
        return begin_link(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
      case MD_SPAN_STRONG:
        return begin("strong");
      case MD_SPAN_CODE:
        return begin("code");
      case MD_SPAN_DEL:
        return begin("del");
      default:
        return begin("em");
    }
  }

  // md4c 0.4.8 leaves some spans twice (`[__a__](___)\n_b__)`): only the innermost open one ends.
  int leave(MD_SPANTYPE type) {
    if (muted_) return kGoOn;
    if (in_image_ > 0) {
      if (type != MD_SPAN_IMG || --in_image_ > 0) return kGoOn;
      return write_image();
    }
    if (spans_.empty() || spans_.back() != type) return kGoOn;
    spans_.pop_back();
    return end();
  }

  // Spans end with their block, whether md4c leaves them or not.
  int close_spans() {
    if (std::exchange(in_image_, 0) > 0 && write_image() == kStop) return kStop;
    for (; !spans_.empty(); spans_.pop_back()) end();
    return kGoOn;
  }

  int text(MD_TEXTTYPE type, std::string_view chars) {
    if (muted_) return kGoOn;
    switch (type) {
      case MD_TEXT_NULLCHAR:
        pending_ += kReplacement;
        return kGoOn;
      case MD_TEXT_BR:
        if (in_image_ > 0) return kGoOn;
        return begin("br") == kStop ? kStop : end();
      case MD_TEXT_SOFTBR:
        pending_ += '\n';
        return kGoOn;
      case MD_TEXT_ENTITY:
        pending_ += decode_entity(chars);
        return kGoOn;
      case MD_TEXT_HTML:
        return raw_html(chars);
      default:
        pending_ += chars;
        return kGoOn;
    }
  }

  static std::string_view name_of(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        return "blockquote";
      case MD_BLOCK_UL:
        return "ul";
      case MD_BLOCK_LI:
        return "li";
      case MD_BLOCK_HTML:
        return "html";
      case MD_BLOCK_TABLE:
        return "table";
      default:
        return "p";
    }
  }

  static std::string language_of(const MD_BLOCK_CODE_DETAIL& detail) {
    std::string out = "{\"lang\":";
    json::append_string(out, head_of(attribute_text(detail.lang), kMaxLanguage));
    return out + "}";
  }
  static std::string start_of(const MD_BLOCK_OL_DETAIL& detail) {
    return detail.start == 1 ? "null" : "{\"start\":" + std::to_string(detail.start) + "}";
  }

  int begin(std::string_view name, std::string_view attributes = "null") {
    flush();
    if (is_full()) return kStop;
    if (++depth_ > limits_.depth) {
      cut_ = true;  // its texts belong to the node above
      return kGoOn;
    }
    separate();
    out_ += "[\"";
    out_ += name;
    out_ += "\",";
    out_ += attributes;
    ++open_;
    html_ = html_ || name == "html";
    return kGoOn;
  }

  int end() {
    flush();
    if (depth_-- > limits_.depth) return kGoOn;
    out_ += ']';
    --open_;
    html_ = false;
    return kGoOn;
  }

  int begin_cell(std::string_view name) {
    if (column_++ < limits_.columns) return begin(name);
    cut_ = muted_ = true;
    return kGoOn;
  }

  int begin_link(const MD_ATTRIBUTE& address) {
    const Link link = classify_link(address_text(address));
    if (is_spent()) return kStop;
    std::string attributes = "{\"href\":";
    json::append_string(attributes, link.href);
    attributes += ",\"kind\":\"" + std::string(kind_word(link.kind)) + "\"";
    const auto add = [&attributes](std::string_view key, std::string_view value) {
      attributes += ",\"" + std::string(key) + "\":";
      json::append_string(attributes, value);
    };
    if (link.kind == LinkKind::kRefused) add("scheme", link.scheme);
    if (link.kind == LinkKind::kSkill && resolve_) {
      if (const std::optional<std::string> id = resolve_(link.href)) add("id", *id);
    }
    return begin("a", attributes + "}");
  }

  int write_image() {
    std::string attributes = "{\"alt\":";
    json::append_string(attributes, std::exchange(pending_, {}));
    attributes += ",\"src\":";
    json::append_string(attributes, head_of(source_, kMaxAddress));
    return begin("img", attributes + "}") == kStop ? kStop : end();
  }

  // Inside a block it is the block's text, elsewhere a node of its own.
  int raw_html(std::string_view chars) {
    if (html_ || in_image_ > 0) {
      pending_ += chars;
      return kGoOn;
    }
    if (begin("html") == kStop) return kStop;
    pending_ += chars;
    return end();
  }

  // The address, unless all of them together are too long already.
  std::string address_text(const MD_ATTRIBUTE& attribute) {
    addresses_ += attribute.size;
    return is_spent() ? std::string() : attribute_text(attribute);
  }
  bool is_spent() {
    const bool spent = addresses_ > limits_.address_bytes;
    cut_ = cut_ || spent;
    return spent;
  }

  bool is_full() {
    if (++nodes_ <= limits_.nodes) return false;
    cut_ = true;
    return true;
  }

  void flush() {
    if (pending_.empty() || in_image_ > 0) return;
    if (is_full()) return pending_.clear();
    separate();
    json::append_string(out_, pending_);
    pending_.clear();
  }

  void separate() {
    if (out_.back() != '[') out_ += ',';
  }

  const ResolveLink& resolve_;
  const Limits& limits_;
  std::string out_ = "[";
  std::string pending_;  // text that is not written yet
  std::string source_;   // of the image around
  size_t depth_ = 0;
  size_t open_ = 0;  // nodes that are written and not ended
  size_t nodes_ = 0;
  size_t column_ = 0;
  size_t addresses_ = 0;  // bytes
  size_t in_image_ = 0;
  std::vector<MD_SPANTYPE> spans_;  // that are open, without images
  bool html_ = false;               // in a node of raw HTML
  bool muted_ = false;              // in a cell that is left out
  bool cut_ = false;
  bool stopped_ = false;
};

}  // namespace

Tree parse_tree(std::string_view text, const ResolveLink& resolve, const Limits& limits) {
  const std::string_view head = sensibly_nested(head_of(text, limits.bytes));
  Writer writer(resolve, limits);
  const bool whole = writer.parse(head);
  return writer.take(!whole || head.size() < text.size());
}

}  // namespace iii::markdown
