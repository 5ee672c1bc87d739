// How log lines look on stderr: as text (see log.h), or as one JSON object each:
// `{"time":"2026-11-15T22:41:00.123Z","level":"warn","message":"text"}`.
#pragma once

#include <optional>
#include <string_view>

#include "foundation/base/log.h"

namespace iii {

enum class LogFormat { kText, kJson };

void set_log_format(LogFormat format);
// `text` or `json`.
std::optional<LogFormat> parse_log_format(std::string_view word);

// The word that parse_log_level() reads.
std::string_view log_level_word(LogLevel level);

}  // namespace iii
