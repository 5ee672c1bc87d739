#include "directory/content/markdown.h"

#include "directory/content/space.h"
#include "foundation/base/utf8_head.h"

namespace iii::content {

namespace {

// Columns from here on make a line code, unless it continues a paragraph.
constexpr size_t kCodeIndent = 4;

constexpr std::string_view kEllipsis = "…";

// Columns of spaces and tabs before the text; other white space has no width in Markdown.
size_t indent_of(std::string_view line, size_t& bytes) {
  size_t columns = 0;
  for (bytes = 0; bytes < line.size(); ++bytes) {
    if (line[bytes] == ' ') {
      ++columns;
    } else if (line[bytes] == '\t') {
      columns += kCodeIndent - columns % kCodeIndent;
    } else {
      break;
    }
  }
  return columns;
}

// `- `, `* `, `+ `, `1. ` or `1) ` at the start of `text`: its length, else 0.
size_t list_marker(std::string_view text) {
  size_t at = 0;
  if (text.starts_with('-') || text.starts_with('*') || text.starts_with('+')) {
    at = 1;
  } else {
    while (at < text.size() && at < 9 && text[at] >= '0' && text[at] <= '9') ++at;
    if (at == 0 || at >= text.size() || (text[at] != '.' && text[at] != ')')) return 0;
    ++at;
  }
  return at < text.size() && text[at] == ' ' ? at + 1 : 0;
}

size_t run_length(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && text[at] == text.front()) ++at;
  return at;
}

// Follows code fences line by line.
class Fence {
 public:
  bool open() const { return length_ > 0; }
  // Open, and ended by whatever stands left of its list item.
  bool in_item() const { return open() && item_ > 0; }

  // True when the line belongs to fenced code, its first and last line included.
  bool take(std::string_view line) {
    size_t bytes = 0;
    const size_t indent = indent_of(line, bytes);
    const std::string_view text = line.substr(bytes);
    if (open()) {
      // A fence inside a list item ends with the item.
      if (text.empty() || indent >= item_) return close(text, indent), true;
      length_ = 0;
    }
    return begin(text, indent);
  }

 private:
  void close(std::string_view text, size_t indent) {
    if (text.empty() || text.front() != mark_ || indent > indent_ + kCodeIndent - 1) return;
    const size_t run = run_length(text);
    if (run >= length_ && trim_space(text.substr(run)).empty()) length_ = 0;
  }

  bool begin(std::string_view text, size_t indent) {
    if (indent >= kCodeIndent) return false;
    item_ = 0;
    while (const size_t marker = list_marker(text)) {
      size_t bytes = 0;
      indent += marker + indent_of(text.substr(marker), bytes);
      text.remove_prefix(marker + bytes);
      item_ = indent;
    }
    if (text.empty() || (text.front() != '`' && text.front() != '~')) return false;
    const size_t run = run_length(text);
    if (run < 3) return false;
    // "```text``` more" is code inside a line, not a fence.
    if (text.front() == '`' && text.find('`', run) != std::string_view::npos) return false;
    mark_ = text.front();
    length_ = run;
    indent_ = indent;
    return true;
  }

  char mark_ = 0;
  size_t length_ = 0;  // 0: not in a fence
  size_t indent_ = 0;
  size_t item_ =
      0;  // column of the list item the fence stands in, when it follows the item's marker
};

class Summariser {
 public:
  explicit Summariser(std::string_view body) : body_(body) {}

  BodySummary run() {
    for (size_t at = 0; at < body_.size() && !(heading_done_ && teaser_done_);) {
      const std::string_view line = next_line(body_, at);
      // Only a heading is missing, and a line that begins with a letter holds none and opens
      // nothing.
      if (teaser_done_ && !in_comment_ && !fence_.in_item() && !line.empty() &&
          is_letter(line.front())) {
        continue;
      }
      if (!in_comment(line)) {
        if (fence_.take(line)) {
          end_paragraph();
          continue;
        }
        if (!heading_done_) look_for_heading(line);
      }
      if (!teaser_done_) look_for_teaser(line);
    }
    summary_.open_fence = fence_.open() && !(heading_done_ && teaser_done_);
    return std::move(summary_);
  }

 private:
  // An HTML comment that begins a line; its last line still belongs to it.
  bool in_comment(std::string_view line) {
    if (!in_comment_) {
      size_t bytes = 0;
      if (fence_.open() || indent_of(line, bytes) >= kCodeIndent) return false;
      if (!line.substr(bytes).starts_with("<!--")) return false;
      in_comment_ = line.find("-->", bytes + 4) == std::string_view::npos;
      return true;
    }
    in_comment_ = line.find("-->") == std::string_view::npos;
    return true;
  }

  // R30: the first `# ` line decides, even when nothing follows the hash.
  void look_for_heading(std::string_view line) {
    size_t bytes = 0;
    if (indent_of(line, bytes) >= kCodeIndent) return;
    const std::string_view text = trim_start(line.substr(bytes));
    if (!text.starts_with("# ")) return;
    heading_done_ = true;
    summary_.heading = trim_space(text.substr(2));
  }

  // R32, with code left out.
  void look_for_teaser(std::string_view line) {
    const std::string_view text = trim_space(line);
    if (text.empty()) return end_paragraph();
    size_t bytes = 0;
    if (summary_.teaser.empty() && indent_of(line, bytes) >= kCodeIndent) return;
    if (text.front() == '#' || text.front() == '>') return end_paragraph();
    if (!summary_.teaser.empty()) summary_.teaser += ' ';
    summary_.teaser += text.substr(0, kMaxTeaser + 1);
    if (summary_.teaser.size() > kMaxTeaser) cut_teaser();
  }

  // Behind the last word that fits, or behind the last character when there is none near.
  void cut_teaser() {
    std::string& teaser = summary_.teaser;
    size_t end = kMaxTeaser - kEllipsis.size();
    if (const size_t blank = teaser.rfind(' ', end);
        blank != std::string::npos && blank > end / 2) {
      end = blank;
    }
    teaser.resize(utf8_head(teaser, end).size());
    teaser.resize(trim_space(teaser).size());
    teaser += kEllipsis;
    summary_.teaser_cut = true;
    end_paragraph();
  }

  void end_paragraph() { teaser_done_ = teaser_done_ || !summary_.teaser.empty(); }

  std::string_view body_;
  BodySummary summary_;
  Fence fence_;
  bool heading_done_ = false;
  bool teaser_done_ = false;
  bool in_comment_ = false;
};

}  // namespace

BodySummary summarise(std::string_view body) { return Summariser(body).run(); }

}  // namespace iii::content
