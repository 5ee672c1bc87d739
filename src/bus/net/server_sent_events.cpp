#include "bus/net/server_sent_events.h"

namespace iii::net {

std::string stream_event(std::string_view name, std::string_view data, std::string_view id) {
  std::string out;
  out.reserve(name.size() + data.size() + id.size() + 40);
  if (!id.empty()) {
    out += "id: ";
    out += id;
    out += '\n';
  }
  out += "event: ";
  out += name;
  out += "\ndata: ";
  out += data;
  out += "\n\n";
  return out;
}

HttpHeaders event_stream_headers() {
  return {{"Content-Type", "text/event-stream"},
          {"Cache-Control", "no-cache, no-transform"},
          {"X-Accel-Buffering", "no"}};
}

}  // namespace iii::net
