// Server-sent events: the text of a stream that an EventSource reads.
#pragma once

#include <string>
#include <string_view>

#include "bus/net/http_message.h"

namespace iii::net {

// A line that readers ignore, so that everybody on the way sees that the stream is alive.
inline constexpr std::string_view kStreamComment = ": keep-alive\n\n";

// `data` is one line, as JSON text is. `id` may be empty.
std::string stream_event(std::string_view name, std::string_view data, std::string_view id = {});
HttpHeaders event_stream_headers();

}  // namespace iii::net
