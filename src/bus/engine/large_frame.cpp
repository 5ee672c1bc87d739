#include "bus/engine/large_frame.h"

#include <algorithm>
#include <string>

#include "bus/protocol/writer.h"

namespace iii::engine {

namespace {

// More white space than this behind the brace of a payload is worth a copy here: the thread that
// forwards the payload looks for its first key.
constexpr size_t kMostSpace = 256;

bool needs_splicing(const protocol::InvokeFunction& call) {
  if (!call.data.starts_with('{')) return false;
  if (call.data_claims_caller) return true;
  const size_t key = call.data.find_first_not_of(" \t\r\n", 1);
  return key > kMostSpace || call.data[key] == '}';
}

}  // namespace

LargeFramePtr parse_large(SharedBytes text, std::string_view caller_worker_id) {
  auto parser = std::make_unique<protocol::Parser>();
  Result<protocol::Frame> frame = parser->parse(text.bytes);
  LargeFramePtr large(new LargeFrame{std::move(text), std::move(parser), std::move(frame), {}});
  if (!large->frame) return large;
  if (has_long_name(*large->frame)) return large;
  if (const auto* f = std::get_if<protocol::RegisterFunction>(&*large->frame)) {
    large->function = copy_texts(*f);
  } else if (const auto* t = std::get_if<protocol::RegisterTrigger>(&*large->frame)) {
    large->binding = copy_texts(*t);
  } else if (const auto* y = std::get_if<protocol::RegisterTriggerType>(&*large->frame)) {
    large->type = copy_texts(*y);
  }
  const auto* call = std::get_if<protocol::InvokeFunction>(&*large->frame);
  if (call == nullptr || !needs_splicing(*call)) return large;
  std::string text_with_caller;
  protocol::append_with_caller(text_with_caller, call->data, caller_worker_id,
                               call->data_claims_caller);
  const auto spliced = shared_text(std::move(text_with_caller));
  large->spliced = {spliced, *spliced};
  return large;
}

}  // namespace iii::engine
