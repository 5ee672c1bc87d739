#include "bus/protocol/parser.h"

#include <simdjson.h>

#include "bus/protocol/keys.h"
#include "bus/protocol/limits.h"
#include "bus/protocol/skim.h"
#include "foundation/base/check.h"
#include "foundation/json/slice.h"
#include "foundation/json/value.h"

namespace iii::protocol {

namespace {

// simdjson's working memory is about 13 times the text. Larger texts take the slower checker, which
// needs none, so that one 64 MiB frame cannot cost a gigabyte.
constexpr size_t kFastPathBytes = 1024 * 1024;

std::unexpected<Error> malformed_frame(std::string why) {
  return fail("malformed", std::move(why));
}

std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' ||
                           text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

struct Parser::Impl {
  // simdjson does not count an innermost empty container, so it is given one level more and the
  // exact rule is applied while walking.
  Impl() { III_CHECK(dom.allocate(4096, kMaxDepth + 1) == simdjson::SUCCESS); }

  Result<void> collect(std::string_view text);
  bool skimmed(std::string_view text);
  Result<void> collect_fast(std::string_view text);
  Result<void> collect_by_index(std::string_view text);
  void collect_slowly(std::string_view text);

  simdjson::dom::parser dom;
  Members members;
};

Result<void> Parser::Impl::collect(std::string_view text) {
  members.reset();
  if (text.size() <= kFastPathBytes) return collect_fast(text);
  if (auto ok = json::validate(text, kMaxDepth); !ok) return malformed_frame(ok.error().message);
  const json::Slice frame = json::trimmed(text);
  if (frame.front() != '{') return malformed_frame("not an object");
  collect_slowly(frame);
  return {};
}

bool Parser::Impl::skimmed(std::string_view text) {
  if (text.size() > dom.capacity()) return false;  // the full parser makes room first
  auto& stage = *dom.implementation;
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (stage.stage1(bytes, text.size(), simdjson::stage1_mode::regular) != simdjson::SUCCESS) {
    return false;
  }
  // Behind the positions simdjson puts the length of the text.
  if (skim(text, {stage.structural_indexes.get(), stage.n_structural_indexes + size_t{1}},
           members)) {
    return true;
  }
  members.reset();
  return false;
}

Result<void> Parser::Impl::collect_fast(std::string_view text) {
  if (skimmed(text)) return {};
  const auto parsed = dom.parse(text.data(), text.size(), false);
  if (parsed.error() == simdjson::NUMBER_ERROR) {
    // simdjson refuses integers beyond 64 bits that other peers read as doubles: look more closely.
    if (auto ok = json::validate(text, kMaxDepth); !ok) return malformed_frame(ok.error().message);
  } else if (parsed.error() != simdjson::SUCCESS) {
    return malformed_frame(simdjson::error_message(parsed.error()));
  }
  if (text[dom.implementation->structural_indexes[0]] != '{')
    return malformed_frame("not an object");
  return collect_by_index(text);
}

// The structural index holds the positions of `{ } [ ] : ,` and of the first character of every
// scalar, in text order, outside of strings. The text is known to be valid, so the shape needs no
// checks.
Result<void> Parser::Impl::collect_by_index(std::string_view text) {
  const uint32_t* index = dom.implementation->structural_indexes.get();
  size_t i = 1;
  while (text[index[i]] != '}') {
    const std::string_view key =
        without_trailing_space(text.substr(index[i], index[i + 1] - index[i]));
    size_t last = i + 2;  // first structural of the value, then its last
    const size_t start = index[last];
    size_t end = 0;
    if (text[start] == '{' || text[start] == '[') {
      size_t depth = 2;  // the frame's own level, and this one
      while (depth > 1) {
        const char c = text[index[++last]];
        if (c == '{' || c == '[') {
          if (++depth > kMaxDepth) return malformed_frame("more than 127 levels");
        }
        if (c == '}' || c == ']') --depth;
      }
      end = index[last] + 1;
    } else {
      end = start + without_trailing_space(text.substr(start, index[last + 1] - start)).size();
    }
    members.add(key, text.substr(start, end - start));
    i = last + 1;
    if (text[index[i]] == ',') ++i;
  }
  return {};
}

void Parser::Impl::collect_slowly(std::string_view text) {
  json::Walker walker(text);
  json::Slice key;
  json::Slice value;
  while (walker.next(key, value)) members.add(key, value);
}

Parser::Parser() : impl_(std::make_unique<Impl>()) {}
Parser::~Parser() = default;

Result<Frame> Parser::parse(std::string_view text) {
  if (json::trimmed(text).empty()) return fail("empty", "white space only");
  if (auto collected = impl_->collect(text); !collected) {
    return std::unexpected(std::move(collected.error()));
  }
  return build_frame(impl_->members);
}

}  // namespace iii::protocol
