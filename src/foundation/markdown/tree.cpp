#include "foundation/markdown/tree.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <array>
#include <memory>
#include <utility>

#include "foundation/base/utf8_head.h"
#include "foundation/json/write.h"
#include "foundation/markdown/affordable.h"
#include "foundation/markdown/link.h"

namespace iii::markdown {

namespace {

constexpr size_t kMaxLanguage = 64;
constexpr std::array<std::string_view, 6> kHeadings = {"h1", "h2", "h3", "h4", "h5", "h6"};

using Document = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;

// Without the extension that makes links of bare addresses: its time is quadratic.
Document parse(std::string_view text) {
  static const bool registered = (cmark_gfm_core_extensions_ensure_registered(), true);
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
      cmark_parser_new(CMARK_OPT_DEFAULT | CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE),
      cmark_parser_free);
  for (const char* extension : {"table", "strikethrough"}) {
    cmark_syntax_extension* found = registered ? cmark_find_syntax_extension(extension) : nullptr;
    if (found != nullptr) cmark_parser_attach_syntax_extension(parser.get(), found);
  }
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return {cmark_parser_finish(parser.get()), cmark_node_free};
}

std::string_view or_empty(const char* text) { return text == nullptr ? "" : text; }

std::string language_of(cmark_node* block) {
  const std::string_view info = or_empty(cmark_node_get_fence_info(block));
  std::string out = "{\"lang\":";
  json::append_string(out, utf8_head(info.substr(0, info.find_first_of(" \t")), kMaxLanguage));
  return out + "}";
}

std::string start_of(cmark_node* list) {
  const int start = cmark_node_get_list_start(list);
  return start == 1 ? "null" : "{\"start\":" + std::to_string(start) + "}";
}

// The paragraphs of a tight list are shown as its texts.
bool is_transparent(cmark_node* node) {
  if (cmark_node_get_type(node) == CMARK_NODE_DOCUMENT) return true;
  if (cmark_node_get_type(node) != CMARK_NODE_PARAGRAPH) return false;
  cmark_node* item = cmark_node_parent(node);
  cmark_node* list = item == nullptr ? nullptr : cmark_node_parent(item);
  return list != nullptr && cmark_node_get_type(list) == CMARK_NODE_LIST &&
         cmark_node_get_list_tight(list) != 0;
}

// Walks through a parsed document and writes nodes.
class Writer {
 public:
  Writer(const ResolveLink& resolve, const Limits& limits) : resolve_(resolve), limits_(limits) {}

  void walk(cmark_node* document) {
    const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> events(cmark_iter_new(document),
                                                                         cmark_iter_free);
    while (!full_) {
      const cmark_event_type event = cmark_iter_next(events.get());
      if (event == CMARK_EVENT_DONE) return;
      cmark_node* node = cmark_iter_get_node(events.get());
      if (event == CMARK_EVENT_EXIT) {
        leave(node);
      } else if (!enter(node)) {
        cmark_iter_reset(events.get(), node, CMARK_EVENT_EXIT);
      }
    }
  }

  Tree take(bool cut) {
    flush();
    for (; open_ > 0; --open_) out_ += ']';
    out_ += ']';
    return {.nodes = std::move(out_), .cut = cut || cut_};
  }

 private:
  // False: what is in it is left out.
  bool enter(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (is_transparent(node)) return true;
    if (in_image_ > 0) {
      enter_in_image(node, type);
      return true;
    }
    switch (type) {
      case CMARK_NODE_TEXT:
        pending_ += or_empty(cmark_node_get_literal(node));
        break;
      case CMARK_NODE_SOFTBREAK:
        pending_ += '\n';
        break;
      case CMARK_NODE_CODE:
        write_leaf("code", "null", node);
        break;
      case CMARK_NODE_HTML_INLINE:
      case CMARK_NODE_HTML_BLOCK:
        write_leaf("html", "null", node);
        break;
      case CMARK_NODE_CODE_BLOCK:
        write_leaf("pre", language_of(node), node);
        break;
      case CMARK_NODE_LINEBREAK:
      case CMARK_NODE_THEMATIC_BREAK:
        begin(type == CMARK_NODE_LINEBREAK ? "br" : "hr");
        end();
        break;
      case CMARK_NODE_LINK:
        begin_link(node);
        break;
      case CMARK_NODE_IMAGE:
        flush();
        in_image_ = 1;
        source_ = address_of(node);
        break;
      default:
        return begin_part(node, type);
    }
    return true;
  }

  // What has parts and no further particulars.
  bool begin_part(cmark_node* node, cmark_node_type type) {
    switch (type) {
      case CMARK_NODE_HEADING:
        begin(kHeadings[static_cast<size_t>(cmark_node_get_heading_level(node) - 1) % 6]);
        return true;
      case CMARK_NODE_LIST: {
        const bool ordered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
        begin(ordered ? "ol" : "ul", ordered ? start_of(node) : "null");
        return true;
      }
      case CMARK_NODE_ITEM:
        begin("li");
        return true;
      case CMARK_NODE_BLOCK_QUOTE:
        begin("blockquote");
        return true;
      case CMARK_NODE_EMPH:
        begin("em");
        return true;
      case CMARK_NODE_STRONG:
        begin("strong");
        return true;
      default:
        return begin_extension(node);
    }
  }

