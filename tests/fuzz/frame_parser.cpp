// Fuzz target: the frame parser (simdjson and an index of positions) and the JSON reader (our own)
// agree on what is JSON, whatever the bytes; what the parser accepts can be written, read again and
// forwarded.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "bus/protocol/parser.h"
#include "bus/protocol/writer.h"
#include "foundation/base/check.h"
#include "foundation/json/slice.h"
#include "foundation/json/value.h"

namespace {

using namespace iii;
using namespace iii::protocol;

constexpr size_t kPadding = 64;
constexpr std::string_view kCaller = "0190a5da-c967-44bb-8ceb-302099a80571";

// A text in memory of exactly the size the parser is promised, so that asan sees every step beyond
// it.
class Padded {
 public:
  explicit Padded(std::string_view text)
      : bytes_(std::make_unique<char[]>(text.size() + kPadding)), size_(text.size()) {
    std::copy(text.begin(), text.end(), bytes_.get());
    // What stands behind a message is not part of it, whatever it looks like.
    std::fill_n(bytes_.get() + size_, kPadding, '"');
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_;
};

std::string written(const Frame& frame) {
  return std::visit([](const auto& f) { return to_text(f); }, frame);
}

void check_forwarding(const InvokeFunction& call) {
  std::string out;
  append_forwarded(out, call, call.invocation_id.value_or(Uuid{}), kCaller, "", "");
  const auto value = json::parse(out, json::kMaxDepth);
  III_CHECK(value.has_value());
  if (call.data.front() != '{') {
    III_CHECK(out.find(call.data) != std::string::npos);
    return;
  }
  const auto data = json::member(out, "data");
  III_CHECK(data.has_value());
  size_t claims = 0;
  json::Walker walker(*data);
  for (json::Slice key, member; walker.next(key, member);) {
    if (json::string_of(key) != kCallerKey) continue;
    ++claims;
    III_CHECK(json::string_of(member) == kCaller);
  }
  III_CHECK(claims == 1);
}

void check_frame(Parser& parser, std::string_view input) {
  const Padded text(input);
  const auto value = json::parse(text.view());
  const auto frame = parser.parse(text.view());
  if (!frame) return;
  III_CHECK(value.has_value() && value->as_object() != nullptr);
  const std::string once = written(*frame);
  if (const auto* call = std::get_if<InvokeFunction>(&*frame)) check_forwarding(*call);
  // The frame's strings live until the parser is used again, so it is not touched from here on.
  const Padded again(once);
  const auto reread = parser.parse(again.view());
  III_CHECK(reread.has_value());
  III_CHECK(reread->index() == frame->index());
  III_CHECK(written(*reread) == once);
}

// As a value inside of a frame: accepted exactly when the bytes are one JSON value.
void check_agreement(Parser& parser, std::string_view input) {
  const bool is_value = json::validate(input, json::kMaxDepth - 1).has_value();
  const Padded text(R"({"type":"ping","x":)" + std::string(input) + "}");
  const bool accepted = parser.parse(text.view()).has_value();
  if (is_value) III_CHECK(accepted);
  if (accepted) III_CHECK(json::validate(text.view()).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static Parser parser;
  III_CHECK(json::parse(input).has_value() == json::validate(input).has_value());
  check_frame(parser, input);
  check_agreement(parser, input);
  return 0;
}
