// One client on a pair of pipes: lines in, lines out. Both dialects at any time, one handshake
// session. Without descriptors; stdio.h has them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "faces/mcp/server.h"

namespace iii::mcp {

struct DuplexOptions {
  size_t max_running = 256;  // requests that are being answered
  // The TypeScript client takes no longer line; an answer that is larger becomes an error.
  size_t max_line_bytes = 10 * 1024 * 1024;
  size_t max_batch = 100;
  // What running requests and the session hold together; what does not fit is refused.
  size_t max_held_bytes = size_t{256} * 1024 * 1024;
};

// On the loop thread.
class Duplex {
 public:
  using Send = std::function<void(std::string line)>;  // without the newline
  Duplex(Server& server, Send send, DuplexOptions options = {});
  ~Duplex();
  Duplex(const Duplex&) = delete;
  Duplex& operator=(const Duplex&) = delete;

  void receive(std::string_view line);
  // A line of more than max_line_bytes came and was thrown away.
  void refuse_long_line();
  // Nothing more comes in: listen streams end with their results, other requests go on.
  void end_of_input();
  void cancel_all();
  // Requests that are being answered.
  size_t running() const { return running_.size(); }
  // What running requests and the session hold.
  size_t held_bytes() const { return memory_.budget().total(); }
  // Called when running() becomes 0.
  void on_idle(std::function<void()> action) { on_idle_ = std::move(action); }

 private:
  // Answers of a batch, until it is complete.
  struct Batch {
    std::string text;
    size_t left = 0;
  };
  using BatchPtr = std::shared_ptr<Batch>;

  void handle(ReadMessage message, const BatchPtr& batch);
  void handle_batch(std::vector<ReadMessage> all);
  void request(Message message, const BatchPtr& batch);
  void notification(const Message& message);
  void initialize(const Message& message, const BatchPtr& batch);
  void start(Request request, const BatchPtr& batch);
  net::KeptPtr keep() { return memory_.keep("stdio"); }
  void answer(const BatchPtr& batch, std::string_view id, std::string text);
  void answer_error(const BatchPtr& batch, std::string_view id, const RpcError& error);

  Server& server_;
  const Send send_;
  const DuplexOptions options_;
  net::ClientMemory memory_;
  SessionPtr session_;
  bool initialized_ = false;
  std::map<std::string, RunningPtr> running_;  // by id
  std::function<void()> on_idle_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace iii::mcp
