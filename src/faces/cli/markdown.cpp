#include "faces/cli/markdown.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "faces/cli/width.h"
#include "foundation/base/text.h"

namespace iii::cli {

namespace {

constexpr size_t kWidest = 100;

// Text in which a character has a style: what is left of inline markup.
struct Run {
  std::string text;
  Style style = Style::kPlain;
};

class Inline {
 public:
  explicit Inline(std::string_view text) : text_(text) {}

  std::vector<Run> runs() {
    while (at_ < text_.size()) {
      if (!code() && !link() && !emphasis()) plain(text_[at_++]);
    }
    return std::move(out_);
  }

 private:
  void plain(char c) { add(std::string_view(&c, 1), Style::kPlain); }
  void add(std::string_view text, Style style) {
    if (out_.empty() || out_.back().style != style) out_.push_back({"", style});
    out_.back().text += text;
  }

  bool code() {
    if (text_[at_] != '`') return false;
    size_t ticks = 0;
    while (at_ + ticks < text_.size() && text_[at_ + ticks] == '`') ++ticks;
    const std::string fence(ticks, '`');
    const size_t end = text_.find(fence, at_ + ticks);
    if (end == std::string_view::npos) {
      add(fence, Style::kPlain);
      at_ += ticks;
      return true;
    }
    add(text_.substr(at_ + ticks, end - at_ - ticks), Style::kCode);
    at_ = end + ticks;
    return true;
  }

  // `[text](address)`: the address is shown, because nobody can click on it.
  bool link() {
    const bool image = text_.substr(at_).starts_with("![");
    const size_t open = at_ + (image ? 1 : 0);
    if (open >= text_.size() || text_[open] != '[') return false;
    const size_t close = text_.find("](", open);
    const size_t end = close == std::string_view::npos ? close : text_.find(')', close);
    if (end == std::string_view::npos) return false;
    const std::string_view label = text_.substr(open + 1, close - open - 1);
    const std::string_view target = text_.substr(close + 2, end - close - 2);
    if (label.find('[') != std::string_view::npos) return false;
    add(label, Style::kName);
    if (label != target && !target.empty()) {
      add(" (", Style::kDim);
      add(target, Style::kDim);
      add(")", Style::kDim);
    }
    at_ = end + 1;
    return true;
  }

  bool emphasis() {
    const char mark = text_[at_];
    if (mark != '*' && mark != '_') return false;
    const bool inside_word = at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1]));
    if (inside_word) return false;
    const size_t count = text_.substr(at_).starts_with(std::string(2, mark)) ? 2 : 1;
    const std::string fence(count, mark);
    const size_t begin = at_ + count;
    if (begin >= text_.size() || text_[begin] == ' ' || text_[begin] == mark) return false;
    const size_t end = text_.find(fence, begin);
    if (end == std::string_view::npos || text_[end - 1] == ' ') return false;
    const std::string_view inner = text_.substr(begin, end - begin);
    if (inner.find('`') != std::string_view::npos) {
      for (Run& run : Inline(inner).runs()) {
        add(run.text, run.style == Style::kPlain ? Style::kBold : run.style);
      }
    } else {
      add(inner, Style::kBold);
    }
    at_ = end + count;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Run> out_;
};

class Renderer {
 public:
  explicit Renderer(size_t width) : width_(std::clamp<size_t>(width, 20, kWidest)) {}

