#include "faces/cli/width.h"

#include <utf8proc.h>

#include <algorithm>

namespace iii::cli {

namespace {

// One character as a reader sees it: several code points may belong to it.
struct Cluster {
  size_t bytes = 0;
  size_t columns = 0;
};

Cluster next_cluster(std::string_view text) {
  Cluster out;
  utf8proc_int32_t state = 0;
  utf8proc_int32_t last = -1;
  while (out.bytes < text.size()) {
    utf8proc_int32_t point = -1;
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + out.bytes);
    const auto left = static_cast<utf8proc_ssize_t>(text.size() - out.bytes);
    utf8proc_ssize_t size = utf8proc_iterate(at, left, &point);
    if (size <= 0) {  // not UTF-8: one byte, one column
      if (out.bytes > 0) break;
      return {.bytes = 1, .columns = 1};
    }
    if (last >= 0 && utf8proc_grapheme_break_stateful(last, point, &state)) break;
    const int width = utf8proc_charwidth(point);
    out.columns = std::max(out.columns, static_cast<size_t>(std::max(width, 0)));
    out.bytes += static_cast<size_t>(size);
    last = point;
  }
  return out;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

size_t columns(std::string_view text) {
  if (is_ascii(text)) return text.size();
  size_t out = 0;
  while (!text.empty()) {
    const Cluster cluster = next_cluster(text);
    out += cluster.columns;
    text.remove_prefix(cluster.bytes);
  }
  return out;
}

std::string shortened(std::string_view text, size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t used = 0;
  size_t bytes = 0;
  while (bytes < text.size()) {
    const Cluster cluster = next_cluster(text.substr(bytes));
    if (used + cluster.columns > width - 1) break;
    used += cluster.columns;
    bytes += cluster.bytes;
  }
  while (bytes > 0 && text[bytes - 1] == ' ') --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

std::string padded(std::string_view text, size_t width) {
  std::string out(text);
  const size_t used = columns(text);
  if (used < width) out.append(width - used, ' ');
  return out;
}

std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  size_t used = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const size_t size = columns(word);
    if (!line.empty() && used + 1 + size > width) {
      lines.push_back(std::move(line));
      line.clear();
      used = 0;
    }
    if (!line.empty()) {
      line += ' ';
      ++used;
    }
    line += word;
    used += size;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string_view> pieces(std::string_view text, size_t width) {
  std::vector<std::string_view> out;
  while (columns(text) > width) {
    size_t bytes = 0;
    size_t used = 0;
    while (bytes < text.size()) {
      const Cluster cluster = next_cluster(text.substr(bytes));
      if (bytes > 0 && used + cluster.columns > width) break;
      used += cluster.columns;
      bytes += cluster.bytes;
    }
    out.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  if (!text.empty()) out.push_back(text);
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace iii::cli
