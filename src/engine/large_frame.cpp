#include "engine/large_frame.h"

#include <algorithm>
#include <string>

#include "protocol/writer.h"

namespace iii::engine {

namespace {

// More white space than this behind the brace of a payload is worth a copy here: whoever forwards
// the payload looks for its first key.
constexpr size_t kMostSpace = 256;

bool needs_splicing(const protocol::InvokeFunction& call) {
  if (!call.data.starts_with('{')) return false;
  if (call.data_claims_caller) return true;
  const size_t key = call.data.find_first_not_of(" \t\r\n", 1);
  return key > kMostSpace || call.data[key] == '}';
}

}  // namespace

std::unique_ptr<LargeFrame> parse_large(SharedBytes text, std::string_view caller_worker_id) {
  auto parser = std::make_unique<protocol::Parser>();
  Result<protocol::Frame> frame = parser->parse(text.bytes);
  auto large = std::make_unique<LargeFrame>(
      LargeFrame{std::move(text), std::move(parser), std::move(frame), {}});
  if (!large->frame) return large;
  const auto* call = std::get_if<protocol::InvokeFunction>(&*large->frame);
  if (call == nullptr || !needs_splicing(*call)) return large;
  auto spliced = std::make_shared<std::string>();
  protocol::append_with_caller(*spliced, call->data, caller_worker_id, call->data_claims_caller);
  large->spliced = {spliced, *spliced};
  return large;
}

}  // namespace iii::engine
