// Input and output of the matchers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "directory/risks/codes.h"
#include "directory/risks/pipeline.h"
#include "directory/risks/place.h"
#include "directory/risks/tokens.h"

namespace iii::risks {

struct Line {
  const Tokens& tokens;
  const std::vector<Segment>& segments;  // of the tokens
  Place place;
  // Whether the line itself warns; of code only the comment at its end counts. Found out once.
  bool own_warning() const;
  mutable std::optional<bool> warns_ = {};
};

// Collects the findings of one file.
class Sink {
 public:
  virtual ~Sink() = default;
  // `at` is an offset in the line of the matcher.
  virtual void found(std::string_view code, Severity severity, size_t at, std::string message) = 0;
  // Words or bytes that were examined.
  virtual void count(size_t steps) = 0;
};

// The severity where the surrounding text marks it as an example or a warning: one step less in
// code, the lowest in prose.
Severity in_place(Severity severity, const Line& line);

// What the matchers of a line have in common.
class LineMatcher {
 protected:
  LineMatcher(const Line& line, Sink& sink)
      : line_(line), tokens_(line.tokens.all()), sink_(sink) {}

  // Empty: there is no word.
  std::string_view word(size_t token) const {
    const bool is_word = token < tokens_.size() && tokens_[token].kind == TokenKind::kWord;
    return is_word ? tokens_[token].text : std::string_view();
  }
  bool is_called(size_t token) const {
    return token + 1 < tokens_.size() && tokens_[token + 1].kind == TokenKind::kParen;
  }
  // The program that a segment runs; empty: none.
  std::string_view command(const Segment& segment) const { return program(word(segment.command)); }

  void found(std::string_view code, Severity severity, size_t at, std::string message) {
    sink_.found(code, in_place(severity, line_), at, std::move(message));
  }

  const Line& line_;
  const std::vector<Token>& tokens_;
  Sink& sink_;
};

void match_commands(const Line& line, Sink& sink);
void match_credentials(const Line& line, Sink& sink);
void match_agents(const Line& line, Sink& sink);
void match_hosts(const Line& line, Sink& sink);
// Any line of text, before it is tokenised.
void match_hidden(std::string_view line, bool first_line, Sink& sink);
// The file as a whole. True: it is not text, and no other matcher applies.
bool match_binary(std::string_view path, std::string_view bytes, Sink& sink);

}  // namespace iii::risks
