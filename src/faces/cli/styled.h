// Text with colours. What comes from outside is escaped when it is added; only this class writes
// the sequences that colour it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iii::cli {

enum class Style : uint8_t { kPlain, kBold, kDim, kTitle, kName, kCode, kGood, kWarn, kBad };

class Styled {
 public:
  // Newlines and tabs stay, other control characters are shown (base/utf8.h).
  Styled& add(std::string_view text, Style style = Style::kPlain);
  Styled& add(const Styled& other);
  bool empty() const { return pieces_.empty(); }
  // Without colours it is the text alone.
  std::string text(bool colours) const;

 private:
  struct Piece {
    std::string text;
    Style style;
  };
  std::vector<Piece> pieces_;
};

}  // namespace iii::cli
