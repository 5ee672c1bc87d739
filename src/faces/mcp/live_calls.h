// Calls of functions that asked to know about the MCP request behind them (`metadata.mcp.context`),
// so that they can report progress and log messages to its client while they run.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "faces/mcp/feature.h"
#include "foundation/base/result.h"
#include "foundation/base/uuid.h"
#include "foundation/json/value.h"

namespace iii::mcp {

// On the loop thread.
class LiveCalls {
 public:
  // The call can be told about as long as this lives.
  class Entry {
   public:
    Entry() = default;
    Entry(LiveCalls& calls, std::string token) : calls_(&calls), token_(std::move(token)) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    Entry(Entry&& other) noexcept
        : calls_(std::exchange(other.calls_, nullptr)), token_(std::move(other.token_)) {}
    Entry& operator=(Entry&& other) noexcept {
      std::swap(calls_, other.calls_);
      std::swap(token_, other.token_);
      return *this;
    }
    ~Entry() {
      if (calls_ != nullptr) calls_->calls_.erase(token_);
    }
    const std::string& token() const { return token_; }

   private:
    LiveCalls* calls_ = nullptr;
    std::string token_;
  };

  Entry add(const Call& call);
  // `{request, progress, total?, message?}`, `{request, level, data, logger?}`, or
  // `{request, ask: {method, params}}`, which gives what the client answers.
  task::Task<Result<json::Raw>> tell(json::Value message);

 private:
  friend class Entry;
  RandomIds ids_;
  std::map<std::string, Call, std::less<>> calls_;
};

}  // namespace iii::mcp
