#include "faces/cli/styled.h"

#include "foundation/base/utf8.h"

namespace iii::cli {

namespace {

std::string_view code_of(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "1";
    case Style::kDim:
      return "2";
    case Style::kTitle:
      return "1;4";
    case Style::kName:
      return "36";
    case Style::kCode:
      return "33";
    case Style::kGood:
      return "32";
    case Style::kWarn:
      return "33";
    case Style::kBad:
      return "31";
  }
  return "";
}

}  // namespace

Styled& Styled::add(std::string_view text, Style style) {
  if (text.empty()) return *this;
  std::string shown = printable_lines(text);
  if (!pieces_.empty() && pieces_.back().style == style) {
    pieces_.back().text += shown;
  } else {
    pieces_.push_back({std::move(shown), style});
  }
  return *this;
}

Styled& Styled::add(const Styled& other) {
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  return *this;
}

std::string Styled::text(bool colours) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    const std::string_view code = colours ? code_of(piece.style) : "";
    if (code.empty()) {
      out += piece.text;
    } else {
      out.append("\033[").append(code).append("m").append(piece.text).append("\033[0m");
    }
  }
  return out;
}

}  // namespace iii::cli
