#include "directory/risks/scan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "directory/risks/excerpt.h"
#include "directory/risks/matcher.h"

namespace iii::risks {

namespace {

// Longer lines are examined in parts: they were not written by hand.
constexpr size_t kMaxLine = 64 * 1024;
// Lines that a backslash or a pipe joins; more begin a new one.
constexpr size_t kMaxJoined = 16 * 1024;

class Scanner final : public Sink {
 public:
  Scanner(std::string_view path, std::string_view bytes, const ScanOptions& options)
      : path_(path), bytes_(bytes), options_(options) {}

  std::vector<Risk> run() {
    const bool cut = bytes_.size() > options_.max_bytes;
    if (!match_binary(path_, bytes_, *this)) {
      if (cut) bytes_ = bytes_.substr(0, options_.max_bytes);
      text();
      if (cut) incomplete();
    }
    std::ranges::sort(out_, {}, [](const Risk& r) { return std::tie(r.line, r.column, r.code); });
    return std::move(out_);
  }

  void found(std::string_view code, Severity severity, size_t at, std::string message) override {
    const auto [line, offset] = place_of(at);
    size_t& count = counts_[{code, severity}];
    // A code once for each line.
    if (count >= options_.max_per_code || !seen_.insert({code, line}).second) return;
    ++count;
    Risk risk{.code = std::string(code),
              .severity = severity,
              .line = line,
              .message = std::move(message)};
    if (line != 0) {
      risk.column = column_of(shown_, offset);
      risk.excerpt = excerpt(shown_, offset);
    }
    out_.push_back(std::move(risk));
  }

  void count(size_t steps) override {
    if (options_.steps != nullptr) *options_.steps += steps;
  }

 private:
  struct Part {
    size_t offset = 0;  // in the joined line
    uint32_t line = 0;
    std::string_view text;
  };

  void text() {
    const FileKind kind = kind_of(path_, bytes_);
    Places places(kind);
    size_t at = 0;
    uint32_t number = 0;
    while (at < bytes_.size()) {
      const size_t end = std::min(bytes_.find('\n', at), bytes_.size());
      std::string_view line = bytes_.substr(at, end - at);
      at = end + 1;
      ++number;
      const Place place = places.next(line.substr(0, kMaxLine));
      do {
        one_line(line.substr(0, kMaxLine), number, place);
        line.remove_prefix(std::min(line.size(), kMaxLine));
      } while (!line.empty());
    }
    flush();
  }

  void one_line(std::string_view line, uint32_t number, const Place& place) {
    hidden(line, number);
    if (place.markup) return flush();
    if (!joins(line, place)) {
      flush();
      place_ = place;
    }
    parts_.push_back({.offset = joined_.size(), .line = number, .text = line});
    joined_ += line;
    if (continues(line, place)) joined_.back() = ' ';
    joined_ += ' ';
  }

  static bool continues(std::string_view line, const Place& place) {
    return place.where == Where::kCode && line.ends_with('\\');
  }

  // Whether a line continues the one before it.
  bool joins(std::string_view line, const Place& place) {
    if (parts_.empty() || place.where != Where::kCode || place_.where != Where::kCode) return false;
    if (joined_.size() + line.size() > kMaxJoined) return false;
    const size_t first = line.find_first_not_of(" \t");
    const bool piped = first != std::string_view::npos && line[first] == '|';
    return continues(parts_.back().text, place_) || piped;
  }

  void flush() {
    if (parts_.empty()) return;
    if (joined_.find_first_not_of(" \t\r") != std::string::npos) {
      tokens_.read(joined_, place_.syntax);
      count(joined_.size());
      const std::vector<Segment> segments = segments_of(tokens_.all());
      const Line line{.tokens = tokens_, .segments = segments, .place = place_};
      match_commands(line, *this);
      match_credentials(line, *this);
      match_agents(line, *this);
      match_hosts(line, *this);
    }
    parts_.clear();
    joined_.clear();
  }

  void hidden(std::string_view line, uint32_t number) {
    count(line.size());
    const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x80U; };
    if (std::ranges::all_of(line, plain)) return;
    std::vector<Part> waiting = std::exchange(parts_, {{.line = number, .text = line}});
    match_hidden(line, number == 1, *this);
    parts_ = std::move(waiting);
  }

  // The line of the file, and the offset in it.
  std::pair<uint32_t, size_t> place_of(size_t at) {
    if (parts_.empty()) return {0, 0};
    const auto after = std::ranges::upper_bound(parts_, at, {}, &Part::offset);
    const Part& part = after == parts_.begin() ? parts_.front() : *std::prev(after);
    shown_ = part.text;
    return {part.line, std::min(at - part.offset, part.text.size())};
  }

  void incomplete() {
    out_.push_back({.code = std::string(code::kScanIncomplete),
                    .severity = Severity::kMedium,
                    .message = "only the first " + std::to_string(options_.max_bytes) +
                               " bytes were examined"});
  }

  const std::string_view path_;
  std::string_view bytes_;
  const ScanOptions& options_;
  std::vector<Risk> out_;
  std::map<std::pair<std::string_view, Severity>, size_t> counts_;
  std::set<std::pair<std::string_view, uint32_t>> seen_;
  // The line that is being put together.
  std::vector<Part> parts_;
  std::string joined_;
  Place place_;
  Tokens tokens_;
  std::string_view shown_;
};

}  // namespace

bool Line::own_warning() const {
  if (!warns_) {
    std::string_view text = tokens.line();
    if (place.where == Where::kCode) {
      // `security` and `payload.zip` are words of commands, too.
      const size_t comment = std::min(text.rfind(" # "), text.rfind(" // "));
      text = comment == std::string_view::npos ? std::string_view() : text.substr(comment);
    }
    warns_ = warns(text);
  }
  return *warns_;
}

Severity in_place(Severity severity, const Line& line) {
  if (severity == Severity::kLow || line.place.where == Where::kComment) return Severity::kLow;
  if (!line.place.warned && !line.own_warning()) return severity;
  if (line.place.where == Where::kProse) return Severity::kLow;
  return severity == Severity::kHigh ? Severity::kMedium : Severity::kLow;
}

std::vector<Risk> scan(std::string_view path, std::string_view bytes, const ScanOptions& options) {
  return Scanner(path, bytes, options).run();
}

}  // namespace iii::risks
