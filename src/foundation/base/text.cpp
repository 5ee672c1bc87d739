#include "foundation/base/text.h"

#include <algorithm>
#include <cstdint>

#include "foundation/base/edit_distance.h"
#include "foundation/base/utf8_character.h"
#include "foundation/base/white_space.h"

namespace iii {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

bool iequals(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ascii_lower(a) == ascii_lower(b);
}

bool is_blank(std::string_view text) { return trim_start(text).empty(); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join_path(std::string_view folder, std::string_view name) {
  std::string out;
  out.reserve(folder.size() + 1 + name.size());
  out += folder;
  if (!out.empty()) out += '/';
  out += name;
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

namespace {

bool within(uint32_t point, uint32_t first, uint32_t last) {
  return point >= first && point <= last;
}

// Letters that stand in pairs, the capital first: at even places, or at odd ones.
bool is_even_capital(uint32_t p) {
  return p % 2 == 0 &&
         ((within(p, 0x100, 0x136) && p != 0x130) || within(p, 0x14a, 0x176) ||
          within(p, 0x460, 0x480) || within(p, 0x48a, 0x4be) || within(p, 0x4d0, 0x52e));
}
bool is_odd_capital(uint32_t p) {
  return p % 2 == 1 &&
         (within(p, 0x139, 0x147) || within(p, 0x179, 0x17d) || within(p, 0x4c1, 0x4cd));
}

// Of a letter written in two bytes; its small form takes two as well.
uint32_t small_letter(uint32_t p) {
  if (within(p, 0xc0, 0xde)) return p == 0xd7 ? p : p + 32;
  if (within(p, 0x391, 0x3ab)) return p == 0x3a2 ? p : p + 32;
  if (within(p, 0x410, 0x42f)) return p + 32;
  if (within(p, 0x400, 0x40f)) return p + 80;
  if (within(p, 0x531, 0x556)) return p + 48;  // Armenian
  if (is_even_capital(p) || is_odd_capital(p)) return p + 1;
  switch (p) {
    case 0x178:
      return 0xff;
    case 0x386:
      return 0x3ac;
    case 0x388:
    case 0x389:
    case 0x38a:
      return p + 37;
    case 0x38c:
      return 0x3cc;
    case 0x38e:
    case 0x38f:
      return p + 63;
    default:
      return p;
  }
}

}  // namespace

std::string fold_case(std::string_view utf8) {
  std::string out = ascii_lower(utf8);
  for (size_t i = 0; i + 1 < out.size(); ++i) {
    const auto lead = static_cast<unsigned char>(out[i]);
    if (lead < 0xc3 || lead > 0xdf || !is_continuation(out[i + 1])) continue;
    const uint32_t point =
        small_letter(((lead & 0x1fU) << 6) | (static_cast<unsigned char>(out[i + 1]) & 0x3fU));
    out[i] = static_cast<char>(0xc0 | (point >> 6));
    out[i + 1] = static_cast<char>(0x80 | (point & 0x3f));
    ++i;
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

std::string base64_encode(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<size_t>(3, bytes.size()))) {
    const auto byte = [&bytes](size_t i) -> uint32_t {
      return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
    };
    const uint32_t group = (byte(0) << 16U) | (byte(1) << 8U) | byte(2);
    out += kLetters[group >> 18U];
    out += kLetters[(group >> 12U) & 63U];
    out += bytes.size() > 1 ? kLetters[(group >> 6U) & 63U] : '=';
    out += bytes.size() > 2 ? kLetters[group & 63U] : '=';
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

size_t utf8_length(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string_view utf8_prefix(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && is_continuation(text[at])) ++at;
    --count;
  }
  return text.substr(0, at);
}

std::string echoed(std::string_view text) {
  const std::string_view head = utf8_prefix(text, kMaxEchoed);
  return std::string(head) + (head.size() < text.size() ? "…" : "");
}

std::string_view nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kMaxSuggestedFor) return {};
  const std::string folded = fold_case(word);
  const EditDistance distance_to(folded, EditDistance::Swap::kOne);
  std::string_view best;
  size_t best_distance = std::max<size_t>(1, folded.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t longer = std::max(candidate.size(), folded.size());
    if (longer - std::min(candidate.size(), folded.size()) >= best_distance) continue;
    const size_t distance = distance_to.to(fold_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace iii
