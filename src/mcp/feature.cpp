#include "mcp/feature.h"

#include <utility>

#include "mcp/cursor.h"

namespace iii::mcp {

Reply PageWriter::finish(bool more) {
  out_ += ']';
  if (more) append_text_member(out_, "nextCursor", make_cursor(list_, last_));
  return {.members = std::move(out_), .cache = Cache::kList};
}

}  // namespace iii::mcp
