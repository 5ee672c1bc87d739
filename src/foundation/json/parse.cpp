#include <charconv>
#include <cmath>
#include <cstdlib>

#include <simdjson.h>

#include "foundation/json/value.h"

namespace iii::json {

namespace {

// Recursive descent over text known to be UTF-8. Depth is bounded, so recursion is too. With kBuild
// false it only checks, and allocates nothing that grows with the text.
template <bool kBuild>
class Parser {
 public:
  Parser(std::string_view text, size_t max_depth) : text_(text), max_depth_(max_depth) {}

  Result<Value> run() {
    Value value;
    skip_space();
    if (!read_value(value, 0)) return fail_here();
    skip_space();
    if (at_ != text_.size()) {
      problem_ = "there is more text after the value";
      return fail_here();
    }
    return value;
  }

 private:
  std::unexpected<Error> fail_here() const {
    return fail("invalid_json", std::string(problem_) + " at byte " + std::to_string(at_));
  }

  bool bad(std::string_view problem) {
    if (problem_.empty()) problem_ = problem;
    return false;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool read_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return bad("not a JSON value");
    at_ += word.size();
    return true;
  }

  bool read_value(Value& out, size_t depth) {
    if (at_ >= text_.size()) return bad("the text ends too early");
    switch (text_[at_]) {
      case '{':
        return read_object(out, depth + 1);
      case '[':
        return read_array(out, depth + 1);
      case '"': {
        std::string s;
        if (!read_string(s)) return false;
        if constexpr (kBuild) out = std::move(s);
        return true;
      }
      case 't':
        out = true;
        return read_word("true");
      case 'f':
        out = false;
        return read_word("false");
      case 'n':
        out = nullptr;
        return read_word("null");
      default:
        return read_number(out);
    }
  }

  bool read_object(Value& out, size_t depth) {
    if (depth > max_depth_) return bad("too many levels");
    Object object;
    ++at_;
    skip_space();
    if (peek() == '}') {
      ++at_;
      out = std::move(object);
      return true;
    }
    for (;;) {
      std::string key;
      if (peek() != '"') return bad("a key must be a string");
      if (!read_string(key)) return false;
      skip_space();
      if (peek() != ':') return bad("a colon is missing");
      ++at_;
      skip_space();
      Value value;
      if (!read_value(value, depth)) return false;
      if constexpr (kBuild) object.insert_or_assign(std::move(key), std::move(value));
      skip_space();
      if (peek() == '}') break;
      if (peek() != ',') return bad("a comma or } is missing");
      ++at_;
      skip_space();
    }
    ++at_;
    out = std::move(object);
    return true;
  }

  bool read_array(Value& out, size_t depth) {
    if (depth > max_depth_) return bad("too many levels");
    Array array;
    ++at_;
    skip_space();
    if (peek() == ']') {
      ++at_;
      out = std::move(array);
      return true;
    }
    for (;;) {
      Value value;
      if (!read_value(value, depth)) return false;
      if constexpr (kBuild) array.push_back(std::move(value));
      skip_space();
      if (peek() == ']') break;
      if (peek() != ',') return bad("a comma or ] is missing");
      ++at_;
      skip_space();
    }
    ++at_;
    out = std::move(array);
    return true;
  }

  bool read_string(std::string& out) {
    ++at_;
    for (;;) {
      const size_t start = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20) {
        ++at_;
      }
      if constexpr (kBuild) out.append(text_, start, at_ - start);
      if (at_ >= text_.size()) return bad("a string is not closed");
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] != '\\') return bad("a control character in a string");
      if (!read_escape(out)) return false;
    }
  }

  bool read_escape(std::string& out) {
    static constexpr std::string_view kPlain = "\"\\/bfnrt";
    static constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
    if (at_ + 1 >= text_.size()) return bad("a string is not closed");
    const char c = text_[at_ + 1];
    if (const size_t i = kPlain.find(c); i != std::string_view::npos) {
      if constexpr (kBuild) out += kMeaning[i];
      at_ += 2;
      return true;
    }
    if (c != 'u') return bad("an unknown escape");
    at_ += 2;
    uint32_t point = 0;
    if (!read_hex4(point)) return false;
    if (point >= 0xdc00 && point <= 0xdfff) return bad("a lone surrogate");
    if (point >= 0xd800 && point <= 0xdbff) {
      uint32_t low = 0;
      if (text_.substr(at_, 2) != "\\u") return bad("a lone surrogate");
      at_ += 2;
      if (!read_hex4(low)) return false;
      if (low < 0xdc00 || low > 0xdfff) return bad("a lone surrogate");
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    if constexpr (kBuild) append_utf8(out, point);
    return true;
  }

  bool read_hex4(uint32_t& out) {
    if (at_ + 4 > text_.size()) return bad("an incomplete \\u escape");
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, out, 16);
    if (error != std::errc{} || end != text_.data() + at_ + 4)
      return bad("an incomplete \\u escape");
    at_ += 4;
    return true;
  }

  static void append_utf8(std::string& out, uint32_t point) {
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xc0 | (point >> 6));
      out += static_cast<char>(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
      out += static_cast<char>(0xe0 | (point >> 12));
      out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
      out += static_cast<char>(0x80 | (point & 0x3f));
    } else {
      out += static_cast<char>(0xf0 | (point >> 18));
      out += static_cast<char>(0x80 | ((point >> 12) & 0x3f));
      out += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
      out += static_cast<char>(0x80 | (point & 0x3f));
    }
  }

  bool read_digits() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > start || bad("not a JSON value");
  }

  bool read_number(Value& out) {
    const size_t start = at_;
    bool integer = true;
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
      if (peek() >= '0' && peek() <= '9') return bad("a number with a leading zero");
    } else if (!read_digits()) {
      return false;
    }
    if (peek() == '.') {
      integer = false;
      ++at_;
      if (!read_digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      integer = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!read_digits()) return false;
    }
    return number_from(text_.substr(start, at_ - start), integer, out);
  }

  bool number_from(std::string_view digits, bool integer, Value& out) {
    const char* first = digits.data();
    const char* last = first + digits.size();
    if (integer && digits != "-0") {
      int64_t i = 0;
      if (std::from_chars(first, last, i).ec == std::errc{}) {
        out = i;
        return true;
      }
      uint64_t u = 0;
      if (std::from_chars(first, last, u).ec == std::errc{}) {
        out = u;
        return true;
      }
    }
    // strtod and not from_chars: the latter does not tell underflow (fine, zero) from overflow (an
    // error).
    const double d = std::strtod(std::string(digits).c_str(), nullptr);
    if (!std::isfinite(d)) return bad("a number too large for a double");
    out = d;
    return true;
  }

  std::string_view text_;
  size_t max_depth_;
  size_t at_ = 0;
  std::string_view problem_;
};

}  // namespace

Result<Value> parse(std::string_view text, size_t max_depth) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail("invalid_json", "the text is not UTF-8");
  }
  return Parser<true>(text, max_depth).run();
}

Result<void> validate(std::string_view text, size_t max_depth) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail("invalid_json", "the text is not UTF-8");
  }
  auto checked = Parser<false>(text, max_depth).run();
  if (!checked) return std::unexpected(std::move(checked.error()));
  return {};
}

}  // namespace iii::json
