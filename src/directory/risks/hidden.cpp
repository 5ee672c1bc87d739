#include "directory/risks/excerpt.h"
#include "directory/risks/matcher.h"
#include "foundation/base/invisible.h"

namespace iii::risks {

namespace {

constexpr size_t kManyZeroWidth = 8;  // a run of this length holds text
constexpr size_t kManySelectors = 4;
constexpr uint32_t kBlackFlag = 0x1f3f4;

bool is_ascii_word(uint32_t point) {
  return (point >= '0' && point <= '9') || (point >= 'A' && point <= 'Z') ||
         (point >= 'a' && point <= 'z');
}

// Letters of scripts that join or separate with ZWJ and ZWNJ, and pictures that ZWJ combines.
bool joins(uint32_t point) {
  return point >= 0xa0 && point < kNotUtf8 && !is_zero_width(point) && !is_tag(point) &&
         !is_bidi(point);
}

class HiddenReader {
 public:
  HiddenReader(std::string_view line, bool first_line, Sink& sink)
      : line_(line), sink_(sink), first_line_(first_line) {}

  void run() {
    size_t at = 0;
    while (at < line_.size()) {
      if (static_cast<unsigned char>(line_[at]) < 0x80U) {
        before_ = static_cast<unsigned char>(line_[at++]);
        continue;
      }
      const Character c = character_at(line_, at);
      if (is_tag(c.point)) {
        at = tags(at);
      } else if (is_selector(c.point)) {
        at = selectors(at);
      } else if (is_zero_width(c.point)) {
        at = zero_width(at, c.point);
      } else {
        if (is_bidi(c.point)) bidi(at, c.point);
        at += c.length;
      }
      before_ = c.point;
    }
  }

 private:
  template <typename F>
  size_t end_of_run(size_t at, F belongs, size_t& length) const {
    for (length = 0; at < line_.size(); ++length) {
      const Character c = character_at(line_, at);
      if (!belongs(c.point)) break;
      at += c.length;
    }
    return at;
  }

  // The flags of England, Scotland and Wales are tags behind a black flag, ended by U+E007F.
  size_t tags(size_t at) {
    size_t length = 0;
    const size_t end = end_of_run(at, is_tag, length);
    const bool flag = before_ == kBlackFlag && length <= 7 &&
                      line_.substr(at, end - at).ends_with("\xf3\xa0\x81\xbf");
    if (!flag) {
      sink_.found(code::kHiddenTags, Severity::kHigh, at,
                  std::to_string(length) + " invisible tag characters");
    }
    return end;
  }

  size_t selectors(size_t at) {
    size_t length = 0;
    const size_t end = end_of_run(at, is_selector, length);
    if (length >= kManySelectors) {
      sink_.found(code::kHiddenSelectors, Severity::kHigh, at,
                  std::to_string(length) + " variation selectors in a row");
    }
    return end;
  }

  size_t zero_width(size_t at, uint32_t point) {
    size_t length = 0;
    const size_t end = end_of_run(at, is_zero_width, length);
    const uint32_t after = character_at(line_, end).point;
    const bool mark = first_line_ && at == 0 && point == 0xfeff;
    const bool joiner = point != 0x200b && is_joiner(point) && joins(before_) &&
                        (joins(after) || end == line_.size());
    if (mark || (length == 1 && joiner)) return end;
    if (length > 1) {
      sink_.found(code::kHiddenZeroWidth,
                  length >= kManyZeroWidth ? Severity::kHigh : Severity::kMedium, at,
                  std::to_string(length) + " zero-width characters in a row");
    } else if (is_ascii_word(before_) && is_ascii_word(after)) {
      sink_.found(code::kHiddenZeroWidth, Severity::kLow, at, "a zero-width character in a word");
    }
    return end;
  }

  void bidi(size_t at, uint32_t point) {
    const bool override_ = point == 0x202d || point == 0x202e;
    sink_.found(code::kHiddenBidi, override_ ? Severity::kHigh : Severity::kMedium, at,
                override_ ? "a character that overrides the direction of the text"
                          : "a character that changes the direction of the text");
  }

  const std::string_view line_;
  Sink& sink_;
  const bool first_line_;
  uint32_t before_ = ' ';
};

}  // namespace

void match_hidden(std::string_view line, bool first_line, Sink& sink) {
  sink.count(line.size());
  HiddenReader(line, first_line, sink).run();
}

}  // namespace iii::risks
