#include "faces/mcp/duplex.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::mcp {

Duplex::Duplex(Server& server, Send send, DuplexOptions options)
    : server_(server), send_(std::move(send)), options_(options), memory_(options.max_held_bytes) {}

Duplex::~Duplex() {
  cancel_all();
  if (session_) server_.disconnect(session_);
}

void Duplex::receive(std::string_view line) {
  line = trim(line);
  if (line.empty()) return;
  std::expected<Incoming, Unreadable> read = read_text(line, options_.max_batch);
  if (!read) return answer_error(nullptr, read.error().id, read.error().error);
  if (read->is_batch) return handle_batch(std::move(read->messages));
  handle(std::move(read->messages.front()), nullptr);
}

void Duplex::refuse_long_line() {
  answer_error(
      nullptr, "",
      bad_request(kInvalidRequest,
                  "The line has more than " + std::to_string(options_.max_line_bytes) + " bytes."));
}

void Duplex::handle_batch(std::vector<ReadMessage> all) {
  const bool claims = std::ranges::any_of(
      all, [](const ReadMessage& each) { return each && claims_version(each->params); });
  const bool legal = session_ && session_->version == Version::k2025_03_26;
  if (!legal || claims || all.empty()) {
    return answer_error(nullptr, "",
                        bad_request(kInvalidRequest,
                                    "Batches are part of 2025-03-26 only, and "
                                    "have 1 to 100 messages."));
  }
  auto batch = std::make_shared<Batch>();
  // Counted first: an answer may come at once, and the last one sends the batch.
  batch->left = 1;
  for (ReadMessage& each : all) handle(std::move(each), batch);
  if (--batch->left == 0 && !batch->text.empty()) send_("[" + batch->text + "]");
}

void Duplex::handle(ReadMessage message, const BatchPtr& batch) {
  if (!message) {
    if (batch) ++batch->left;
    return answer_error(batch, message.error().id, message.error().error);
  }
  switch (message->kind) {
    case Message::Kind::kResponse:
      return server_.deliver(*message);
    case Message::Kind::kNotification:
      return notification(*message);
    case Message::Kind::kRequest:
      if (batch) ++batch->left;
      return request(std::move(*message), batch);
  }
}

void Duplex::notification(const Message& message) {
  if (message.method == "notifications/initialized" && session_ && !initialized_) {
    initialized_ = true;
    server_.connect(session_);
  }
  if (message.method != "notifications/cancelled") return;
  const json::Value* id = message.params.find("requestId");
  if (id == nullptr) return;
  const auto found = running_.find(json::to_text(*id));
  if (found == running_.end()) return;
  const RunningPtr running = found->second;
  running_.erase(found);
  running->cancel();
  if (running_.empty() && on_idle_) on_idle_();
}

void Duplex::request(Message message, const BatchPtr& batch) {
  const bool claims = claims_version(message.params);
  if (!claims && message.method == "initialize") return initialize(message, batch);
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .arguments = std::move(message.arguments),
                  .memory = keep()};
  if (!request.memory->resize(message.held_bytes)) {
    return answer_error(batch, request.id, no_memory());
  }
  if (!claims && session_) {
    request.session = session_;
    return start(std::move(request), batch);
  }
  if (!claims && request.method == "ping") {
    return answer(batch, request.id, result_text(request.id, ""));
  }
  const std::expected<Envelope, RpcError> envelope = read_envelope(request.params);
  if (!envelope) return answer_error(batch, request.id, envelope.error());
  if (auto error = check_version(envelope->version_name)) {
    return answer_error(batch, request.id, *error);
  }
  request.level = envelope->level;
  start(std::move(request), batch);
}

void Duplex::initialize(const Message& message, const BatchPtr& batch) {
  std::expected<Server::Opened, RpcError> opened = server_.initialize(message, keep());
  if (!opened) return answer_error(batch, message.id, opened.error());
  if (session_) server_.disconnect(session_);
  session_ = std::move(opened->session);
  session_->subscriber->send = [this](std::string text) { send_(std::move(text)); };
  initialized_ = false;
  answer(batch, message.id, result_text(message.id, opened->result));
}

void Duplex::start(Request request, const BatchPtr& batch) {
  const std::string id = request.id;
  if (running_.contains(id)) {
    return answer_error(batch, id,
                        bad_request(kInvalidRequest, "A request with this id is running already."));
  }
  if (running_.size() >= options_.max_running) {
    return answer_error(batch, id,
                        {.code = kInternalError,
                         .message = "Too many requests are running. Next: wait for answers."});
  }
  const bool listens = !request.session && request.method == "subscriptions/listen";
  request.notify = [this](std::string text) { send_(std::move(text)); };
  const std::weak_ptr<bool> alive = alive_;
  RunningPtr running =
      server_.start(std::move(request), [this, alive, id, batch, listens](Finished finished) {
        if (alive.expired()) return;
        running_.erase(id);
        answer(batch, id, std::move(finished.text));
        if (listens) {
          send_(notification_text("notifications/cancelled", "\"requestId\":" + id));
        }
        if (running_.empty() && on_idle_) on_idle_();
      });
  if (!running->is_over()) running_.emplace(id, std::move(running));
}

void Duplex::answer(const BatchPtr& batch, std::string_view id, std::string text) {
  if (text.size() + (batch ? batch->text.size() : 0) > options_.max_line_bytes) {
    text = error_text(id, {.code = kInternalError,
                           .message = "The answer has " + std::to_string(text.size()) +
                                      " bytes, more than a line may have."});
  }
  if (!batch) return send_(std::move(text));
  if (!batch->text.empty()) batch->text += ',';
  batch->text += text;
  if (--batch->left == 0) send_("[" + batch->text + "]");
}

void Duplex::answer_error(const BatchPtr& batch, std::string_view id, const RpcError& error) {
  answer(batch, id, error_text(id, error));
}

void Duplex::end_of_input() { server_.shut_down(); }

void Duplex::cancel_all() {
  for (auto& [id, running] : std::exchange(running_, {})) running->cancel();
}

}  // namespace iii::mcp
