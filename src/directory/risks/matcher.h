// What a matcher gets, and where it puts what it recognised.
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
  // Words or bytes that were looked at.
  virtual void count(size_t steps) = 0;
};

// The severity where the text around it says that it is an example or a warning: one step less in
// code, the lowest in prose.
Severity in_place(Severity severity, const Line& line);

void match_commands(const Line& line, Sink& sink);
void match_credentials(const Line& line, Sink& sink);
void match_agents(const Line& line, Sink& sink);
void match_hosts(const Line& line, Sink& sink);
// Any line of text, before it is tokenised.
void match_hidden(std::string_view line, bool first_line, Sink& sink);
// The file as a whole. True: it is not text, and nothing else need be looked for.
bool match_binary(std::string_view path, std::string_view bytes, Sink& sink);

}  // namespace iii::risks