  Styled render(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) take(line);
    flush();
    return std::move(out_);
  }

 private:
  void take(std::string_view line) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view bare = trim(line);
    if (in_code_) return code_line(line, bare);
    if (bare.starts_with("```") || bare.starts_with("~~~")) {
      flush();
      in_code_ = bare.substr(0, 3);
      return;
    }
    if (bare.empty()) {
      flush();
      blank();
      return;
    }
    if (heading(bare) || rule(bare) || quote(bare) || item(line, bare) || row(bare)) return;
    if (!paragraph_.empty()) paragraph_ += ' ';
    paragraph_ += bare;
  }

  void code_line(std::string_view line, std::string_view bare) {
    if (bare.starts_with(*in_code_) && bare.find_first_not_of(in_code_->front()) == bare.npos) {
      in_code_.reset();
      return;
    }
    put("    ", Style::kPlain);
    put(line, Style::kCode);
    end_line();
  }

  bool heading(std::string_view bare) {
    const size_t level = bare.find_first_not_of('#');
    if (level == 0 || level > 6 || level == std::string_view::npos || bare[level] != ' ') {
      return false;
    }
    flush();
    if (!at_start_ && !after_blank_) end_line();
    std::string_view title = trim(bare.substr(level));
    while (title.ends_with('#')) title.remove_suffix(1);
    std::string text;
    for (const Run& run : Inline(trim(title)).runs()) text += run.text;
    for (const std::string& line : wrapped(text, width_)) {
      for (const std::string_view piece : pieces(line, width_)) {
        put(piece, level == 1 ? Style::kTitle : Style::kBold);
        end_line();
      }
    }
    return true;
  }

  bool rule(std::string_view bare) {
    if (bare.size() < 3 || bare.find_first_not_of(bare.front()) != std::string_view::npos ||
        (bare.front() != '-' && bare.front() != '*' && bare.front() != '_')) {
      return false;
    }
    flush();
    std::string line;
    for (size_t i = 0; i < width_; ++i) line += "─";
    put(line, Style::kDim);
    end_line();
    return true;
  }

  bool quote(std::string_view bare) {
    if (!bare.starts_with('>')) return false;
    flush();
    words(trim(bare.substr(1)), "│ ", "│ ");
    return true;
  }

  // `- text`, `1. text`; the lines that follow belong to it until a blank one or the next item.
  bool item(std::string_view line, std::string_view bare) {
    const size_t indent = line.find_first_not_of(" \t");
    size_t mark = 0;
    std::string bullet;
    if ((bare.starts_with("- ") || bare.starts_with("* ") || bare.starts_with("+ "))) {
      mark = 2;
      bullet = "• ";
    } else {
      size_t digits = 0;
      while (digits < bare.size() && std::isdigit(static_cast<unsigned char>(bare[digits])))
        ++digits;
      if (digits == 0 || digits > 4 || !bare.substr(digits).starts_with(". ")) return false;
      mark = digits + 2;
      bullet = std::string(bare.substr(0, mark));
    }
    flush();
    const std::string before(std::min<size_t>(indent, 12) + 2, ' ');
    first_ = before + bullet;
    next_ = before + std::string(columns(bullet), ' ');
    paragraph_ = trim(bare.substr(mark));
    return true;
  }

  // Tables are shown as they are written.
  bool row(std::string_view bare) {
    if (!bare.starts_with('|')) return false;
    flush();
    put(bare, bare.find_first_not_of("|-: ") == bare.npos ? Style::kDim : Style::kPlain);
    end_line();
    return true;
  }

  void flush() {
    if (!paragraph_.empty()) words(paragraph_, first_, next_);
    paragraph_.clear();
    first_.clear();
    next_.clear();
  }

  // Breaks runs at blanks; a style may go over several lines.
  void words(std::string_view text, const std::string& first, const std::string& next) {
    put(first, Style::kDim);
    size_t used = columns(first);
    bool line_empty = true;
    bool blank_before = false;
    for (const Run& run : Inline(text).runs()) {
      std::string_view rest = run.text;
      while (!rest.empty()) {
        if (rest.front() == ' ') {
          blank_before = true;
          rest.remove_prefix(1);
          continue;
        }
        const std::string_view word = rest.substr(0, std::min(rest.find(' '), rest.size()));
        rest.remove_prefix(word.size());
        const size_t size = columns(word);
        if (!line_empty && blank_before && used + 1 + size > width_) {
          end_line();
          put(next, Style::kDim);
          used = columns(next);
        } else if (blank_before && !line_empty) {
          put(" ", Style::kPlain);
          ++used;
        }
        const size_t room = width_ > used ? width_ - used : 1;
        const std::vector<std::string_view> parts = pieces(word, room);
        for (size_t i = 0; i < parts.size(); ++i) {
          if (i > 0) {
            end_line();
            put(next, Style::kDim);
            used = columns(next);
          }
          put(parts[i], run.style);
          used += columns(parts[i]);
        }
        line_empty = blank_before = false;
      }
    }
    end_line();
  }

  void put(std::string_view text, Style style) {
    out_.add(text, style);
    if (!text.empty()) at_start_ = after_blank_ = false;
  }
  void end_line() { out_.add("\n"); }
  void blank() {
    if (at_start_ || after_blank_) return;
    out_.add("\n");
    after_blank_ = true;
  }

  const size_t width_;
  Styled out_;
  std::string paragraph_;
  std::string first_;  // what the first line of the paragraph begins with, and the others
  std::string next_;
  std::optional<std::string> in_code_;
  bool at_start_ = true;
  bool after_blank_ = false;
};

}  // namespace

Styled render_markdown(std::string_view text, size_t width) { return Renderer(width).render(text); }

}  // namespace iii::cli
