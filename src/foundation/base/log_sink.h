// Log lines for somebody else than stderr.
#pragma once

#include <functional>
#include <string_view>

#include "foundation/base/log.h"

namespace iii {

// Gets each log line instead of stderr: its level and its text, without time or line end. May be
// called by any thread, several at a time. What the sink itself logs goes to stderr; what it throws
// is dropped.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;

// For the whole process. Empty: stderr again.
void set_log_sink(LogSink sink);

}  // namespace iii
