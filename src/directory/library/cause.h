// Why a call to another worker failed, in words that may be passed on.
#pragma once

#include <chrono>
#include <string>

#include "bus/sdk/error.h"

namespace iii::directory {

// Code of an error about a record in `state::*` that is not one of ours.
inline constexpr const char* kUnreadableRecord = "unreadable_record";

inline std::string cause_of(const sdk::RemoteError& error, std::chrono::milliseconds timeout) {
  if (error.code == sdk::kTimeout) {
    return "timed out after " + std::to_string(timeout.count()) + " ms";
  }
  std::string text = error.code + ": " + error.message;
  if (text.ends_with('.')) text.pop_back();  // a sentence goes on behind it
  return text;
}

}  // namespace iii::directory