  // Types of extensions are numbered at run time; their names are known.
  bool begin_extension(cmark_node* node) {
    const std::string_view name = or_empty(cmark_node_get_type_string(node));
    const bool is_row = name == "table_row" || name == "table_header";
    if (is_row) column_ = 0;
    if (name == "table_cell" && column_++ >= limits_.columns) {
      cut_ = true;
      return false;
    }
    begin(name == "table_cell"      ? cell_name(node)
          : name == "table"         ? "table"
          : name == "strikethrough" ? "del"
          : is_row                  ? "tr"
                                    : "p");
    return true;
  }
  static std::string_view cell_name(cmark_node* cell) {
    return cmark_gfm_extensions_get_table_row_is_header(cmark_node_parent(cell)) != 0 ? "th" : "td";
  }

  // Its alternative text is what is in it, without markup.
  void enter_in_image(cmark_node* node, cmark_node_type type) {
    if (type == CMARK_NODE_IMAGE) ++in_image_;
    if (type == CMARK_NODE_SOFTBREAK) pending_ += '\n';
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || type == CMARK_NODE_HTML_INLINE) {
      pending_ += or_empty(cmark_node_get_literal(node));
    }
  }

  void leave(cmark_node* node) {
    if (is_transparent(node)) return;
    const cmark_node_type type = cmark_node_get_type(node);
    if (in_image_ > 0) {
      if (type == CMARK_NODE_IMAGE && --in_image_ == 0) write_image();
      return;
    }
    end();
    if (type == CMARK_NODE_LINK) in_link_ = false;
  }

  void begin(std::string_view name, std::string_view attributes = "null") {
    flush();
    if (is_full()) return;
    if (++depth_ > limits_.depth) {
      cut_ = true;  // its texts belong to the node above
      return;
    }
    separate();
    out_ += "[\"";
    out_ += name;
    out_ += "\",";
    out_ += attributes;
    ++open_;
  }

  void end() {
    flush();
    if (full_ || depth_-- > limits_.depth) return;
    out_ += ']';
    --open_;
  }

  void write_leaf(std::string_view name, std::string_view attributes, cmark_node* node) {
    begin(name, attributes);
    write_text(or_empty(cmark_node_get_literal(node)));
    end();
  }

  void begin_link(cmark_node* node) {
    const std::string address = address_of(node);
    begin("a", link_attributes(address));
    in_link_ = true;
  }

  std::string link_attributes(std::string_view address) const {
    const Link link = classify_link(address);
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
    return attributes + "}";
  }

  void write_image() {
    std::string attributes = "{\"alt\":";
    json::append_string(attributes, std::exchange(pending_, {}));
    attributes += ",\"src\":";
    json::append_string(attributes, utf8_head(source_, kMaxAddress));
    begin("img", attributes + "}");
    end();
  }

  // The address; when all of them together are too long, the rest of the document is left out.
  std::string address_of(cmark_node* node) {
    const std::string_view address = or_empty(cmark_node_get_url(node));
    addresses_ += address.size();
    if (addresses_ <= limits_.address_bytes) return std::string(address);
    cut_ = full_ = true;
    return {};
  }

  bool is_full() {
    if (++nodes_ > limits_.nodes) cut_ = full_ = true;
    return full_;
  }

  // Addresses that stand in the text by themselves become links.
  void flush() {
    if (pending_.empty() || in_image_ > 0) return;
    const std::string text = std::exchange(pending_, {});
    std::string_view rest = text;
    while (!in_link_ && !rest.empty()) {
      const std::string_view address = bare_address(rest);
      if (address.empty()) break;
      write_text(rest.substr(0, static_cast<size_t>(address.data() - rest.data())));
      begin("a", link_attributes(address));
      write_text(address);
      end();
      rest.remove_prefix(static_cast<size_t>(address.data() + address.size() - rest.data()));
    }
    write_text(rest);
  }

  void write_text(std::string_view text) {
    if (text.empty() || is_full()) return;
    separate();
    json::append_string(out_, text);
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
  bool in_link_ = false;
  bool cut_ = false;
  bool full_ = false;  // nothing more is written
};

}  // namespace

Tree parse_tree(std::string_view text, const ResolveLink& resolve, const Limits& limits) {
  const std::string_view head = affordable_head(utf8_head(text, limits.bytes), limits.nodes);
  const Document document = parse(head);
  Writer writer(resolve, limits);
  writer.walk(document.get());
  return writer.take(head.size() < text.size());
}

}  // namespace iii::markdown
