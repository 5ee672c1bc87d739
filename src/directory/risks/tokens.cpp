#include "directory/risks/tokens.h"

namespace iii::risks {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool is_leading_mark(char c) { return c == '*' || c == '_' || c == '[' || c == '{' || c == ','; }
bool is_trailing_mark(char c) {
  return c == '.' || c == ',' || c == ':' || c == '!' || c == '?' || c == '*' || c == ']' ||
         c == '}';
}

}  // namespace

class Tokens::Reader {
 public:
  Reader(std::string_view lower, Syntax syntax, std::vector<Token>& out)
      : text_(lower), syntax_(syntax), out_(out) {}

  void run() {
    while (at_ < text_.size()) step();
    end_word();
  }

 private:
  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char before() const { return at_ > 0 ? text_[at_ - 1] : ' '; }

  void step() {
    const char c = text_[at_];
    if (is_space(c)) return skip(1);
    if (c == '"' || c == '\'') return quote(c);
    if (text_.substr(at_, 3) == "\xe2\x80\x9c") return typographic(true);
    if (text_.substr(at_, 3) == "\xe2\x80\x9d") return typographic(false);
    if (c == '`') return backtick();
    if (c == '\\') return backslash();
    if (c == '|') return pipe();
    if (c == ';') return separate(1);
    if (c == '&') return ampersand();
    if ((c == '$' || c == '<') && peek(1) == '(') return put(TokenKind::kOpen, 2);
    if (c == '(') return put(TokenKind::kParen, 1);
    if (c == ')') return put(TokenKind::kClose, 1);
    if (c == '<') return less();
    if (c == '>') return greater();
    if (word_ == kNone) word_ = at_;
    ++at_;
  }

  void skip(size_t bytes) {
    end_word();
    at_ += bytes;
  }

  void put(TokenKind kind, size_t bytes, bool appends = false) {
    end_word();
    out_.push_back({.kind = kind,
                    .quoted = is_quoted(),
                    .appends = appends,
                    .at = static_cast<uint32_t>(at_),
                    .text = text_.substr(at_, bytes)});
    at_ += bytes;
  }

  void separate(size_t bytes) {
    put(TokenKind::kSeparator, bytes);
    angle_ = false;
  }

  // An apostrophe is not a quote: it has letters on both sides.
  void quote(char c) {
    if (c == '\'' && is_letter(before()) && is_letter(peek(1))) {
      ++at_;
      return;
    }
    end_word();
    bool& inside = c == '"' ? double_ : single_;
    const bool possessive = c == '\'' && !single_ && is_letter(before());  // the users' keys
    if (!possessive) inside = !inside;
    ++at_;
  }

  void typographic(bool opens) {
    end_word();
    double_ = opens;
    at_ += 3;
  }

  void backtick() {
    if (syntax_ == Syntax::kShell) {
      span_ = !span_;
      return put(span_ ? TokenKind::kOpen : TokenKind::kClose, 1);
    }
    separate(1);
    span_ = !span_;
  }

  // `\"` is a quote inside a string; `\|` is a pipe in a cell of a table, and "or" in a pattern.
  void backslash() {
    const char next = peek(1);
    if (next == '|') {
      ++at_;
      return syntax_ == Syntax::kTable ? put(TokenKind::kPipe, 1) : separate(1);
    }
    if (next == '"' || next == '\'' || next == '`' || next == '\0' || next == 'n') return skip(2);
    if (word_ == kNone) word_ = at_;
    ++at_;
  }

  void pipe() {
    if (peek(1) == '|') return separate(2);
    if (syntax_ == Syntax::kTable) return separate(1);
    put(TokenKind::kPipe, peek(1) == '&' ? 2 : 1);
  }

  // Inside a URL it is part of the word.
  void ampersand() {
    if (peek(1) == '&') return separate(2);
    const char next = peek(1);
    if (is_space(before()) || is_space(next)) return separate(1);
    if (word_ == kNone) word_ = at_;
    ++at_;
  }

  // `<name>` is a placeholder, not a redirection.
  void less() {
    if (is_letter(peek(1)) || peek(1) == '/' || peek(1) == '!') angle_ = true;
    skip(1);
  }

  void greater() {
    if (peek(1) == '&') return skip(3);  // 2>&1
    if (angle_) {
      angle_ = false;
      return skip(1);
    }
    if (before() == '-' || before() == '=' || peek(1) == '=') return skip(1);  // an arrow
    const bool appends = peek(1) == '>';
    put(TokenKind::kRedirect, appends ? 2 : 1, appends);
  }

  bool is_quoted() const { return double_ || single_ || (span_ && syntax_ != Syntax::kShell); }

  void end_word() {
    if (word_ == kNone) return;
    size_t from = word_;
    size_t to = at_;
    word_ = kNone;
    while (from < to && is_leading_mark(text_[from])) ++from;
    const bool dot = to - from == 1 && text_[from] == '.';  // the command that reads a file
    while (!dot && from < to && is_trailing_mark(text_[to - 1])) --to;
    if (from == to) return;
    out_.push_back({.kind = TokenKind::kWord,
                    .quoted = is_quoted(),
                    .at = static_cast<uint32_t>(from),
                    .text = text_.substr(from, to - from)});
  }

  static constexpr size_t kNone = SIZE_MAX;

  const std::string_view text_;
  const Syntax syntax_;
  std::vector<Token>& out_;
  size_t at_ = 0;
  size_t word_ = kNone;
  bool double_ = false;
  bool single_ = false;
  bool span_ = false;
  bool angle_ = false;
};

void Tokens::read(std::string_view line, Syntax syntax) {
  line_ = line;
  lower_.assign(line);
  for (char& c : lower_) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  tokens_.clear();
  Reader(lower_, syntax, tokens_).run();
}

}  // namespace iii::risks
