// What the features of the server have in common: results, pages, and the call that they answer.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "directory/table/context.h"
#include "faces/mcp/dialect.h"
#include "faces/mcp/limits.h"
#include "faces/mcp/rpc.h"
#include "foundation/base/result.h"
#include "foundation/task/task.h"

namespace iii::mcp {

// Fields of the stateless dialect that allow clients to keep a result.
enum class Cache {
  kNone,  // no such fields
  kList,  // for the configured time
  kRead,  // ask again every time
};

struct Reply {
  std::string members;  // of the result, as JSON text
  Cache cache = Cache::kNone;
  std::string meta = {};  // further members of `_meta`
  std::string_view result_type = "complete";
};
using Outcome = std::expected<Reply, RpcError>;

// Messages of ours about the request that is being answered.
using Sink = std::function<void(std::string message)>;

// Asks the client for something while its request is being answered: method and JSON of the
// parameters in, the client's result out.
using Ask = std::function<task::Task<Result<json::Value>>(std::string method, std::string params)>;

// -32020 when the header that repeats a parameter is not its value; null: the parameter is absent.
using CheckHeader =
    std::function<std::optional<RpcError>(const std::string& header, const json::Value* value)>;

// What a feature knows about the request that it answers. A value: a coroutine keeps its own copy.
struct Call {
  Version version = kNewestHandshake;
  std::optional<Level> level = {};  // of log messages that are wanted; none: no messages
  std::string progress_token = {};  // JSON text; empty: no progress is wanted
  json::Value capabilities = {};    // of the client of a stateless request
  Sink notify = {};
  Ask ask = {};                             // empty: this dialect has no such requests
  CheckHeader check_header = {};            // empty: there are no headers
  std::optional<json::Raw> arguments = {};  // of tools/call
  directory::Context context = {};
};

inline std::unexpected<RpcError> refused(std::string message) {
  return std::unexpected(invalid_params(std::move(message)));
}

// Names and addresses that a client sends have at most kMaxTextLength characters, as those in the
// input of functions; an address is measured decoded and without its scheme. -32602 for a longer
// one, before anything looks for it.
std::optional<RpcError> long_name(std::string_view method, const json::Value& params);

// Which bytes of a content are wanted.
struct ReadRange {
  uint64_t offset = 0;
  uint64_t limit = kMaxReadBytes;
  bool whole = false;  // more than `limit` bytes are refused (code `too_large`), not cut
};

// Pages are cut by rows and by bytes, whichever comes first.
inline constexpr size_t kPageRows = 1'000;
inline constexpr size_t kPageBytes = 2 * 1024 * 1024;

// Writes `"<list>":[rows…]` with `nextCursor` when a page is full.
class PageWriter {
 public:
  explicit PageWriter(std::string_view list) : list_(list) {
    out_ = '"';
    out_ += list;
    out_ += "\":[";
  }
  bool is_full() const { return rows_ >= kPageRows || out_.size() >= kPageBytes; }
  // `key` is what the next page begins after.
  void add(std::string_view json_text, std::string_view key) {
    if (rows_++ > 0) out_ += ',';
    out_ += json_text;
    last_ = key;
  }
  // For a row that is left out: the next page begins after it all the same.
  void skip(std::string_view key) { last_ = key; }
  size_t rows() const { return rows_; }
  Reply finish(bool more);

 private:
  std::string list_;
  std::string out_;
  std::string last_;
  size_t rows_ = 0;
};

}  // namespace iii::mcp
